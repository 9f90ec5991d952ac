/** The conversation: takes over from the first frame, boots behind its own, restores the terminal. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { startUi } from '../ui/startUi.tsx';
import { chooseTheme } from '../ui/theme.ts';
import { createDebugLog } from './debugLog.ts';
import type { FirstFrame } from './firstFrame.ts';
import { createKeysPort, keybindingsFile } from './keybindings.ts';
import type { CliOptions } from './options.ts';
import type { Place } from './place.ts';
import { listFiles } from './projectFiles.ts';
import { resumeAdvice } from './resumeAdvice.ts';
import { targetOf } from './sessionTarget.ts';
import { terminalColors } from './terminalColors.ts';
import { terminalReflow } from './terminalReflow.ts';

/** Takes over from the first frame. Returns the exit code. */
export async function interactiveMode(place: Place, options: CliOptions, first: FirstFrame): Promise<number> {
  const debug = createDebugLog(place.dataRoot, options.debug, () => new Date());
  const { terminal } = first;
  const project = createHash('sha256').update(place.root).digest('hex').slice(0, 16);
  const exit = await startUi({
    stdin: process.stdin,
    stdout: process.stdout,
    takeOver: first.handOver,
    theme: chooseTheme('auto', terminalColors(place)),
    // Settings, sessions, tools and rules are loaded while the reader looks at the first frame.
    boot: () => import('./boot.ts').then(({ boot }) => boot(place, options, debug)),
    target: targetOf(options) ?? { type: 'new' },
    pickFirst: options.resume === true,
    prompt: options.prompt,
    bypassAllowed: options.permissionMode === 'bypassPermissions',
    historyFile: join(place.dataRoot, 'history', `${project}.jsonl`),
    historyText: debug.textOf,
    listFiles: () => listFiles(place.root, place.cwd),
    keys: createKeysPort(keybindingsFile(place.dataRoot)),
    editText: (text) => terminal.lend(() => import('./editText.ts').then((one) => one.editText(text, place))),
    onContinue,
    stop: () => import('./stop.ts').then(({ stopUntilForeground }) => stopUntilForeground()),
    onReady: terminal.onEnd,
    onAlternateScreen: terminal.onAlternateScreen,
    reflow: terminalReflow(place.env),
    onRestore: terminal.onRestore,
    now: () => Date.now(),
  });
  terminal.release();
  const advice = await resumeAdvice(place, exit);
  if (advice !== undefined) process.stdout.write(`${advice}\n`);
  return exit.code;
}

/** SIGCONT; a stopped program is not told of a new size, so that it is asked for first. */
function onContinue(listener: () => void): () => void {
  const heard = (): void => {
    process.emit('SIGWINCH', 'SIGWINCH');
    listener();
  };
  process.on('SIGCONT', heard);
  return () => process.off('SIGCONT', heard);
}
