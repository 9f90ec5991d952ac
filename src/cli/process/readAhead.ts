/**
 * Begins to read at once: whoever asks for it within `freshMs` gets that, whoever asks later or again a new look.
 * `now`: milliseconds from any start.
 */
export function readAhead<T>(
  read: () => Promise<T>,
  freshMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  const startedAt = now();
  let ahead: Promise<T> | undefined = read();
  // Whoever asks hears of a failure; perhaps nobody does.
  ahead.catch(() => {});
  return () => {
    const found = now() - startedAt < freshMs ? ahead : undefined;
    ahead = undefined;
    return found ?? read();
  };
}
