/**
 * Queue of finished output, in order. Releases it in pieces that take a few milliseconds to draw, so that a long reply
 * or the history of a resumed session does not delay key presses.
 */
import type { Print } from './view.ts';

interface PrintQueue {
  add(...prints: readonly Print[]): void;
  /** The next piece; empty if nothing is queued. */
  next(): readonly Print[];
  /** Everything that is queued. */
  rest(): readonly Print[];
  isEmpty(): boolean;
}

/** Characters per piece; drawing one takes about 5 ms, colors included. */
export const PIECE_CHARACTERS = 6000;
/** Cost of an entry in addition to its text, in characters. */
const ENTRY = 300;

/** `split` finds the end of the last complete block, like `splitFinished`. */
export function createPrintQueue(
  split: (markdown: string) => { finished: string; rest: string },
): PrintQueue {
  let waiting: Print[] = [];
  return {
    add: (...prints) => void waiting.push(...prints),
    next() {
      const taken: Print[] = [];
      let room = PIECE_CHARACTERS;
      while (room > 0) {
        const print = waiting[0];
        if (print === undefined) break;
        const cost = costOf(print);
        if (cost > room && taken.length > 0) break;
        waiting.shift();
        room -= cost;
        if (cost <= PIECE_CHARACTERS || print.type !== 'markdown') {
          taken.push(print);
          continue;
        }
        const [head, rest] = cut(print.text, split);
        taken.push({ ...print, text: head });
        if (rest !== '') waiting.unshift({ type: 'markdown', text: rest, first: false });
      }
      return taken;
    },
    rest() {
      const all = waiting;
      waiting = [];
      return all;
    },
    isEmpty: () => waiting.length === 0,
  };
}

/** Cuts complete blocks of about one piece off the beginning; never cuts inside a block, however long it is. */
function cut(text: string, split: (markdown: string) => { finished: string }): [string, string] {
  for (let size = PIECE_CHARACTERS; size < text.length; size *= 2) {
    const { finished } = split(text.slice(0, size));
    if (finished !== '') return [finished, text.slice(finished.length)];
  }
  return [text, ''];
}

function costOf(print: Print): number {
  switch (print.type) {
    case 'markdown':
    case 'notice':
    case 'command':
      return print.text.length;
    case 'page':
    case 'reads':
      return ENTRY;
    case 'entry': {
      const { content } = print.entry.message;
      return ENTRY + (print.entry.type === 'assistant' && typeof content === 'string' ? content.length : 0);
    }
  }
}
