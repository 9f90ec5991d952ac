import { nearest } from '../config/nearest.ts';
import type { Command } from './types.ts';

/** The meaning of a line of input. */
type Interpretation =
  | { readonly type: 'prompt'; readonly text: string }
  | { readonly type: 'shell'; readonly command: string }
  | { readonly type: 'command'; readonly command: Command; readonly args: string }
  | { readonly type: 'unknown'; readonly name: string; readonly suggestion?: string };

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
  const suggestion = nearest(
    name,
    commands.flatMap((one) => [one.name, ...one.aliases]),
  );
  return { type: 'unknown', name, ...(suggestion === undefined ? {} : { suggestion }) };
}

/** True if a prompt may be a command. Does not need the commands, which are not loaded for other prompts. */
export const mayBeCommand = (text: string): boolean => text.startsWith('/');

/** Finds a command by name or alias, ignoring case. */
export function findCommand(name: string, commands: readonly Command[]): Command | undefined {
  const typed = name.toLowerCase();
  return commands.find((command) => command.name.toLowerCase() === typed || command.aliases.includes(typed));
}

/** The message for an unknown command. */
export function unknownCommandText({ name, suggestion }: { name: string; suggestion?: string }): string {
  const advice = suggestion === undefined ? 'See /help for all of them.' : `Did you mean /${suggestion}?`;
  return `Unknown command /${name}. ${advice} To send it as a prompt, start the line with a space.`;
}
