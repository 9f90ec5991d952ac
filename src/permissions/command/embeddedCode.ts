/** Code and scripts that a command passes to a program as text, for deny and ask rules about commands. Pure. */
import { programName } from '../options/programTable.ts';
import { isPlainShell, takesCode } from '../options/runnerNames.ts';
import { startsFromInput } from '../options/standardInput.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';

/** The here-document that a shell runs, perhaps one that another program starts; the rules apply to it as to a command. */
export function scriptFromInput({ argv, inputText }: CommandPart): string | undefined {
  const names = [argv[0], argv.at(-1)].map((word) => programName(word));
  const runsIt = names.some(isPlainShell) || names[0] === 'ssh';
  return runsIt && startsFromInput(argv) ? inputText : undefined;
}

/** Code among the words, or in a here-document, that may start a program by name. */
export function codeIn(part: CommandPart): readonly string[] {
  const { argv } = part;
  if (!takesCode(programName(argv[0]))) return [];
  const words = argv.slice(1).flatMap((word) => (word !== null && /[(\s]/.test(word) ? [word] : []));
  const input = startsFromInput(argv) ? part.inputText : undefined;
  return input === undefined ? words : [...words, input];
}

/**
 * The code unchanged, and with lists as commands: `['rm', 'x']`, `run('rm', ['x'])`, `Command("rm", {args: ["x"]})`.
 */
export const commandsInCode = (code: string): readonly string[] => [
  code,
  code.replace(/["'`\s]*,["'`\s]*/g, ' ').replace(/[[\]]/g, ';'),
  code.replace(/["'`\s]*,[\s{]*(?:\w+\s*:\s*)?\[?[\s"'`]*/g, ' ').replace(/[[\]]/g, ';'),
];

/** What starts other programs, in the languages of interpreters. */
const startsPrograms = /exec|spawn|popen|system|subprocess|command|process|shell|\brun\b|\bfork|%x|qx|\$`/i;

/** True if code starts programs and contains all words with which a rule begins, in whatever form. */
export function mayBeBuilt(text: string, code: string): boolean {
  const words = text.split(' ').filter((word) => /^[\w.+-]+$/.test(word));
  if (words.length === 0 || !startsPrograms.test(code)) return false;
  return words.every((word) =>
    new RegExp(`(?<![\\w-])${word.replace(/[.+]/g, '\\$&')}(?![\\w-])`).test(code),
  );
}
