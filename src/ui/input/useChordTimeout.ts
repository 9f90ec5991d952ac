import { useEffect, useRef } from 'react';

/** Milliseconds that the beginning of a chord waits for its next key. */
const CHORD_MS = 1500;

/** Calls `onTimeout` when a chord has been begun and no key has followed. */
export function useChordTimeout(pending: string | undefined, onTimeout: () => void): void {
  const newest = useRef(onTimeout);
  newest.current = onTimeout;
  useEffect(() => {
    if (pending === undefined) return;
    const timer = setTimeout(() => newest.current(), CHORD_MS);
    return () => clearTimeout(timer);
  }, [pending]);
}
