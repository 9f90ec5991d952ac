/**
 * Scripts that a command writes to a file and runs from there: `echo 'git push' > x; sh x`. Only files that the shell or
 * `tee` writes, and copies of them; what other programs write is judged like any script. Pure, apart from resolving paths.
 */
import { basename } from 'node:path';
import { locate } from '../../files/locate.ts';
import { programName } from '../../options/programTable.ts';
import { isInterpreter, isShellName } from '../../options/runnerNames.ts';
import { writerOf } from '../../options/writers.ts';
import type { Policy } from '../../policy.ts';
import type { CommandPart } from '../../shell/parsedCommand.ts';
import { track } from '../../shell/workingDirectory.ts';
import { callsIn } from './equivalentCalls.ts';

type Argv = readonly (string | null)[];

interface WrittenScript {
  /** As the shell or the interpreter would be given it; undefined if it is known only at run time. */
  readonly command: string | undefined;
  /** What runs it. */
  readonly text: string;
  readonly directory: string;
}

/** Every script that is written and run by the same command, in whatever order the parts are. */
export function writtenScripts(
  parts: readonly CommandPart[],
  cwd: string,
  policy: Policy,
): readonly WrittenScript[] {
  const visits = track(parts, cwd, policy).flatMap(({ part, directories }) =>
    (directories ?? [cwd]).map((directory) => ({ part, directory })),
  );
  const written = new Map<string, (string | undefined)[]>();
  for (const { part, directory } of visits)
    for (const target of targetsOf(part)) {
      const path = locate(target, directory, policy);
      written.set(path, [...(written.get(path) ?? []), outputOf(part)]);
    }
  if (written.size === 0) return [];
  for (const { part, directory } of visits)
    for (const path of changedWith(part, (word) => written.has(locate(word, directory, policy))))
      written.set(locate(path, directory, policy), [undefined]);
  return visits.flatMap(({ part, directory }) =>
    filesRun(part).flatMap(({ file, by }) => {
      const contents = written.get(locate(file, directory, policy));
      if (contents === undefined) return [];
      const script = contents.includes(undefined) ? undefined : contents.join('');
      return [{ command: script && commandOf(script, by), text: part.text, directory }];
    }),
  );
}

/** The files that a part writes with what it prints. */
function targetsOf({ argv, writesTo = [] }: CommandPart): readonly string[] {
  const name = programName(argv[0]);
  const copies = /^(?:tee|sponge)$/.test(name) ? operandsOf(argv.slice(1)) : [];
  const copied = name === 'dd' ? argv.flatMap((word) => /^of=(.+)$/s.exec(word ?? '')?.[1] ?? []) : [];
  return [...writesTo.filter((word) => word !== null), ...copies, ...copied];
}

/** The files that a part changes or makes from a written one: `cp`, `sed -i`. */
function changedWith({ argv }: CommandPart, isWritten: (word: string) => boolean): readonly string[] {
  const operands = operandsOf(argv.slice(1));
  const sources = operands.filter(isWritten);
  if (/^(?:tee|sponge|dd)$/.test(programName(argv[0])) || writerOf(argv) === undefined) return [];
  const inFolder = sources.flatMap((word) => operands.map((folder) => `${folder}/${basename(word)}`));
  return sources.length === 0 ? [] : [...operands, ...inFolder];
}

const operandsOf = (words: Argv): readonly string[] =>
  words.filter((word) => word !== null && !word.startsWith('-')) as string[];

/** What a part prints; undefined if only running it tells. */
function outputOf({ argv, inputText, input }: CommandPart): string | undefined {
  const name = programName(argv[0]);
  if (!/^(?:cat|tee|sponge|dd)$/.test(name)) return printedBy(argv);
  if (name === 'cat' && argv.length > 1) return undefined;
  return inputText ?? printedBy((input?.at(-1) ?? []).map((one) => (one.type === 'text' ? one.text : null)));
}

/** The text of `echo` and `printf`, if it has no escapes but for the ends of lines, and no directives but `%s`. */
function printedBy([name, ...args]: Argv): string | undefined {
  if (!/^(?:echo|printf)$/.test(name ?? '') || args.includes(null)) return undefined;
  const words = args.filter((word) => word !== null);
  if (words.some((word) => /\\[^nt"'`$]/.test(word))) return undefined;
  const text = name === 'echo' ? `${withoutFlags(words).join(' ')}\n` : formatted(words);
  return text?.replaceAll('\\n', '\n').replaceAll('\\t', '\t');
}

const withoutFlags = (words: readonly string[]): readonly string[] =>
  /^-[neE]+$/.test(words[0] ?? '') ? withoutFlags(words.slice(1)) : words;

/** printf(1): the format is used again as long as there are words. */
function formatted([format = '', ...words]: readonly string[]): string | undefined {
  if (/%[^s]|%$/.test(format)) return undefined;
  const size = format.split('%s').length - 1;
  if (size === 0) return format;
  let text = '';
  for (let at = 0; at === 0 || at < words.length; at += size) {
    const values = words.slice(at, at + size);
    text += format.replace(/%s/g, () => values.shift() ?? '');
  }
  return text;
}

/** The files that a part may run as scripts, with the name of the interpreter; a shell if it has none. */
function filesRun(part: CommandPart): readonly { readonly file: string; readonly by?: string }[] {
  const calls = [part, { argv: part.full, raw: part.fullRaw }].flatMap(callsIn);
  return calls.flatMap(({ argv: [first, ...words] }) => {
    const name = programName(first);
    const operands = operandsOf(words);
    if (isShellName(name) || name === '.' || name === 'source') return operands.map((file) => ({ file }));
    if (isInterpreter(name)) return operands.map((file) => ({ file, by: name }));
    return first?.includes('/') ? [{ file: first }] : [];
  });
}

/** The first line of a script may name its interpreter. */
function commandOf(script: string, by: string | undefined): string {
  const named = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(script)?.[1];
  const interpreter = by ?? (named && programName(named));
  if (interpreter === undefined || !isInterpreter(interpreter)) return script;
  const body = script.replaceAll(END, '');
  return `${interpreter} <<'${END}'\n${body}\n${END}`;
}

const END = 'END_OF_SCRIPT';
