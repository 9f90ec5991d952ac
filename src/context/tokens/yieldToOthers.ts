/** Lets whatever waits (keys, the screen, sockets) have its turn. */
export function yieldToOthers(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
