/**
 * Checks a summary against the log, without a model: what it claims and the log does not have is marked, what
 * poses as a turn or an order is quoted, and its language is compared with the user's.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { entryTexts, promptText } from '../facts/entryText.ts';
import { runInSlices } from '../facts/slices.ts';
import { claimsIn } from './claims.ts';
import { sameLanguage } from './language.ts';
import { neutralise } from './neutralise.ts';
import { Occurrences } from './occurrences.ts';

export interface Verification {
  /** The summary with its unverified claims marked and its orders quoted: what is to be sent. */
  readonly text: string;
  /** Claims that the log does not bear out, in order, each once. */
  readonly unverified: readonly string[];
  /** False when it is surely not in the language that the user writes in. */
  readonly isSameLanguage: boolean;
  /** Lines that posed as a turn, as the program or as tool syntax. */
  readonly neutralised: number;
}

/** Linear in the log and read in slices. Earlier summaries in the log bear nothing out. */
export async function verifySummary(summary: string, entries: readonly JSONLEntry[]): Promise<Verification> {
  const { text, count } = neutralise(summary);
  const unverified = await unverifiedIn(text, entries);
  return {
    text: markUnverified(text, unverified),
    unverified,
    isSameLanguage: sameLanguage(summary, userText(entries)),
    neutralised: count,
  };
}

const MARK = ' (unverified)';

/** The text with a mark behind each occurrence of these claims; what is marked is not marked again. */
export function markUnverified(summary: string, unverified: readonly string[]): string {
  if (unverified.length === 0) return summary;
  const doubted = new Set(unverified);
  const parts: string[] = [];
  let start = 0;
  for (const { text, end } of claimsIn(summary)) {
    if (!doubted.has(text) || end < start || summary.startsWith(MARK, end)) continue;
    parts.push(summary.slice(start, end), MARK);
    start = end;
  }
  return parts.join('') + summary.slice(start);
}

async function unverifiedIn(summary: string, entries: readonly JSONLEntry[]): Promise<string[]> {
  const claims = claimsIn(summary);
  const seen = new Occurrences(claims.flatMap(({ forms }) => [...forms]));
  const highest = entries.at(-1)?.seq ?? -1;
  const isPointer = (forms: readonly string[]): boolean =>
    /^#\d{1,9}$/.test(forms[0] ?? '') && Number(forms[0]?.slice(1)) <= highest;
  await runInSlices(readAll(seen, entries));
  const doubtful = claims.filter(({ forms }) => !isPointer(forms) && !forms.some((form) => seen.has(form)));
  return [...new Set(doubtful.map(({ text }) => text))];
}

function* readAll(seen: Occurrences, entries: readonly JSONLEntry[]): Generator<void, void> {
  for (const entry of entries) {
    if (seen.isComplete) return;
    for (const text of entryTexts(entry)) yield* seen.read(text);
    yield;
  }
}

const MAX_PROMPTS = 12;
const MAX_CHARACTERS = 2000;

/** What the user wrote last, enough to tell the language by. */
export function userText(entries: readonly JSONLEntry[]): string {
  const prompts: string[] = [];
  for (let index = entries.length - 1; index >= 0 && prompts.length < MAX_PROMPTS; index--) {
    const entry = entries[index];
    const text = entry === undefined ? undefined : promptText(entry);
    if (text !== undefined) prompts.push(text.slice(0, MAX_CHARACTERS));
  }
  return prompts.reverse().join('\n');
}
