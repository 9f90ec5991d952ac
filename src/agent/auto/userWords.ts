/** What the user typed in a session, for the judge of the mode `auto`: nothing else may steer it. Pure. */
import { displayOf, type JSONLEntry } from '../../protocol/entries.ts';
import { textOf } from '../promptOf.ts';
import { startsTurn } from '../rewind/turns.ts';

/** Of one prompt, in characters: its beginning and its end. */
const HEAD = 1200;
const TAIL = 400;
/** Prompts that are shown: the first, and the newest. */
const MOST = 20;

/**
 * The prompts of these entries, oldest first, each as it was typed: a folded paste is its label, what was piped in is
 * left out, and so are files, results, summaries and what a command says in the user's name.
 */
export function userWords(live: readonly JSONLEntry[]): readonly string[] {
  const prompts = live.filter(startsTurn).map(typedIn);
  const shown = prompts.length <= MOST ? prompts : [...prompts.slice(0, 1), ...prompts.slice(1 - MOST)];
  return shown.filter((text) => text.trim() !== '').map(bounded);
}

function typedIn(entry: JSONLEntry): string {
  const typed = entry.subtype === 'prompt' ? entry.data?.typed : undefined;
  return typed ?? displayOf(entry) ?? textOf(entry.message.content);
}

function bounded(text: string): string {
  if (text.length <= HEAD + TAIL) return text;
  const left = text.length - HEAD - TAIL;
  return `${text.slice(0, HEAD)} [… ${left} characters left out …] ${text.slice(-TAIL)}`.toWellFormed();
}
