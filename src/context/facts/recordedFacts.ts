/**
 * Facts that the program knows better than a model, for the end of a summary: changed and read files, the last test
 * run, the todo list, where to recall the archived part, and the shell's directory. Derived from the log each time, so
 * that they are never outdated.
 */
import { isAbsolute, relative, sep } from 'node:path';
import type { Todo } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { type ChangedFile, evictedPrefixOf, type KnownFacts } from '../history/evictedPrefix.ts';
import { headerOf } from '../sessionEntries.ts';
import { headOf } from '../tokens/truncate.ts';
import { currentOutcomes } from './commandRuns.ts';
import { knownFacts } from './knownFacts.ts';

/** First and last `seq` of the entries that a summary replaces. */
interface ArchivedRange {
  readonly from: number;
  readonly to: number;
}

/**
 * A section of at most `maxCharacters`; empty if there are no facts. `entries` is the whole live log: later entries
 * decide which facts are still true. If room is short, files first lose their details, then the oldest are only
 * counted.
 */
export function recordedFacts(
  entries: readonly JSONLEntry[],
  maxCharacters: number,
  archived: ArchivedRange | undefined,
): string {
  const facts = knownFacts(entries);
  const root = entries[0]?.cwd ?? '';
  const others = [
    ...outcomeLines(facts),
    ...todoLines(latestTodos(entries)),
    ...(archived === undefined ? [] : [pointerLine(archived)]),
  ];
  const room = maxCharacters - lengthOf([RECORDED_HEADING, ...others]);
  const changed = fileLines(facts.files, root, room);
  const read = readLine(filesRead(entries, facts.files), root, room - lengthOf(changed));
  const lines = [...changed, ...read, ...others];
  const text = [RECORDED_HEADING, ...lines].join('\n');
  return lines.length === 0 || text.length > maxCharacters ? '' : text;
}

/** First line of the section. */
export const RECORDED_HEADING = '### Recorded by the program';

/** The todo list of the last tool result that has one. */
function latestTodos(entries: readonly JSONLEntry[]): readonly Todo[] {
  return entries.findLast((entry) => entry.toolResult?.todos !== undefined)?.toolResult?.todos ?? [];
}

function fileLines(files: readonly ChangedFile[], root: string, maxCharacters: number): string[] {
  if (files.length === 0) return [];
  const heading = 'Files changed in this session, newest last:';
  const full = [heading, ...files.map((file) => fullLine(file, root))];
  if (lengthOf(full) <= maxCharacters) return full;
  const bare = files.map((file) => bareLine(file, root));
  if (lengthOf([heading, ...bare]) <= maxCharacters) return [heading, ...bare];
  const note = (count: number): string => `- (${count} earlier ones; Recall finds them)`;
  let left = maxCharacters - lengthOf([heading, note(files.length)]);
  const first = bare.findLastIndex((line) => {
    left -= line.length + 1;
    return left < 0;
  });
  const shown = bare.slice(first + 1);
  return shown.length === 0 ? [] : [heading, note(files.length - shown.length), ...shown];
}

/** Files that were read but not changed, newest last. The model has to know that it saw them, to read them again. */
function filesRead(entries: readonly JSONLEntry[], changed: readonly ChangedFile[]): readonly string[] {
  const paths = new Set(evictedPrefixOf(entries)?.learned.files.map(([path]) => path));
  for (const { toolResult } of entries) {
    for (const { path } of toolResult?.filesRead ?? []) {
      paths.delete(path);
      paths.add(path);
    }
  }
  for (const { path } of changed) paths.delete(path);
  return [...paths];
}

/** The newest files that fit on one line. */
function readLine(paths: readonly string[], root: string, maxCharacters: number): string[] {
  const heading = 'Files read, newest last:';
  let left = maxCharacters - heading.length - 1;
  const names = paths.map((path) => shortened(path, root));
  const first = names.findLastIndex((name) => {
    left -= name.length + 2;
    return left < 0;
  });
  const shown = names.slice(first + 1);
  return shown.length === 0 ? [] : [`${heading} ${first === -1 ? '' : '… '}${shown.join(', ')}`];
}

function fullLine({ path, kind, seq }: ChangedFile, root: string): string {
  return `- ${shortened(path, root)} (${kind}, #${seq})`;
}

function bareLine({ path, kind }: ChangedFile, root: string): string {
  return `- ${shortened(path, root)}${kind === 'deleted' ? ' (deleted)' : ''}`;
}

/** Relative to the project for files inside it. A newline in a name must not start a new line. */
function shortened(path: string, root: string): string {
  const way = root === '' ? '' : relative(root, path);
  const isOutside = way === '' || way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
  return quotedName(isOutside ? path : way);
}

const MAX_FAILING = 20;
const MAX_COMMAND = 200;

function outcomeLines({ files, commands }: KnownFacts): string[] {
  const { tests, failed } = currentOutcomes(commands);
  const since = (seq: number): string =>
    files.some((file) => file.seq > seq) ? ' Files were changed after it.' : '';
  return [
    ...(tests === undefined ? [] : [`${testLine(tests)}${since(tests.seq)}`]),
    ...(failed === undefined
      ? []
      : [
          `Last command, exit code ${failed.exitCode} (#${failed.seq}): ${code(failed.command)}.${since(failed.seq)}`,
        ]),
  ];
}

function testLine({
  command,
  seq,
  tests: { runner, passed, failed, failing },
}: NonNullable<ReturnType<typeof currentOutcomes>['tests']>): string {
  const names = failing.slice(0, MAX_FAILING).map(oneLine);
  const more = failing.length > names.length ? `; and ${failing.length - names.length} more` : '';
  const named = names.length === 0 ? '' : ` Failing then: ${names.join('; ')}${more}.`;
  return `Last test run (${runner}, #${seq}): ${failed} failed, ${passed} passed; ${code(command)}.${named}`;
}

function code(command: string): string {
  return `\`${oneLine(command)}\``;
}

/** Reports a completed list too: otherwise an earlier mention of open items would be outdated. */
function todoLines(todos: readonly Todo[]): string[] {
  if (todos.length === 0) return [];
  if (todos.every(({ status }) => status === 'completed')) return [`Todo list: all ${todos.length} done`];
  return ['Todo list:', ...todos.map(({ status, content }) => `- [${status}] ${oneLine(content)}`)];
}

function pointerLine({ from, to }: ArchivedRange): string {
  return `Everything archived is still there as #${from}-#${to}: Recall shows an entry ("#${to}"), a range, or what a query finds.`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= MAX_COMMAND ? line : `${headOf(line, MAX_COMMAND - 1)}…`;
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length + 1, 0);
}

/**
 * One line about the shell's directory and the paths of a summary; empty if the shell is at the project's `root` and
 * the model never had another directory. `shell` and `root` are absolute, `entries` are those in effect.
 */
export function shellDirectoryNote(entries: readonly JSONLEntry[], shell: string, root: string): string {
  if (shell === root && !namesAnotherDirectory(entries, root)) return '';
  // A newline in a name must not start a new line.
  return `The shell is in ${shell}: tools resolve relative paths there. Paths in this summary are relative to ${root}.`.replace(
    /[\n\r]/g,
    '?',
  );
}

/** True if the header, an environment note or an earlier summary named a directory other than `root`. */
function namesAnotherDirectory(entries: readonly JSONLEntry[], root: string): boolean {
  const { directory = root } = headerOf(entries)?.environment ?? {};
  return (
    directory !== root ||
    entries.some(
      ({ subtype, isCompactSummary, cwd }) =>
        (subtype === 'environment' || isCompactSummary === true) && cwd !== root,
    )
  );
}
