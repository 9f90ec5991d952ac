import { Box, type DOMElement, Text } from 'ink';
import { useMemo, useRef } from 'react';
import { fieldView } from '../components/field.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { ComposerTheme } from './composerTheme.ts';
import type { HistorySearch, SearchScope } from './historySearch.ts';
import { searchExcerpt } from './searchExcerpt.ts';
import { expand } from './units.ts';
import { useLiveCursor } from './useLiveCursor.ts';

const scopeNames: Readonly<Record<SearchScope, string>> = {
  session: 'this session',
  project: 'this project',
  all: 'all projects',
};

/** The history search in place of the draft: the match, and below it what is searched for. */
export function SearchRows({
  search,
  width,
  maxRows,
  theme,
}: {
  readonly search: HistorySearch;
  /** Cells beside the prompt sign. */
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
