/** Code and scripts that a command passes to a program as text, for deny and ask rules about commands. Pure. */
import { programName } from '../options/programTable.ts';
import { isPlainShell, takesCode } from '../options/runnerNames.ts';
import { startsFromInput } from '../options/standardInput.ts';
import type { CommandPart } from '../shell/parsedCommand.ts';
import { callsIn } from './forbidden/equivalentCalls.ts';

/** The here-document that a shell runs, perhaps one that another program starts; the rules apply to it as to a command. */
export function scriptFromInput({ argv, inputText }: CommandPart): string | undefined {
  const names = [argv[0], argv.at(-1)].map((word) => programName(word));
  const runsIt = names.some(isPlainShell) || names[0] === 'ssh';
  return runsIt && startsFromInput(argv) ? inputText : undefined;
}

/** Code among the words of an interpreter, perhaps one that another program starts, or in a here-document for it. */
export function codeIn(part: CommandPart): readonly string[] {
  const argv = callsIn(part).find((call) => takesCode(programName(call.argv[0])))?.argv;
  if (argv === undefined) return [];
  const words = argv.slice(1).flatMap((word) => (word !== null && !isName.test(word) ? [word] : []));
  const input = startsFromInput(argv) ? part.inputText : undefined;
  return input === undefined ? words : [...words, input];
}

/** An option, or the name of a file or module. */
const isName = /^[\w./:@%+~,=-]*$/;

/**
 * The code unchanged, and with lists as commands: `['rm', 'x']`, `run('rm', ['x'])`, `Command("rm", {args: ["x"]})`.
 */
export const commandsInCode = (code: string): readonly string[] => [
  code,
  code.replace(/["'`\s]*,["'`\s]*/g, ' ').replace(/[[\]]/g, ';'),
  code.replace(/["'`\s]*,[\s{]*(?:\w+\s*:\s*)?\[?[\s"'`]*/g, ' ').replace(/[[\]]/g, ';'),
];

/** What starts other programs, in the languages of interpreters; in awk and Perl a pipe does, in Ruby and PHP a backtick. */
const startsPrograms =
  /exec|spawn|popen|system|subprocess|command|process|shell|passthru|\brun\b|\bfork|\bpipe\b|%x|qx|`|(?<!\|)\|(?!\|)/i;

/** True if code starts programs and contains all words with which a rule begins, in whatever form. */
export function mayBeBuilt(text: string, code: string): boolean {
  const words = text.split(' ').filter((word) => /^[\w.+-]+$/.test(word));
  if (words.length === 0 || !startsPrograms.test(code)) return false;
  return words.every((word) =>
    new RegExp(`(?<![\\w-])${word.replace(/[.+]/g, '\\$&')}(?![\\w-])`).test(code),
  );
}
