/** The files that a command changed, on one row under its output. */
import type { FileChange } from '../../protocol/entries/fields.ts';
import type { Theme } from '../theme.ts';
import { revealLine } from './sanitize.ts';
import { textWidth, truncate } from './width.ts';

/** One row of at most `width` columns, as many files as fit and how many more; none for no files. */
export function changedFilesRow(
  files: readonly FileChange[],
  { cwd, width, theme }: { readonly cwd: string; readonly width: number; readonly theme: Theme },
): string[] {
  const words = files.map((file) => wordOf(file, cwd));
  const [first] = words;
  if (first === undefined) return [];
  let row = first;
  let shown = 1;
  for (; shown < words.length; shown += 1) {
    const longer = `${row}, ${words[shown]}`;
    const rest = words.length - shown - 1;
    if (textWidth(longer) + (rest === 0 ? 0 : textWidth(moreOf(rest))) > width - 4) break;
    row = longer;
  }
  const more = shown === words.length ? '' : moreOf(words.length - shown);
  const room = Math.max(1, width - 4 - textWidth(more));
  return [theme.dim(`  ✎ ${truncate(row, room)}${more}`)];
}

/** E.g. "lib/a.ts +1 −2", "b.txt new", "c.txt gone". */
function wordOf({ path, kind, added = 0, removed = 0 }: FileChange, cwd: string): string {
  const short = revealLine(path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path);
  if (kind === 'deleted') return `${short} gone`;
  const lines = added + removed === 0 ? '' : ` +${added} −${removed}`;
  return kind === 'created' ? `${short} new${lines}` : short + lines;
}

function moreOf(many: number): string {
  return ` … +${many}`;
}
