import type { ComposerTheme } from './composerTheme.ts';
import { clean } from './graphemes.ts';
import { stretchOf } from './historySearch.ts';
import { layOut } from './layout.ts';
import { abbreviate, unitsOf } from './units.ts';

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
  const rows = layout.rows.map(() => ({ before: '', match: '', after: '' }));
  for (const [at, unit] of units.entries()) {
    const row = rows[layout.rowOf[at] ?? 0];
    if (row === undefined || unit === '\n') continue;
    const text = unit === '\t' ? '    ' : abbreviate([unit]);
    if (found === undefined || at < found.from) row.before += text;
    else if (at < found.to) row.match += text;
    else row.after += text;
  }
  const row = found === undefined ? 0 : (layout.rowOf[found.from] ?? 0);
  const top = Math.max(0, Math.min(row - 1, rows.length - maxRows));
  return rows
    .slice(top, top + maxRows)
    .map(
      ({ before, match, after }) =>
        before + (match === '' ? '' : theme.underline(theme.warning(match))) + after || ' ',
    );
}

/** The part of a long prompt that holds the match, begun at a line where one is near. */
function excerptOf(prompt: string, query: string): string {
  if (prompt.length <= 2 * AROUND) return prompt;
  const at = Math.max(0, prompt.toLowerCase().indexOf(query.toLowerCase()));
  const from = Math.max(0, at - AROUND);
  return prompt.slice(from, at + AROUND).toWellFormed();
}
