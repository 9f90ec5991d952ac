/** The page of `/keys`: each key with its action, grouped by context, and how to change them. */
import type { KeysInfo } from '../types.ts';
import { blankLine, hanging, heading, type Page, type PageLine, pageLine, textLines } from './page.ts';

/** Keys wider than this share of the screen get their own line. */
const KEYS_SHARE = 0.3;

export function keysPage({ file, groups, problems }: KeysInfo): Page {
  return (columns) => [
    ...groups.flatMap(({ title, context, rows }) => [
      heading(`${title} (${context})`),
      ...rows.flatMap((row) => rowLines(row, columns)),
      blankLine,
    ]),
    ...textLines(`Change them in ${file}, for example:`, 0),
    ...textLines('{ "Chat": { "ctrl+e": "chat:externalEditor", "ctrl+s": null } }', 2),
    ...problems.flatMap((problem) => textLines(problem, 0, 'warning')),
  ];
}

function rowLines(
  { keys, description, action, isFixed }: KeysInfo['groups'][number]['rows'][number],
  columns: number,
): readonly PageLine[] {
  const room = Math.max(8, Math.floor(columns * KEYS_SHARE));
  const indent = ' '.repeat(2);
  const names = keys.length === 0 ? 'no key' : keys.join(', ');
  const rest = [description, { text: `  ${action}${isFixed ? ', fixed' : ''}`, role: 'dim' } as const];
  if (names.length <= room) {
    const line = pageLine(indent, { text: names.padEnd(room), role: 'accent' }, '  ', ...rest);
    return [hanging(line, room + 4)];
  }
  const left = ' '.repeat(room + 4);
  return [pageLine(indent, { text: names, role: 'accent' }), pageLine(left, ...rest)];
}
