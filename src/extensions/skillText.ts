/** Fills arguments into the text of a skill or command. Pure. */
import type { SkillPart } from '../protocol/extensions/skills.ts';

interface SkillArguments {
  /** The arguments as typed by the user or given by the model. */
  readonly args: string;
  readonly sessionId: string;
  /** Absolute path of the folder that contains the file. */
  readonly directory: string;
}

/** Maximum number of commands run per file; any more stay text. */
const MAX_COMMANDS = 20;

/**
 * Fills in `$ARGUMENTS`, `$ARGUMENTS[0]`, `$1`, `${CLAUDE_SESSION_ID}` and `${CLAUDE_SKILL_DIR}`. The first argument is
 * `$0` in files that use `$0`, and `$1` in all others: both conventions exist. If the file uses no arguments, they are
 * appended. Only commands in the file itself are run; an argument never becomes a command.
 */
export function fillIn(body: string, { args, sessionId, directory }: SkillArguments): readonly SkillPart[] {
  const words = splitArguments(args);
  const first = /\$0(?!\d)/.test(body) ? 0 : 1;
  let isUsed = false;
  const fill = (text: string): string =>
    text.replace(VARIABLE, (_, index?: string, digit?: string, name?: string) => {
      if (name !== undefined) return name === 'CLAUDE_SKILL_DIR' ? directory : sessionId;
      isUsed = true;
      if (index !== undefined) return words[Number(index)] ?? '';
      return digit === undefined ? args : (words[Number(digit) - first] ?? '');
    });
  const parts: SkillPart[] = [];
  let from = 0;
  let commands = 0;
  for (const { 0: whole, 1: inline = '', 2: block = inline, index } of body.matchAll(COMMAND)) {
    if (block.trim() === '' || ++commands > MAX_COMMANDS) continue;
    parts.push({ type: 'text', text: fill(body.slice(from, index)) });
    parts.push({ type: 'command', command: fill(block.trim()) });
    from = index + whole.length;
  }
  parts.push({ type: 'text', text: fill(body.slice(from)) });
  if (!isUsed && args.trim() !== '') parts.push({ type: 'text', text: `\n\nARGUMENTS: ${args}` });
  return parts.filter((part) => part.type === 'command' || part.text !== '');
}

const VARIABLE =
  /\$ARGUMENTS(?:\[(\d{1,3})\])?|\$(\d)(?!\d)|\$\{(CLAUDE_SESSION_ID|CLAUDE_SKILL_DIR|CLAWDCODE_SESSION_ID)\}/g;

/**
 * Matches `` !`command` `` at the start of a line or after whitespace, and fenced blocks marked `!`. A block ends at the next fence:
 * looking for a later one from each of thousands of openings would take minutes.
 */
const COMMAND = /(?<=^|\s)!`([^`\n]+)`|(?<=^|\n)```![ \t\r]*\n((?:(?!```)[^\n]*\n)*?)```(?=\n|$)/g;

/** Splits arguments at whitespace, except inside quotes. */
function splitArguments(args: string): readonly string[] {
  const words: string[] = [];
  for (const [, double, single, bare] of args.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g))
    words.push(double?.replace(/\\(["\\])/g, '$1') ?? single ?? bare ?? '');
  return words;
}
