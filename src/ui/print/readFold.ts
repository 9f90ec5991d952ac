/**
 * Folds consecutive reads and searches into one line, because they matter less than the model's text and changes. They
 * are held back until something else is printed. A mode selected with Shift+Tab is held back as well: the status line
 * shows it at once, and only the last of several matters.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { traitsOf } from '../../protocol/toolNames.ts';
import type { Print } from '../controller/view.ts';
import { isOnlyReasoning, printsNothing } from './entry.ts';

export interface ReadFold {
  /** Adds output; returns what can be printed now, in order. */
  add(prints: readonly Print[]): readonly Print[];
  /** Releases everything that is held back. */
  rest(): readonly Print[];
  /** The results that are held back. */
  reads(): readonly JSONLEntry[];
}

/** `showsReasoning`: true if reasoning is printed in full instead of as a summary line. */
export function createReadFold(showsReasoning: () => boolean): ReadFold {
  let held: Print[] = [];
  let mode: Print | undefined;
  let isAnswer = false;
  const reads = (): readonly JSONLEntry[] =>
    held.flatMap((print) => (print.type === 'entry' && isRead(print.entry) ? [print.entry] : []));
  const rest = (): readonly Print[] => {
    const entries = reads();
    // A single result keeps its own line. Reasoning between several stays in the transcript.
    const prints: readonly Print[] = entries.length < 2 ? held : [{ type: 'reads', entries }];
    const all = mode === undefined ? prints : [...prints, mode];
    held = [];
    mode = undefined;
    return all;
  };
  return {
    add: (prints) =>
      prints.flatMap((print) => {
        if (isInvisible(print)) return [print];
        // A mode change that follows a command is its answer and is printed at once.
        if (isMode(print) && !isAnswer) {
          mode = print;
          return [];
        }
        isAnswer = print.type === 'command';
        const joins = held.length > 0 && !showsReasoning() && isThought(print);
        if (joins || (print.type === 'entry' && isRead(print.entry))) {
          held.push(print);
          return [];
        }
        return [...rest(), print];
      }),
    rest,
    reads,
  };
}

/** Folds a complete list. */
export function withReadsFolded(prints: readonly Print[], showsReasoning: boolean): readonly Print[] {
  const fold = createReadFold(() => showsReasoning);
  return [...fold.add(prints), ...fold.rest()];
}

const isMode = (print: Print): boolean => print.type === 'entry' && print.entry.subtype === 'mode';

function isRead({ toolResult }: JSONLEntry): boolean {
  if (toolResult === undefined || traitsOf(toolResult.name)?.folds !== true) return false;
  return toolResult.status === 'ok' || toolResult.status === 'partial';
}

/** True if it prints nothing, so that it does not end a fold. */
function isInvisible(print: Print): boolean {
  if (print.type === 'markdown') return print.text.trim() === '';
  return print.type === 'entry' && printsNothing(print.entry);
}

function isThought(print: Print): boolean {
  return print.type === 'entry' && print.entry.type === 'assistant' && isOnlyReasoning(print.entry);
}
