/** Interactive mode: takes over from the first frame, boots in the background, and restores the terminal at the end. */
import { startUi } from '../ui/startUi.tsx';
import { chooseTheme } from '../ui/theme/theme.ts';
import { conversationOf, resumeAdvice } from './conversation.ts';
import type { CliOptions } from './options.ts';
import type { AppPaths } from './process/appPaths.ts';
import { terminalColors, terminalReflow } from './terminal/capabilities.ts';
import type { FirstFrame } from './terminal/firstFrame.ts';
import { createKeysPort, keybindingsFile } from './terminal/keybindings.ts';

/** Takes over from the first frame. Returns the exit code. */
export async function interactiveMode(
  place: AppPaths,
  options: CliOptions,
  first: FirstFrame,
): Promise<number> {
  const { terminal } = first;
  const { settled, ...conversation } = conversationOf(place, options);
  const exit = await startUi({
    stdin: process.stdin,
    stdout: process.stdout,
    takeOver: first.handOver,
    ...conversation,
    theme: chooseTheme('auto', terminalColors(place)),
    keys: createKeysPort(keybindingsFile(place.dataRoot)),
    editText: (text) =>
      terminal.lend(() => import('./terminal/editText.ts').then((one) => one.editText(text, settled()))),
    onContinue,
    stop: () => import('./process/suspend.ts').then(({ suspendProcess }) => suspendProcess()),
    onReady: terminal.onEnd,
    onAlternateScreen: terminal.onAlternateScreen,
    reflow: terminalReflow(place.env),
    onRestore: terminal.onRestore,
  });
  terminal.release();
  const advice = await resumeAdvice(place, exit);
  if (advice !== undefined) process.stdout.write(`${advice}\n`);
  return exit.code;
}

/** Listens for SIGCONT. A stopped program gets no SIGWINCH, so the terminal size is read again first. */
function onContinue(listener: () => void): () => void {
  const onSignal = (): void => {
    process.emit('SIGWINCH', 'SIGWINCH');
    listener();
  };
  process.on('SIGCONT', onSignal);
  return () => process.off('SIGCONT', onSignal);
}
