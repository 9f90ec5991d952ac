import { useRef } from 'react';

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
