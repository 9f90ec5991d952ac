/** Several reads and searches on one line. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Theme } from '../theme.ts';
import { count } from './numbers.ts';
import { reveal, sanitizeLine } from './sanitize.ts';
import { renderToolLine } from './toolLine.ts';
import { textWidth, truncate } from './width.ts';

/** E.g. `● Read 8 files, searched 1 pattern  a.ts, b.ts, "TODO" in src…`; of a single result, its own line. */
export function renderReads(entries: readonly JSONLEntry[], width: number, theme: Theme): string {
  const results = entries.flatMap(({ toolResult }) => toolResult ?? []);
  const [only] = results;
  if (only !== undefined && results.length === 1) {
    const { name: tool = 'Read', status = 'ok', display } = only;
    return renderToolLine(
      { tool, title: display?.title ?? '', summary: display?.summary, status },
      width,
      theme,
    );
  }
  const titles = results.map(({ display }) => sanitizeLine(reveal(display?.title ?? '')));
  const files = new Set(titles.filter((_, index) => results[index]?.name === 'Read'));
  const searches = results.filter(({ name }) => name !== 'Read').length;
  const said = [
    ...(files.size === 0 ? [] : [`read ${count(files.size, 'file')}`]),
    ...(searches === 0 ? [] : [`searched ${count(searches, 'pattern')}`]),
  ].join(', ');
  const head = truncate(said.charAt(0).toUpperCase() + said.slice(1), width - 2);
  const room = width - 2 - textWidth(head) - 2;
  const names = [...new Set(titles.filter((title) => title !== ''))].join(', ');
  const tail = room < 8 || names === '' ? '' : theme.dim(`  ${truncate(names, room)}`);
  return `${theme.success('●')} ${theme.strong(head)}${tail}`;
}
