/** The rows of the composer: draft, history search, suggestions and chord hint. */
import { Box, type DOMElement, Text } from 'ink';
import { useEffect, useMemo, useRef } from 'react';
import { fieldView } from '../dialog/field.ts';
import { chordsAfter, type Keymap } from '../keys/keymap.ts';
import { showKeys } from '../keys/strokes.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Popup } from './composerState.ts';
import { type HistorySearch, type SearchScope, searchExcerpt } from './historySearch.ts';
import { type ComposerTheme, type Layout, type Mark, markedRows, type Row } from './layout.ts';
import { expand, type Unit } from './units.ts';
import { useLiveCursor } from './useLiveCursor.ts';

/** Draws at most `maxRows` rows around the cursor and positions the terminal's cursor in them. */
export function DraftRows({
  layout,
  cursor,
  maxRows,
  theme,
  placeholder,
  units = [],
  selection,
}: {
  readonly layout: Layout;
  /** Position in the layout; undefined while the composer is inactive. */
  readonly cursor: number | undefined;
  readonly maxRows: number;
  readonly theme: ComposerTheme;
  /** Shown while the draft is empty. */
  readonly placeholder: string;
  /** The units that were laid out, and the selected range. */
  readonly units?: readonly Unit[];
  readonly selection?: Mark | undefined;
}) {
  const element = useRef<DOMElement>(null);
  const top = useRef(0);
  const row = layout.rowOf[cursor ?? layout.rowOf.length - 1] ?? 0;
  top.current = scroll(top.current, row, layout.rows.length, maxRows);
  const cell = cursor === undefined ? undefined : { x: layout.columnOf[cursor] ?? 0, y: row - top.current };
  useLiveCursor(element, cell);

  const isEmpty = layout.rowOf.length === 1;
  const painted =
    selection === undefined
      ? undefined
      : markedRows(units, layout, selection, (text) => theme.underline(theme.warning(text)), theme.accent);
  const visible = layout.rows.slice(top.current, top.current + maxRows);
  return (
    <Box ref={element} flexDirection="column" flexGrow={1}>
      {isEmpty ? (
        <Text wrap="truncate">{placeholder === '' ? ' ' : theme.dim(placeholder)}</Text>
      ) : (
        visible.map((shown, index) => (
          // Rows have no identity: the third row is whatever is there.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Text key={index} wrap="truncate">
            {painted?.[top.current + index] ?? paintRow(shown, theme)}
          </Text>
        ))
      )}
    </Box>
  );
}

/** The first visible row; scrolls as little as needed to keep the cursor visible. */
function scroll(top: number, row: number, count: number, height: number): number {
  const lowest = Math.max(count - height, 0);
  return Math.min(Math.max(top, row - height + 1), row, lowest);
}

/** An empty row becomes a space, because Ink gives empty text no height. */
const paintRow = (row: Row, theme: ComposerTheme): string =>
  row.spans.map((span) => (span.isFold ? theme.accent(span.text) : span.text)).join('') || ' ';

const scopeNames: Readonly<Record<SearchScope, string>> = {
  session: 'this session',
  project: 'this project',
  all: 'all projects',
};

/** The history search, shown in place of the draft: the match, and the query below it. */
export function SearchRows({
  search,
  width,
  maxRows,
  theme,
}: {
  readonly search: HistorySearch;
  /** Cells next to the prompt sign. */
  readonly width: number;
  /** Rows of it all, at least two. */
  readonly maxRows: number;
  readonly theme: ComposerTheme;
}) {
  const element = useRef<DOMElement>(null);
  const { matches, selected, query, scope } = search;
  const match = matches[selected];
  const wanted = expand(query.units);
  const rows = useMemo(
    () => (match === undefined ? [] : searchExcerpt(match, wanted, { width, maxRows: maxRows - 1, theme })),
    [match, wanted, width, maxRows, theme],
  );
  const place = matches.length === 0 ? 'nothing found' : `${selected + 1}/${matches.length}`;
  const label = width >= 50 ? `search ${scopeNames[scope]}: ` : width >= 30 ? `${scopeNames[scope]}: ` : '? ';
  const room = Math.max(4, width - textWidth(label) - textWidth(place) - 2);
  const field = fieldView(query, room);
  useLiveCursor(element, { x: textWidth(label) + field.cursor, y: Math.max(1, rows.length) });
  const hint = truncate(
    '  Ctrl+R older · Tab edit · Enter send · Ctrl+S scope',
    width - textWidth(label) - textWidth(field.text) - textWidth(place) - 2,
  );
  return (
    <Box ref={element} flexDirection="column" flexGrow={1}>
      <Text wrap="truncate">
        {rows.length === 0 ? theme.dim(match === undefined ? 'no matching prompt' : ' ') : rows.join('\n')}
      </Text>
      <Text wrap="truncate">
        {theme.accent(label) + field.text}
        {theme.dim(`  ${place}${hint}`)}
      </Text>
    </Box>
  );
}

const maxVisible = 8;

/** The completion popup: at most eight suggestions around the selected one. */
export function SuggestionList({
  popup,
  maxRows,
  theme,
}: {
  readonly popup: Popup;
  readonly maxRows: number;
  readonly theme: ComposerTheme;
}) {
  const height = Math.min(maxVisible, Math.max(maxRows, 1));
  const count = popup.suggestions.length;
  const middle = popup.selected - Math.floor(height / 2);
  const top = Math.max(0, Math.min(middle, count - height));
  const visible = popup.suggestions.slice(top, top + height);
  const labelWidth = Math.max(...visible.map((suggestion) => suggestion.label.length));
  return (
    <Box flexDirection="column" paddingLeft={2}>
      {visible.map((suggestion, index) => {
        const isSelected = top + index === popup.selected;
        const description = suggestion.description ?? '';
        const label = description === '' ? suggestion.label : suggestion.label.padEnd(labelWidth + 2);
        // The sign marks the selection without color.
        const painted = isSelected ? theme.accent(`› ${label}`) : `  ${label}`;
        return (
          <Text key={suggestion.label} wrap={description === '' ? 'truncate-middle' : 'truncate'}>
            {painted + theme.dim(description)}
          </Text>
        );
      })}
    </Box>
  );
}

/** One row while a chord is incomplete: the keys pressed so far and the possible next keys. */
export function ChordHint({
  pending,
  keymap,
  width,
  theme,
}: {
  readonly pending: string;
  readonly keymap: Keymap;
  readonly width: number;
  readonly theme: ComposerTheme;
}) {
  const next = chordsAfter(keymap, pending).map(
    ({ keys, action }) => `${showKeys(keys)} ${action.description}`,
  );
  return <Text>{theme.dim(truncate(`  ${showKeys(pending)} …  ${next.join(' · ')}`, width))}</Text>;
}

/** How long an incomplete chord waits for its next key, in ms. */
const CHORD_MS = 1500;

/** Calls `onTimeout` if no key follows the start of a chord. */
export function useChordTimeout(pending: string | undefined, onTimeout: () => void): void {
  const newest = useRef(onTimeout);
  newest.current = onTimeout;
  useEffect(() => {
    if (pending === undefined) return;
    const timer = setTimeout(() => newest.current(), CHORD_MS);
    return () => clearTimeout(timer);
  }, [pending]);
}
