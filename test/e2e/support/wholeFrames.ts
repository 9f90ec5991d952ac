/**
 * Synchronized output (mode 2026), as terminals that know it have it: what stands between the two marks is drawn at
 * once. A frame that comes out of the pseudo-terminal in pieces is never seen half drawn, however slow the machine is.
 */

const BEGIN = '\u001B[?2026h';
const END = '\u001B[?2026l';
/** A frame whose end does not come is shown as it is after so long, as terminals do. */
const PATIENCE_MS = 1000;

export interface WholeFrames {
  /** The next piece that came out. */
  take(text: string): void;
  /** True while the end of a frame is on its way. */
  isWaiting(): boolean;
  /** Passes on what there is: nothing more will come. */
  flush(): void;
}

/** Calls `draw` with what can be drawn: text up to the beginning of a frame whose end has not come yet. */
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

/** Where the frame begins that has no end yet, or a mark that came in part; the text's length where there is none. */
function unfinishedFrom(text: string): number {
  const whole = text.lastIndexOf(END);
  const begin = text.indexOf(BEGIN, whole + 1);
  if (begin !== -1) return begin;
  const mark = text.lastIndexOf('\u001B');
  return mark !== -1 && BEGIN.startsWith(text.slice(mark)) ? mark : text.length;
}
