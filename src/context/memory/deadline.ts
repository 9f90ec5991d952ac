/**
 * What `work` gives, or `otherwise` when it takes longer than `timeoutMs`, fails, or is stopped. Never rejects.
 * The work is told to stop; whether or not it listens, no timer and no listener is left behind.
 */
export async function withDeadline<T>(
  work: (signal: AbortSignal) => Promise<T>,
  timeoutMs: number,
  otherwise: (reason: 'timeout' | 'failed' | 'stopped', error?: unknown) => T,
  outer?: AbortSignal,
): Promise<T> {
  const stop = new AbortController();
  if (outer?.aborted === true) return otherwise('stopped');
  let timer: NodeJS.Timeout | undefined;
  let onAbort: (() => void) | undefined;
  const ended = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(otherwise('timeout')), timeoutMs);
    onAbort = () => resolve(otherwise('stopped'));
    outer?.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([ended, begin(work, stop.signal)]);
  } catch (error) {
    return otherwise('failed', error);
  } finally {
    clearTimeout(timer);
    if (onAbort !== undefined) outer?.removeEventListener('abort', onAbort);
    stop.abort();
  }
}

/** Also for work that throws before its first `await`. */
async function begin<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
