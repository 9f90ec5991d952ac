import { Command } from 'commander';

/** Defines the help of `clawdcode acp`. Throws instead of ending the process. */
export function createAcpProgram(): Command {
  return new Command('clawdcode acp')
    .description(
      'Serve an editor that speaks the Agent Client Protocol, over standard input and output. The editor starts this command; see docs/acp.md.',
    )
    .helpOption('-h, --help', 'print this help')
    .exitOverride()
    .addHelpText(
      'after',
      `
The flags of clawdcode that set up a session apply to every session of the editor, for example:
  clawdcode acp --model gpt-5.2 --permission-mode plan --sandbox workspace-write`,
    );
}
