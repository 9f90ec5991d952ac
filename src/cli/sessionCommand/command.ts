/** `clawdcode session …`: connects the subcommands with their dependencies. Loaded only when used. */
import { EXIT } from '../../headless/exitCodes.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { askAtTerminal, standardOutput } from './output.ts';
import { runSessionCommand } from './program.ts';
import { openSessions, type Sessions } from './sessions.ts';

/** `argv`: the arguments after `session`. Returns the exit code. */
export async function sessionCommand(place: AppPaths, argv: readonly string[]): Promise<number> {
  const output = standardOutput(place);
  let opened: Promise<Sessions> | undefined;
  const sessions = (): Promise<Sessions> => {
    opened ??= openSessions(place);
    return opened;
  };
  try {
    return await runSessionCommand(
      { place, output, sessions, confirm: askAtTerminal, now: () => new Date() },
      argv,
    );
  } finally {
    await opened?.then(
      (open) => open.close(),
      () => EXIT.failed,
    );
  }
}
