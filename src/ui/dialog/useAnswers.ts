/** State and guards of dialogs: keys that were typed ahead of a question, or for something else, answer nothing. */
import { useLayoutEffect, useRef, useState } from 'react';

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

/** Keys that come within this time of a question, or of each other since, were meant for what was there before. */
const quietMs = 200;

/**
 * Says whether a key counts as an answer: only after the question has stood for a moment without typing. It stands when it
 * is drawn: a long preview takes seconds until then, and keys that were pressed meanwhile are read right behind it.
 * `question` names what is asked; another one starts over.
 */
export function useTypeAheadGuard(
  question: string,
  now: () => number = () => performance.now(),
): () => boolean {
  const drawn = useRef<{ question: string; quietSince: number; isArmed: boolean }>(undefined);
  useLayoutEffect(() => {
    if (drawn.current?.question !== question) drawn.current = { question, quietSince: now(), isArmed: false };
  });
  return () => {
    const at = now();
    const { current } = drawn;
    if (current?.question !== question) return false;
    if (!current.isArmed && at - current.quietSince >= quietMs) current.isArmed = true;
    current.quietSince = at;
    return current.isArmed;
  };
}

/** Whoever types a word at a question means somebody else, such as the shell after a Ctrl+Z; this long after its last letter. */
const strayMs = 1000;

export interface StrayWord {
  /** A character came that means nothing here. */
  readonly begin: () => void;
  /** Whether this key still belongs to it; a key that is no character does not, unless it is Enter. */
  readonly holds: (isCharacterOrEnter: boolean) => boolean;
}

/** Whether a word is being typed that answers nothing: what belongs to it, its Enter included, is no answer either. */
export function useStrayWord(now: () => number = () => performance.now()): StrayWord {
  const strayAt = useRef(Number.NEGATIVE_INFINITY);
  return {
    begin() {
      strayAt.current = now();
    },
    holds(isCharacterOrEnter) {
      const isOfWord = isCharacterOrEnter && now() - strayAt.current < strayMs;
      strayAt.current = isOfWord ? now() : Number.NEGATIVE_INFINITY;
      return isOfWord;
    },
  };
}
