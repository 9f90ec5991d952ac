/** State and guards of dialogs: keys that were typed ahead, or meant for something else, do not answer a question. */
import { usePaste } from 'ink';
import { useLayoutEffect, useRef, useState } from 'react';
import type { DialogKey } from '../keys/keymap.ts';

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

/** Whoever confirms a digit with Enter does so within this many ms; by then, the next question may be on the screen. */
const confirmMs = 1000;

type Clock = () => number;

const systemClock: Clock = () => performance.now();

interface GivenAnswer {
  readonly at: number;
  readonly dialog: string;
  readonly isEnter: boolean;
}

/** The last answer to any dialog, by the clock that it was read with. */
const lastAnswers = new WeakMap<Clock, GivenAnswer>();

interface TypeAheadGuard {
  /** Called for a key: true if it may answer. */
  readonly counts: (isEnter: boolean) => boolean;
  /** Called once a key has answered: the next question is a different one. */
  readonly answered: (isEnter: boolean) => void;
}

/** True for a key that accepts what is selected. */
export const isEnterKey = (key: DialogKey): boolean =>
  key.type === 'action' && /:(?:accept|submit)$/.test(key.name);

/** The characters of a key; undefined for a key that types none. */
export function typedBy(key: DialogKey): string | undefined {
  if (key.type === 'text') return key.text;
  return key.type === 'edit' ? undefined : key.typed;
}

/**
 * Decides whether a key counts as an answer: only after the question has been on screen for `quietMs` without typing.
 * Time starts when the question is drawn: drawing a long preview takes seconds, and keys pressed in that time arrive right
 * after it. A different `question` starts over, and so does a paste: what looks like keys after it may have been pasted.
 * Enter also does not count for `confirmMs` after the answer to another question, unless Enter has answered that one, in
 * the same `dialog`.
 */
export function useTypeAheadGuard(question: string, now?: Clock, dialog = question): TypeAheadGuard {
  const clock = now ?? systemClock;
  const drawn = useRef<{ readonly question: string; readonly quiet: QuietTime }>(undefined);
  useLayoutEffect(() => {
    const quiet = startQuietTime(now);
    drawn.current = { question, quiet };
    return quiet.stop;
  }, [question, now]);
  usePaste(() => drawn.current?.quiet.restart());
  const confirmsEarlier = (): boolean => {
    const last = lastAnswers.get(clock);
    if (last === undefined || (last.dialog === dialog && last.isEnter)) return false;
    const past = clock() - last.at;
    return past >= 0 && past < confirmMs;
  };
  return {
    counts: (isEnter) =>
      drawn.current?.question === question &&
      drawn.current.quiet.isOverAtKey() &&
      !(isEnter && confirmsEarlier()),
    answered: (isEnter) => void lastAnswers.set(clock, { at: clock(), dialog, isEnter }),
  };
}

interface QuietTime {
  /** Called for each key. If it is not over, it starts again. */
  readonly isOverAtKey: () => boolean;
  readonly restart: () => void;
  readonly stop: () => void;
}

/**
 * Starts the quiet time of a question, or of a word. If the machine stalls, a key may be handled long after it was pressed, so the
 * quiet time ends only once all input that arrived in it has been handled. An injected clock is trusted as it is.
 */
export function startQuietTime(now?: Clock, lengthMs = quietMs): QuietTime {
  const time = now ?? systemClock;
  let since = time();
  let isOver = false;
  let timer: NodeJS.Timeout | undefined;
  let immediate: NodeJS.Immediate | undefined;
  function wait(): void {
    timer = setTimeout(check, Math.max(0, since + lengthMs - time()));
  }
  function check(): void {
    const before = since;
    if (time() - before < lengthMs) {
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
      if (now !== undefined && at - since >= lengthMs) isOver = true;
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
 * A word typed at a question is meant for something else, such as the next prompt, or the shell after Ctrl+Z. It ends this
 * many ms after its last letter.
 */
const strayMs = 1000;

/** When the draft of a prompt was last changed, by the clock that it was read with. */
const lastTyped = new WeakMap<Clock, number>();

/** Call when a key changes the draft of a prompt: what a question interrupts is not meant for it. */
export function draftTyped(now: Clock = systemClock): void {
  lastTyped.set(now, now());
}

/** Call when the draft was sent: the next key may be an answer. */
export function draftSent(now: Clock = systemClock): void {
  lastTyped.delete(now);
}

export interface StrayWord {
  /** Called for a character that means nothing here, or that was typed ahead; starts a word. */
  readonly begin: () => void;
  /** True if this key belongs to the word; one that does not, such as an arrow that selects a choice, ends it. */
  readonly holds: (mayBelong: boolean) => boolean;
}

/**
 * Detects a word that is typed at a dialog by mistake: none of its keys, including its Enter, may answer the question. It
 * may have begun in the draft of a prompt.
 */
export function useStrayWord(now?: Clock): StrayWord {
  const word = useRef<QuietTime>(undefined);
  const end = (): void => {
    word.current?.stop();
    word.current = undefined;
  };
  const begin = (): void => {
    end();
    word.current = startQuietTime(now, strayMs);
  };
  useLayoutEffect(() => {
    const clock = now ?? systemClock;
    const past = clock() - (lastTyped.get(clock) ?? Number.NEGATIVE_INFINITY);
    if (past < strayMs) word.current = startQuietTime(now, strayMs);
    return () => word.current?.stop();
  }, [now]);
  return {
    begin,
    holds(mayBelong) {
      const isOfWord = mayBelong && word.current?.isOverAtKey() === false;
      if (!isOfWord) end();
      return isOfWord;
    },
  };
}

/** True if a key may not answer a question: it was typed ahead of it, or belongs to a word that was. */
export function isUnmeantKey(key: DialogKey, isTypedAhead: boolean, stray: StrayWord): boolean {
  // Keys without a meaning here edit a draft: Ctrl+W, End, Delete.
  const isTyping = typedBy(key) !== undefined || key.type === 'other';
  if (isTypedAhead && isTyping) stray.begin();
  return isTypedAhead || stray.holds(isTyping || isEnterKey(key));
}
