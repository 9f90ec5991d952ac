import type { ComposerTheme } from './composerTheme.ts';
import { clean } from './graphemes.ts';
import { stretchOf } from './historySearch.ts';
import { layOut } from './layout.ts';
import { markedRows } from './markedRows.ts';
import { unitsOf } from './units.ts';

/** Characters around the match that are laid out: a prompt may hold a whole file. */
const AROUND = 4000;

/** The rows of a prompt around what was searched for, at most `maxRows`, what was found painted. */
export function searchExcerpt(
  prompt: string,
  query: string,
  {
    width,
    maxRows,
    theme,
  }: { readonly width: number; readonly maxRows: number; readonly theme: ComposerTheme },
): readonly string[] {
  const units = unitsOf(excerptOf(clean(prompt), query));
  const found = stretchOf(units, query);
  const layout = layOut(units, width);
  const rows = markedRows(units, layout, found, (text) => theme.underline(theme.warning(text)));
  const row = found === undefined ? 0 : (layout.rowOf[found.from] ?? 0);
  const top = Math.max(0, Math.min(row - 1, rows.length - maxRows));
  return rows.slice(top, top + maxRows);
}

/** The part of a long prompt that holds the match. */
function excerptOf(prompt: string, query: string): string {
  if (prompt.length <= 2 * AROUND) return prompt;
  const at = Math.max(0, prompt.toLowerCase().indexOf(query.toLowerCase()));
  return prompt.slice(Math.max(0, at - AROUND), at + AROUND).toWellFormed();
}
