/** Ctrl+Z: the program stops, as the shell's job control has it, until `fg`. */

/**
 * Milliseconds for a stop to come into effect (it does within one); where it has not by then, nobody could end it.
 * Not longer than needed: what is typed meanwhile the terminal itself shows, and makes lines of.
 */
const EFFECT_MS = 50;

/**
 * Stops this process and its group; resolves once it goes on. The kernel ignores the stop where no shell waits for
 * it (a program that is the terminal's only one), which is said at once. The caller has given the terminal away.
 */
export async function stopUntilForeground(): Promise<'continued' | 'unsupported'> {
  if (process.platform === 'win32') return 'unsupported';
  const outcome = await new Promise<'continued' | 'unsupported'>((resolve) => {
    const onContinue = (): void => end('continued');
    const end = (how: 'continued' | 'unsupported'): void => {
      clearTimeout(timer);
      process.off('SIGCONT', onContinue);
      resolve(how);
    };
    process.on('SIGCONT', onContinue);
    // When timer and signal are due together, the timer is first: the signal gets one more turn.
    const timer = setTimeout(() => setImmediate(() => end('unsupported')), EFFECT_MS);
    // The whole group, as the terminal's own Ctrl+Z does: what was started with this in a pipeline stops too.
    process.kill(0, 'SIGTSTP');
  });
  // A stopped program is not told of a new size.
  if (outcome === 'continued') process.emit('SIGWINCH', 'SIGWINCH');
  return outcome;
}
