import { useRef, useState } from 'react';

/** State that a key handler can read back at once: one chunk of input may hold several keys. */
export function useLatest<S>(initial: () => S): readonly [S, () => S, (next: S) => void] {
  const [state, setState] = useState(initial);
  const latest = useRef(state);
  const set = (next: S): void => {
    latest.current = next;
    setState(() => next);
  };
  return [state, () => latest.current, set];
}
