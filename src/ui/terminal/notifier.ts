/**
 * Decides when to notify a user who is away. Pure except for one timer that waits until the keyboard has been quiet.
 */

/** What the session is doing, for the title and notifications. */
export type Doing = 'working' | 'waiting' | 'idle';

/**
 * Milliseconds. A user who has typed nothing for this long counts as away; the end of a shorter turn needs no
 * notification.
 */
export const AWAY_MS = 10_000;

interface NotifierPorts {
  readonly now: () => number;
  readonly lastKeyAt: () => number;
  readonly call: (message: string) => void;
}

interface Notifier {
  /** Sets the current state; repeating it has no effect. */
  update(doing: Doing): void;
  /** Reports the terminal's focus. Until the first report, the keyboard decides who is away. */
  focus(isFocused: boolean): void;
  dispose(): void;
}

const QUESTION = 'is waiting for your answer';
const DONE = 'is done';

export function createNotifier({ now, lastKeyAt, call }: NotifierPorts): Notifier {
  let doing: Doing = 'idle';
  let busySince: number | undefined;
  let isFocused: boolean | undefined;
  /** The notification to send once the user is away. */
  let pending: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = (): void => {
    clearTimeout(timer);
    if (pending === undefined) return;
    if (isFocused === true) {
      // A user who sees the question needs no notification, but does after switching to another window.
      if (doing !== 'waiting') pending = undefined;
      return;
    }
    const quietFor = now() - lastKeyAt();
    if (isFocused === undefined && quietFor < AWAY_MS) {
      timer = setTimeout(check, AWAY_MS - quietFor);
      return;
    }
    const message = pending;
    pending = undefined;
    call(message);
  };
  return {
    update(next) {
      if (next === doing) return;
      const before = doing;
      doing = next;
      pending = undefined;
      clearTimeout(timer);
      if (next === 'working') busySince ??= now();
      if (next === 'waiting') pending = QUESTION;
      if (next === 'idle') {
        const wasLong = busySince !== undefined && now() - busySince >= AWAY_MS;
        busySince = undefined;
        // A user who has just answered, typed or stopped the turn is present.
        if (before === 'working' && wasLong && now() - lastKeyAt() >= AWAY_MS) pending = DONE;
      }
      check();
    },
    focus(isNow) {
      isFocused = isNow;
      check();
    },
    dispose: () => clearTimeout(timer),
  };
}
