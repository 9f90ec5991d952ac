/** Milliseconds that an end waits for the session to be flushed. */
const FLUSH_MS = 2000;

/** Resolves once the session is closed, or has had its time; never rejects. */
export async function flush(close: () => Promise<void>): Promise<void> {
  await Promise.race([close().catch(() => undefined), new Promise((done) => setTimeout(done, FLUSH_MS))]);
}
