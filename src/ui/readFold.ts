/**
 * Folds consecutive reads and searches into one line: they deserve less room than what the model says and changes. They
 * are held back until something else is printed. So is a mode that Shift+Tab selects: the status line shows it at once,
 * and of those it went through only the last counts.
 */
import { type JSONLEntry, noteOf } from '../protocol/entries.ts';
import { toolNames } from '../protocol/toolNames.ts';
import { contentText } from './print/content.ts';
import type { Print } from './view.ts';

export interface ReadFold {
  /** Answers what can be printed now, in order. */
  add(prints: readonly Print[]): readonly Print[];
  /** What is held back, to be printed now. */
  rest(): readonly Print[];
  /** The results that are held back. */
  reads(): readonly JSONLEntry[];
}

/** `showsReasoning`: reasoning is printed as text, not as a line that says there was some. */
export function createReadFold(showsReasoning: () => boolean): ReadFold {
  let held: Print[] = [];
  let mode: Print | undefined;
  let isAnswer = false;
  const reads = (): readonly JSONLEntry[] =>
    held.flatMap((print) => (print.type === 'entry' && isRead(print.entry) ? [print.entry] : []));
  const rest = (): readonly Print[] => {
    const entries = reads();
    // A single result keeps its own line. Reasoning between several is in the transcript.
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
        // What a command has changed is its answer.
        if (isMode(print) && !isAnswer) {
          mode = print;
          return [];
        }
        isAnswer = print.type === 'command';
        const isThought = held.length > 0 && !showsReasoning() && isOnlyReasoning(print);
        if (isThought || (print.type === 'entry' && isRead(print.entry))) {
          held.push(print);
          return [];
        }
        return [...rest(), print];
      }),
    rest,
    reads,
  };
}

/** The same for a list that is complete. */
export function withReadsFolded(prints: readonly Print[], showsReasoning: boolean): readonly Print[] {
  const fold = createReadFold(() => showsReasoning);
  return [...fold.add(prints), ...fold.rest()];
}

const isMode = (print: Print): boolean => print.type === 'entry' && print.entry.subtype === 'mode';

const readers: ReadonlySet<string | undefined> = new Set([toolNames.read, toolNames.grep, toolNames.glob]);

function isRead({ toolResult }: JSONLEntry): boolean {
  if (toolResult === undefined || !readers.has(toolResult.name)) return false;
  return toolResult.status === 'ok' || toolResult.status === 'partial';
}

/** Prints nothing, so that nothing has to be printed before it. */
function isInvisible(print: Print): boolean {
  if (print.type === 'markdown') return print.text.trim() === '';
  if (print.type !== 'entry') return false;
  const { entry } = print;
  switch (entry.type) {
    case 'tool_use':
      return true;
    case 'tool_result':
      return false;
    case 'assistant':
      return !hasEndedBadly(entry) && contentText(entry).trim() === '' && reasoningOf(entry) === '';
    case 'user':
      return entry.subtype !== undefined && entry.subtype !== 'prompt' && isQuiet(entry);
    case 'system':
      return isQuiet(entry);
  }
}

function isQuiet(entry: JSONLEntry): boolean {
  const { subtype } = entry;
  if (subtype === 'shell' || subtype === 'nudge' || subtype === 'session_start') return false;
  if (subtype === 'compact_boundary') return false;
  const note = noteOf(entry, { seqOf: () => undefined });
  return note === undefined || note.only === 'export';
}

function isOnlyReasoning(print: Print): boolean {
  if (print.type !== 'entry' || print.entry.type !== 'assistant') return false;
  return contentText(print.entry).trim() === '' && !hasEndedBadly(print.entry);
}

const hasEndedBadly = ({ message }: JSONLEntry): boolean =>
  message.interrupted === true || message.failed === true || message.finishReason === 'length';

const reasoningOf = ({ message }: JSONLEntry): string => message.reasoning?.text.trim() ?? '';
