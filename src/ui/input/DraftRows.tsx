import { Box, type DOMElement, Text } from 'ink';
import { useRef } from 'react';
import type { ComposerTheme } from './composerTheme.ts';
import type { Layout, Row } from './layout.ts';
import type { Mark } from './markedRows.ts';
import { markedRows } from './markedRows.ts';
import type { Unit } from './units.ts';
import { useLiveCursor } from './useLiveCursor.ts';

/** Draws the rows around the cursor, at most `maxRows`, and puts the terminal's cursor among them. */
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
  /** A position in the layout; undefined while the composer is inactive. */
  readonly cursor: number | undefined;
  readonly maxRows: number;
  readonly theme: ComposerTheme;
  /** Shown while the draft is empty. */
  readonly placeholder: string;
  /** What was laid out, and which of it is selected. */
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
          // Rows have no identity of their own: the third row is whatever stands there.
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Text key={index} wrap="truncate">
            {painted?.[top.current + index] ?? paintRow(shown, theme)}
          </Text>
        ))
      )}
    </Box>
  );
}

/** The first row to show: as little movement as keeps the cursor's row in sight. */
function scroll(top: number, row: number, count: number, height: number): number {
  const lowest = Math.max(count - height, 0);
  return Math.min(Math.max(top, row - height + 1), row, lowest);
}

/** A row without text is a space: Ink gives an empty text no height. */
const paintRow = (row: Row, theme: ComposerTheme): string =>
  row.spans.map((span) => (span.isFold ? theme.accent(span.text) : span.text)).join('') || ' ';
