/**
 * Returns the result of `work`, or that of `otherwise` if it takes longer than `timeoutMs`, fails or is stopped. Never
 * rejects. Aborts the work's signal; no timer or listener is left even if the work ignores it.
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

/** Turns an exception before the first `await` into a rejection. */
async function begin<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
  return work(signal);
}
