/** Plain mode: the same boot and sessions without a full screen, as lines of text. Writes no escape sequences. */

import { displayDirectory } from '../ui/firstFrame.ts';
import { isUtf8Locale } from '../ui/plain/asciiSymbols.ts';
import { startPlain } from '../ui/plain/startPlain.ts';
import { chooseTheme } from '../ui/theme/theme.ts';
import { conversationOf, resumeAdvice } from './conversation.ts';
import type { CliOptions } from './options.ts';
import type { AppPaths } from './process/appPaths.ts';
import { guardSession } from './process/guardSession.ts';

/** Runs the conversation and returns the exit code. */
export async function plainMode(place: AppPaths, options: CliOptions, isEditing: boolean): Promise<number> {
  const { stdin, stdout } = process;
  // The conversation handles Ctrl+C itself.
  const guard = guardSession({ stdout, signals: ['SIGTERM', 'SIGHUP', 'SIGQUIT'] });
  const { settled: _, ...conversation } = conversationOf(place, options);
  const exit = await startPlain({
    ...conversation,
    stdin,
    stdout,
    version: place.version,
    directory: displayDirectory(place.cwd, place.home),
    isTerminal: stdin.isTTY === true && stdout.isTTY === true,
    isEditing,
    isUtf8: isUtf8Locale(place.env),
    onInterrupt: (listener) => void process.on('SIGINT', listener),
    theme: chooseTheme('plain', { noColor: true }),
    onReady: guard.onEnd,
  });
  const advice = await resumeAdvice(place, exit);
  if (advice !== undefined) stdout.write(`${advice}\n`);
  return exit.code;
}
