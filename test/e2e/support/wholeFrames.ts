/**
 * Synchronized output (mode 2026), as in terminals that support it: everything between the two marks is drawn at once.
 * A frame that arrives in pieces is never visible half drawn, however slow the machine is.
 */

const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
/** Like terminals, shows an incomplete frame after this many milliseconds. */
const PATIENCE_MS = 1000;

export interface WholeFrames {
  /** Takes the next piece of output. */
  take(text: string): void;
  /** True while a frame is incomplete. */
  isWaiting(): boolean;
  /** Draws what is left: there is no more output. */
  flush(): void;
}

/** Calls `draw` with text that can be drawn: everything before an incomplete frame. */
export function createWholeFrames(draw: (text: string) => void, patienceMs = PATIENCE_MS): WholeFrames {
  let held = '';
  let patience: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(patience);
    patience = undefined;
    const text = held;
    held = '';
    if (text !== '') draw(text);
  };
  return {
    take(text) {
      const all = held + text;
      const at = unfinishedFrom(all);
      held = all.slice(at);
      if (held === '' || at > 0) {
        clearTimeout(patience);
        patience = undefined;
      }
      if (held !== '') patience ??= setTimeout(flush, patienceMs);
      if (at > 0) draw(all.slice(0, at));
    },
    isWaiting: () => held !== '',
    flush,
  };
}

/** The start of an incomplete frame or of an incomplete mark; the length of the text if there is none. */
function unfinishedFrom(text: string): number {
  const whole = text.lastIndexOf(END);
  const begin = text.indexOf(BEGIN, whole + 1);
  if (begin !== -1) return begin;
  const mark = text.lastIndexOf('\u001B');
  return mark !== -1 && BEGIN.startsWith(text.slice(mark)) ? mark : text.length;
}
