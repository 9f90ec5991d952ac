/** Shows in a question how a file has changed. Pure. */
import type { ChangedFile } from '../../config/types.ts';

/** A change for display: the lines that differ, or the sizes. */
export function shownChange({ name, users, before, now, builtFor }: ChangedFile): {
  readonly what: string;
  readonly removed: readonly string[];
  readonly added: readonly string[];
} {
  const who = `${name} (${users.join(', ')})`;
  const excepted =
    builtFor === undefined
      ? ''
      : `; add ${JSON.stringify(builtFor)} to sandbox.excludedCommands in your own config.json to let builds change it`;
  const what =
    before === undefined
      ? `${who} is not in the record of what you approved: ${now.size} bytes${excepted}`
      : `${who} has changed: ${before.size} → ${now.size} bytes${excepted}`;
  if (
    before === undefined ||
    now.content === undefined ||
    (before.content === undefined && before.digest !== '')
  )
    return { what, removed: [], added: [] };
  const [old, fresh] = [before.content ?? '', now.content].map((text) => text.split('\n'));
  return { what, ...changedLines(old ?? [], fresh ?? []) };
}

/** The lines between the first and the last difference. */
export function changedLines(
  old: readonly string[],
  fresh: readonly string[],
  prefixOf: (line: number) => string = (line) => `${line}: `,
) {
  const shorter = Math.min(old.length, fresh.length);
  let start = 0;
  while (start < shorter && old[start] === fresh[start]) start++;
  let end = 0;
  while (end < shorter - start && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  const numbered = (lines: readonly string[]): string[] =>
    lines.slice(start, lines.length - end).map((line, at) => prefixOf(start + at + 1) + line);
  return { removed: numbered(old), added: numbered(fresh) };
}
