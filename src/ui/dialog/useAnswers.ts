/** State and guards of dialogs: keys that were typed ahead, or meant for something else, do not answer a question. */
import { usePaste } from 'ink';
import { useLayoutEffect, useRef, useState } from 'react';

/** State that a key handler can read back synchronously, because one chunk of input may contain several keys. */
export function useLatest<S>(initial: () => S): readonly [S, () => S, (next: S) => void] {
  const [state, setState] = useState(initial);
  const latest = useRef(state);
  const set = (next: S): void => {
    latest.current = next;
    setState(() => next);
  };
  return [state, () => latest.current, set];
}

/** Keys within this many ms of a question, or of the previous key since then, were meant for the screen before it. */
const quietMs = 200;

/**
 * Returns a function that decides whether a key counts as an answer: only after the question has been on screen for
 * `quietMs` without typing. Time starts when the question is drawn: drawing a long preview takes seconds, and keys
 * pressed in that time arrive right after it. A different `question` starts over, and so does a paste: what looks like keys
 * after it may have been pasted.
 */
export function useTypeAheadGuard(question: string, now?: () => number): () => boolean {
  const drawn = useRef<{ readonly question: string; readonly quiet: QuietTime }>(undefined);
  useLayoutEffect(() => {
    const quiet = startQuietTime(now);
    drawn.current = { question, quiet };
    return quiet.stop;
  }, [question, now]);
  usePaste(() => drawn.current?.quiet.restart());
  return () => drawn.current?.question === question && drawn.current.quiet.isOverAtKey();
}

interface QuietTime {
  /** Called for each key. If it is not over, it starts again. */
  readonly isOverAtKey: () => boolean;
  readonly restart: () => void;
  readonly stop: () => void;
}

/**
 * Starts the quiet time of a question. If the machine stalls, a key may be handled long after it was pressed, so the
 * quiet time ends only once all input that arrived in it has been handled. An injected clock is trusted as it is.
 */
export function startQuietTime(now?: () => number): QuietTime {
  const time = now ?? (() => performance.now());
  let since = time();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  function wait(): void {
    timer = setTimeout(check, Math.max(0, since + quietMs - time()));
  }
  function check(): void {
    const before = since;
    if (time() - before < quietMs) {
      wait();
      return;
    }
    // Between a timer and `setImmediate` Node reads all input that has arrived.
    immediate = setImmediate(() => {
      if (since === before) isOver = true;
      else wait();
    });
  }
  if (now === undefined) wait();
  function stop(): void {
    clearTimeout(timer);
    clearImmediate(immediate);
  }
  return {
    isOverAtKey() {
      const at = time();
      if (now !== undefined && at - since >= quietMs) isOver = true;
      since = at;
      return isOver;
    },
    restart() {
      since = time();
      isOver = false;
      stop();
      if (now === undefined) wait();
    },
    stop,
  };
}

/**
 * A word typed at a question is meant for something else, such as the shell after Ctrl+Z. It ends this many ms after
 * its last letter.
 */
const strayMs = 1000;

export interface StrayWord {
  /** Called for a character that means nothing here; starts a word. */
  readonly begin: () => void;
  /** True if this key belongs to the word. Of keys that are not characters, only Enter can. */
  readonly holds: (isCharacterOrEnter: boolean) => boolean;
}

/**
 * Detects a word that is typed at a dialog by mistake: none of its keys, including its Enter, may answer the question.
 */
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
