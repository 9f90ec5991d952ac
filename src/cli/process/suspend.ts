/** Ctrl+Z: stops the program through the shell's job control, until `fg`. */

/**
 * Milliseconds for a stop to take effect (it usually takes one); if it has not by then, it never will. Kept short,
 * since the terminal itself echoes typed text and line breaks in that time.
 */
const EFFECT_MS = 50;

/**
 * Stops this process and its group; resolves when it is continued. Without a shell that could continue it (as the only
 * program of the terminal) the kernel ignores the stop: resolves to `unsupported`. The caller has released the
 * terminal.
 */
export async function suspendProcess(): Promise<'continued' | 'unsupported'> {
  if (process.platform === 'win32') return 'unsupported';
  const outcome = await new Promise<'continued' | 'unsupported'>((resolve) => {
    const onContinue = (): void => end('continued');
    const end = (how: 'continued' | 'unsupported'): void => {
      clearTimeout(timer);
      process.off('SIGCONT', onContinue);
      resolve(how);
    };
    process.on('SIGCONT', onContinue);
    // If timer and signal are due at the same time, the timer fires first: give the signal one more turn of the event
    // loop.
    const timer = setTimeout(() => setImmediate(() => end('unsupported')), EFFECT_MS);
    // Stop the whole group like the terminal's own Ctrl+Z, so that other programs of a pipeline stop, too.
    process.kill(0, 'SIGTSTP');
  });
  // A stopped program does not get SIGWINCH when the window size changes.
  if (outcome === 'continued') process.emit('SIGWINCH', 'SIGWINCH');
  return outcome;
}
