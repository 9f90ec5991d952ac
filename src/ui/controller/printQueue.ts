/**
 * What is finished and waits to be printed, in order. Gives it out in pieces that take a few milliseconds to draw,
 * so that a key is never kept waiting by a long reply or by the past of a session.
 */
import type { Print } from './view.ts';

interface PrintQueue {
  add(...prints: readonly Print[]): void;
  /** The next piece; empty when nothing waits. */
  next(): readonly Print[];
  /** Everything that waits. */
  rest(): readonly Print[];
  isEmpty(): boolean;
}

/** Characters of a piece: drawing them takes about 5 ms, with colours. */
export const PIECE = 6000;
/** What an entry costs besides its text, in the same unit. */
const ENTRY = 300;

/** `split` finds the end of the last whole block, as `splitFinished` does. */
export function createPrintQueue(
  split: (markdown: string) => { finished: string; rest: string },
): PrintQueue {
  let waiting: Print[] = [];
  return {
    add: (...prints) => void waiting.push(...prints),
    next() {
      const taken: Print[] = [];
      let room = PIECE;
      while (room > 0) {
        const print = waiting[0];
        if (print === undefined) break;
        const cost = costOf(print);
        if (cost > room && taken.length > 0) break;
        waiting.shift();
        room -= cost;
        if (cost <= PIECE || print.type !== 'markdown') {
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

/** The whole blocks at the beginning, about a piece of them; a block that is longer stays whole. */
function cut(text: string, split: (markdown: string) => { finished: string }): [string, string] {
  for (let size = PIECE; size < text.length; size *= 2) {
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
