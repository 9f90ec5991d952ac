/** The conversation without a screen: the same boot and sessions, told in lines. Writes no escape sequence. */
import { createHash } from 'node:crypto';
import { constants } from 'node:os';
import { join } from 'node:path';
import { isUtf8Locale } from '../ui/linear/asciiSigns.ts';
import { startLinear } from '../ui/linear/startLinear.ts';
import { chooseTheme } from '../ui/theme.ts';
import { createDebugLog } from './debugLog.ts';
import { endSoon } from './endSoon.ts';
import { shownDirectory } from './firstFrame.ts';
import type { CliOptions } from './options.ts';
import type { Place } from './place.ts';
import { listFiles } from './projectFiles.ts';
import { resumeAdvice } from './resumeAdvice.ts';
import { targetOf } from './sessionTarget.ts';

/** Milliseconds that a signal waits for the session to be flushed. */
const FLUSH_MS = 2000;

/** Returns the exit code. */
export async function linearMode(place: Place, options: CliOptions, isEditing: boolean): Promise<number> {
  const { stdin, stdout } = process;
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date());
  const project = createHash('sha256').update(place.root).digest('hex').slice(0, 16);
  const guard = guardSession();
  const exit = await startLinear({
    stdin,
    stdout,
    version: place.version,
    directory: shownDirectory(place),
    isTerminal: stdin.isTTY === true && stdout.isTTY === true,
    isEditing,
    isUtf8: isUtf8Locale(place.env),
    onInterrupt: (listener) => void process.on('SIGINT', listener),
    theme: chooseTheme('plain', { noColor: true }),
    boot: () => import('./boot.ts').then(({ boot }) => boot(place, options, debug)),
    target: targetOf(options) ?? { type: 'new' },
    pickFirst: options.resume === true,
    prompt: options.prompt,
    bypassAllowed: options.permissionMode === 'bypassPermissions',
    historyFile: join(place.dataRoot, 'history', `${project}.jsonl`),
    historyText: debug.textOf,
    listFiles: () => listFiles(place.root, place.cwd),
    onReady: guard.onReady,
    now: () => Date.now(),
  });
  const advice = await resumeAdvice(place, exit);
  if (advice !== undefined) stdout.write(`${advice}\n`);
  endSoon();
  return exit.code;
}

/** Flushes the session, whatever ends the program: a signal, a reader that went away, a crash. */
function guardSession(): { readonly onReady: (close: () => Promise<void>) => void } {
  let close: () => Promise<void> = () => Promise.resolve();
  let isEnding = false;
  const end = async (code: number): Promise<void> => {
    if (isEnding) return;
    isEnding = true;
    await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
    process.exit(code);
  };
  for (const signal of ['SIGTERM', 'SIGHUP', 'SIGQUIT'] as const)
    process.on(signal, () => void end(128 + (constants.signals[signal] ?? 0)));
  const onError = (error: unknown): void => {
    const code = (error as NodeJS.ErrnoException | undefined)?.code;
    // Nobody reads any more: what was done is saved, and that is all.
    if (code === 'EPIPE' || code === 'EIO' || code === 'ENOTCONN') {
      void end(128 + (constants.signals.SIGHUP ?? 0));
      return;
    }
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(
      `\nclawdcode crashed; the session is saved up to here (clawdcode --continue).\n${text}\n`,
    );
    void end(1);
  };
  process.stdout.on('error', onError);
  process.on('uncaughtException', onError);
  process.on('unhandledRejection', onError);
  return {
    onReady(next) {
      close = next;
    },
  };
}
