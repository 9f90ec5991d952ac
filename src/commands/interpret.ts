import { nearest } from '../config/nearest.ts';
import { counterpartOf } from './otherAgents.ts';
import type { Command } from './types.ts';

/** The meaning of a line of input. */
type Interpretation =
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'command'; readonly command: Command; readonly args: string }
  | ({ readonly type: 'unknown' } & UnknownCommand);

interface UnknownCommand {
  readonly name: string;
  /** What to do instead of a command that other agents have. */
  readonly advice?: string;
  readonly suggestion?: string | undefined;
}

/**
 * Distinguishes commands from prompts. Only a bare word after the slash is a command name, so a path (`/usr/bin/x is
 * slow`) is a prompt; a leading space makes anything a prompt.
 */
export function interpret(text: string, commands: readonly Command[]): Interpretation {
  const shell = /^!\s*(\S[\s\S]*)$/.exec(text)?.[1];
  if (shell !== undefined) return { type: 'shell', command: shell.trimEnd() };
  const [, name, rest = ''] = /^\/([A-Za-z][\w:-]*)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return { type: 'prompt', text };
  const command = findCommand(name, commands);
  if (command !== undefined) return { type: 'command', command, args: rest.trim() };
  // `/Users` or `/Applications is full`: command names are lower-case.
  if (/^[A-Z]/.test(name)) return { type: 'prompt', text };
  return (
    inOtherAgents(name, rest.trim(), commands) ?? { type: 'unknown', name, suggestion: near(name, commands) }
  );
}

/** Interprets a command that other agents have. */
function inOtherAgents(name: string, args: string, commands: readonly Command[]): Interpretation | undefined {
  const counterpart = counterpartOf(name);
  if (counterpart === undefined) return undefined;
  if ('advice' in counterpart) return { type: 'unknown', name, advice: counterpart.advice };
  const { same } = counterpart;
  const [ours = '', ...words] = same.split(' ');
  if (words.length > 0 && args !== '') return { type: 'unknown', name, advice: `Use /${same}.` };
  const command = findCommand(ours, commands);
  return command && { type: 'command', command, args: [...words, args].join(' ').trim() };
}

function near(name: string, commands: readonly Command[]): string | undefined {
  return nearest(
    name,
    commands.flatMap((one) => [one.name, ...one.aliases]),
  );
}

/** True if a prompt may be a command. Does not need the commands, which are not loaded for other prompts. */
export const mayBeCommand = (text: string): boolean => text.startsWith('/');

/** Finds a command by name or alias, ignoring case. */
export function findCommand(name: string, commands: readonly Command[]): Command | undefined {
  const typed = name.toLowerCase();
  return commands.find((command) => command.name.toLowerCase() === typed || command.aliases.includes(typed));
}

/** The message for an unknown command. */
export function unknownCommandText({ name, advice: instead, suggestion }: UnknownCommand): string {
  if (instead !== undefined) return `There is no /${name} here. ${instead}`;
  const advice = suggestion === undefined ? 'See /help for all of them.' : `Did you mean /${suggestion}?`;
  return `Unknown command /${name}. ${advice} To send it as a prompt, start the line with a space.`;
}
