import { useRef } from 'react';

/** Keys that come within this time of a question, or of each other since, were meant for what was there before. */
const quietMs = 200;

/**
 * Says whether a key counts as an answer: only after the question has stood for a moment without typing.
 * `question` names what is asked; another one starts over.
 */
export function useTypeAheadGuard(
  question: string,
  now: () => number = () => performance.now(),
): () => boolean {
  const state = useRef({ question, quietSince: now(), isArmed: false });
  if (state.current.question !== question) state.current = { question, quietSince: now(), isArmed: false };
  return () => {
    const at = now();
    const { current } = state;
    if (!current.isArmed && at - current.quietSince >= quietMs) current.isArmed = true;
    current.quietSince = at;
    return current.isArmed;
  };
}
