/**
 * Decides which words of commands name data, so that a change to these files runs nothing new: what the commands write
 * or only print, and what options or variables call a database or a log. Only files named like data qualify, and in
 * case of doubt a word is not data. Pure.
 */
import { isInterpreter, isPlainShell } from '../../permissions/options/runnerNames.ts';
import type { ReadCommand, ShellText, Texts } from './shellText.ts';

/** What is data in one text. */
interface TextData {
  /** Words of its commands, as the same objects. */
  readonly words: ReadonlySet<Texts>;
  /** What it prints goes neither to a file that it may run nor to a program that may do more than print it. */
  readonly isOnlyShown: boolean;
  /** It can start nothing, so the values of its variables are data, too. */
  readonly isInert: boolean;
}

/** `isShown`: what the text prints is only shown. */
export function dataWords(text: Omit<ShellText, 'values'>, isShown: boolean): TextData {
  const { commands, outputs, functions } = text;
  const isOneOf = (names: RegExp, { words: [program = []] }: ReadCommand): boolean => {
    const [name = ''] = program;
    return program.length === 1 && names.test(name) && !functions.has(name);
  };
  const isPrinting = (command: ReadCommand): boolean => isOneOf(printing, command);
  const copies = commands.filter((command) => isOneOf(/^tee$/, command));
  const made = commands.filter((command) => isOneOf(/^(?:touch|mkdir|rm|rmdir)$/, command));
  const others = commands.filter(
    (command) => !isPrinting(command) && ![...copies, ...made].includes(command) && !isOneOf(inert, command),
  );
  const written = copies.flatMap(({ words }) => words.slice(1).filter((word) => !word[0]?.startsWith('-')));
  const used = namesIn(others);
  const isUnread = (word: Texts): boolean => word.every((one) => isKnown(one) && !used(one));
  const isKept = (word: Texts): boolean => isUnread(word) && isNamed(word, [data, notes]);
  // What is printed must not become the input or the text of another program.
  const isOnlyShown =
    isShown && [...outputs, ...written].every(isKept) && others.every(({ isFed }) => !isFed);
  const shown = commands.filter((command) => isOnlyShown && isPrinting(command) && !command.isCaptured);
  return {
    words: new Set([
      ...written.filter(isUnread),
      // These programs write no content to a file.
      ...made.flatMap(({ words }) => words.slice(1).filter(isUnread)),
      ...shown.flatMap((command) =>
        [...command.words.slice(1), ...command.inputs].filter((word) =>
          isOneOf(unread, command) ? isNoCode(word) : isNamed(word, [data, notes]),
        ),
      ),
      ...commands.flatMap(argumentsOf),
      ...commands.flatMap(({ words }) => words.filter((word, at) => isLabelled(word, words[at - 1]))),
    ]),
    isOnlyShown,
    isInert: isOnlyShown && others.length === 0,
  };
}

/** False for text that a shell may run when it evaluates it as arithmetic. */
export const isNoCode = (texts: Texts): boolean => !texts.some((text) => /\$\(|`/.test(text));

/** True if the name of a variable says that its value is a database, a log or something else that changes. */
export const isDataValue = (name: string, texts: Texts): boolean =>
  labels.test(name.replaceAll('_', '-')) && isNamed(texts, [data]);

/** Files that change all the time and whose changes run nothing: databases, logs. */
const data = /\.(?:log|jsonl|db|sqlite3?|duckdb|csv|tsv|parquet|pid)$/i;
/** Text from which a program might also take instructions. */
const notes = /\.(?:lock|md|txt)$/i;

/** Programs that print files and can do nothing else with them. */
const printing = /^(?:cat|head|tail|grep|wc|jq|echo|printf|test|\[|\[\[|ls|stat|cut|tr|true)$/;
/** Those of them that read no files: their words are text, or files that they only test. */
const unread = /^(?:echo|printf|test|\[|\[\[|ls|stat|true)$/;
/** Shell builtins that start nothing. */
const inert = /^(?::|break|cd|continue|exit|local|read|return|set|shift|shopt|unset)$/;
/** True for a program that only prints files: its options name no code. */
export const isPrinter = (name: string): boolean => printing.test(name);

const labels =
  /^(?:.*-)?(?:(?:db|database|sqlite|log|memory|pid|output|report)-?(?:file-?)?(?:path|file)?)$/i;

const isKnown = (text: string): boolean => text !== '' && !/[\uE000\uE001]/.test(text);

const isNamed = (word: Texts, names: readonly RegExp[]): boolean =>
  word.length > 0 &&
  word.every(
    (text) => /^[^\s'"`;&|<>()=,[\]{}]+$/.test(text) && isKnown(text) && names.some((one) => one.test(text)),
  );

const baseOf = (text: string): string => text.replace(/^.*\//s, '');

/** Returns a test for the names of files that these commands may use. */
function namesIn(commands: readonly ReadCommand[]): (text: string) => boolean {
  const texts = commands.flatMap(({ words, inputs, documents }) =>
    [...words, ...inputs, ...documents].flat(),
  );
  const isAny = texts.some((text) => !isKnown(text) && text !== '');
  const names = new Set(texts.flatMap((text) => text.split(/[\s'"`;&|<>()=,[\]{}]+/)).map(baseOf));
  return (text) => isAny || names.has(baseOf(text));
}

/** The arguments of a script that is no shell script: `node server.js ./store.db`. */
function argumentsOf({ words }: ReadCommand): readonly Texts[] {
  const name = baseOf(words[0]?.[0] ?? '');
  if (words[0]?.length !== 1 || isPlainShell(name)) return [];
  const at = isInterpreter(name)
    ? words.findIndex((word, index) => index > 0 && !word[0]?.startsWith('-'))
    : 0;
  const isFirst = at === 0 || words.slice(1, at).every((word) => word.every((text) => plainFlag.test(text)));
  const isScript = at !== -1 && words[at]?.length === 1 && script.test(words[at]?.[0] ?? '');
  return isFirst && isScript ? words.slice(at + 1).filter((word) => isNamed(word, [data, notes])) : [];
}

const script = /^[^\uE000\uE001\s]*[^/\uE000\uE001\s]\.(?:[cm]?[jt]s|py|rb|pl|php)$/;
/** Options after which no value follows. */
const plainFlag = /^(?:-[suBEIO]+|--(?:no-[\w-]+|enable-source-maps|experimental-strip-types))$/;

/** `--db-path ./store.db` */
const isLabelled = (word: Texts, before: Texts = []): boolean =>
  before.length === 1 &&
  /^--/.test(before[0] ?? '') &&
  labels.test(before[0]?.slice(2) ?? '') &&
  isNamed(word, [data]);
