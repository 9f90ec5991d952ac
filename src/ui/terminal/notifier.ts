/** Decides when to call somebody who is elsewhere. Pure but for the one timer that waits for a quiet keyboard. */

/** What the session is doing, in the one word and the one line that are shown outside of the screen. */
export type Doing = 'working' | 'waiting' | 'idle';

/** A turn shorter than this is still being watched when it ends; and so long nobody has typed who is away. */
export const AWAY_MS = 10_000;

interface NotifierPorts {
  readonly now: () => number;
  readonly lastKeyAt: () => number;
  readonly call: (message: string) => void;
}

interface Notifier {
  /** What is being done now; called as often as one likes. */
  update(doing: Doing): void;
  /** The terminal said so; before it has said anything, the keyboard tells. */
  focus(isFocused: boolean): void;
  dispose(): void;
}

const QUESTION = 'is waiting for your answer';
const DONE = 'is done';

export function createNotifier({ now, lastKeyAt, call }: NotifierPorts): Notifier {
  let doing: Doing = 'idle';
  let busySince: number | undefined;
  let isFocused: boolean | undefined;
  /** What somebody still has to be told, once they are found to be away. */
  let pending: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = (): void => {
    clearTimeout(timer);
    if (pending === undefined) return;
    if (isFocused === true) {
      // Whoever looks at a question needs no bell; who turns away from it does.
      if (doing !== 'waiting') pending = undefined;
      return;
    }
    const quietFor = now() - lastKeyAt();
    if (isFocused === undefined && quietFor < AWAY_MS) {
      timer = setTimeout(look, AWAY_MS - quietFor);
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
        // Somebody who has just answered, typed or stopped it is there.
        if (before === 'working' && wasLong && now() - lastKeyAt() >= AWAY_MS) pending = DONE;
      }
      look();
    },
    focus(isNow) {
      isFocused = isNow;
      look();
    },
    dispose: () => clearTimeout(timer),
  };
}
