/** Several reads and searches on one line. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { toolNames } from '../../protocol/toolNames.ts';
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
    const { name: tool = toolNames.read, status = 'ok', display } = only;
    return renderToolLine(
      { tool, title: display?.title ?? '', summary: display?.summary, status },
      width,
      theme,
    );
  }
  const isPartial = results.some(({ status }) => status === 'partial');
  const reads = results.filter(({ name }) => name === toolNames.read);
  const files = new Set(reads.map(({ display }) => display?.title)).size;
  const searches = results.length - reads.length;
  const said = [
    ...(files === 0 ? [] : [`read ${count(files, 'file')}`]),
    ...(searches === 0 ? [] : [`searched ${count(searches, 'pattern')}`]),
    ...(isPartial ? ['partial'] : []),
  ].join(', ');
  const head = truncate(said.charAt(0).toUpperCase() + said.slice(1), width - 2);
  const room = width - 2 - textWidth(head) - 2;
  const names = [...new Set(results.map(nameOf).filter((name) => name !== ''))].join(', ');
  const tail = room < 8 || names === '' ? '' : theme.dim(`  ${truncate(names, room)}`);
  const mark = isPartial ? theme.warning('◐') : theme.success('●');
  return `${mark} ${theme.strong(head)}${tail}`;
}

/** What was looked at; of a part, which: `a.ts (lines 1-200 of 900)`. */
function nameOf({ display, status }: NonNullable<JSONLEntry['toolResult']>): string {
  const part = status === 'partial' && display?.summary !== undefined ? ` (${display.summary})` : '';
  return sanitizeLine(reveal(`${display?.title ?? ''}${part}`));
}
