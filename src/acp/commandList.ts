/** The slash commands and skills that a client offers. Pure. */
import type { AvailableCommand } from '@agentclientprotocol/sdk';
import type { Command } from '../commands/types.ts';
import { visibleLine } from '../protocol/text/visible.ts';

/** Commands that act on a screen, or that the client replaces with its own. */
const withoutScreen: ReadonlySet<string> = new Set([
  ...['clear', 'copy', 'exit', 'fork', 'keys', 'resume', 'statusline', 'theme', 'vim'],
]);

const MAX_COMMANDS = 300;

export function commandList(commands: readonly Command[]): AvailableCommand[] {
  return commands
    .filter(({ name, isPrompt }) => isPrompt === true || !withoutScreen.has(name))
    .slice(0, MAX_COMMANDS)
    .map(({ name, description, argumentHint }) => ({
      name,
      description: visibleLine(description, 300),
      ...(argumentHint === undefined ? {} : { input: { hint: visibleLine(argumentHint, 100) } }),
    }));
}
