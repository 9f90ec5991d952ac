/** How a skill or custom command becomes a prompt: its commands are run, its instructions become an entry. */
import { dirname } from 'node:path';
import type { NewEntry } from '../protocol/entries.ts';
import type { Op, PromptOp } from '../protocol/ops.ts';
import type { SkillPart, SkillText } from '../protocol/skills.ts';
import { quotedName } from '../protocol/text/quotedName.ts';

/** Characters of one command's output; the model can run it again to see more. */
const MAX_OUTPUT = 20_000;

/** What came of one command of a skill's text. */
export interface InlineRun {
  readonly status: string;
  /** The output, or why it did not run. */
  readonly text: string;
  readonly ran: boolean;
  /** What let it run. */
  readonly basis?: string;
  /** The user stopped everything when asked about it. */
  readonly stop?: boolean;
}

/**
 * Runs the commands in order and puts their output in their place. One that may not run leaves a note; an abort ends it
 * early.
 */
export async function fillInCommands(
  parts: readonly SkillPart[],
  signal: AbortSignal,
  run: (command: string) => Promise<InlineRun>,
): Promise<Pick<SkillText, 'text' | 'commands'>> {
  const commands: NonNullable<SkillText['commands']>[number][] = [];
  let text = '';
  for (const part of parts) {
    if (part.type === 'text') {
      text += part.text;
      continue;
    }
    if (signal.aborted) break;
    const { command } = part;
    const { status, text: output, ran, basis } = await run(command);
    commands.push({ command, status, ...(basis === undefined ? {} : { basis }) });
    text += ran ? cut(output.trimEnd()) : `(${output})`;
  }
  return { text, ...(commands.length === 0 ? {} : { commands }) };
}

/** The text of parts without commands. */
export function textOfParts(parts: readonly SkillPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : `!\`${part.command}\``)).join('');
}

function cut(output: string): string {
  if (output.length <= MAX_OUTPUT) return output;
  return `${output.slice(0, MAX_OUTPUT).toWellFormed()}\n(cut: ${output.length - MAX_OUTPUT} more characters)`;
}

/** The prompt that runs a skill. A skill's instructions go along as an entry; a command's text is the prompt itself. */
export function skillPrompt(
  { skill: { kind, name, file }, display }: Extract<Op, { type: 'use_skill' }>,
  { text, commands }: Pick<SkillText, 'text' | 'commands'>,
): PromptOp {
  if (kind === 'command')
    return { type: 'prompt', text, display, typed: display, ...(commands && { commands }) };
  return { type: 'prompt', text: display, skill: { name, file, text, ...(commands && { commands }) } };
}

/** The entry that holds a skill's instructions. `callId`: of the tool call that asked for them. */
export function skillEntry({ name, file, text, commands }: SkillText, callId?: string): NewEntry {
  return {
    type: 'user',
    subtype: 'skill',
    message: {
      role: 'user',
      content: `# Skill ${name}\n\nFolder of this skill: ${quotedName(dirname(file))}\n\n${text.trim()}`,
    },
    data: {
      name,
      file,
      ...(callId === undefined ? {} : { callId }),
      ...(commands && { commands: [...commands] }),
    },
  };
}
