/** Milliseconds after the last word within which the program ends by itself. */
const GRACE_MS = 250;

/**
 * Ends the program once everything that was written has been taken, whatever still waits: a question to a server that
 * never answers must not keep a script waiting. Where nothing waits it ends by itself, and this does nothing.
 */
export function endSoon(): void {
  process.stdout.write('', () =>
    process.stderr.write('', () => void setTimeout(() => process.exit(), GRACE_MS).unref()),
  );
}
