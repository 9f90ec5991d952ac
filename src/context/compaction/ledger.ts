/**
 * The ledger: masking in its cheapest form. Old steps leave the request together, and one note with a line
 * for each of their calls replaces them. What the user wrote stays. Nothing is lost, since each line is a
 * pointer; and since a change costs the provider's cache, many steps go at once or none. Pure.
 */

import { shellCommand } from '../../protocol/entries/readEntry.ts';
import { shellOutput } from '../../protocol/entries/shellOutput.ts';
import { type JSONLEntry, kindOf, type NewEntry, originalOf } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { type CallOutcome, callOutcome, shellOutcome } from '../facts/callOutcome.ts';
import { type Atom, type AtomCall, isPrompt } from '../history/atoms.ts';
import { reductionEntry, reductionOf } from '../history/reductions.ts';
import { tailStart } from '../history/rounds.ts';
import type { View } from '../history/view.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf, tailOf, truncateToTokens, wellFormed } from '../tokens/truncate.ts';
import { pinnedAtoms } from './plan.ts';

export interface LedgerInput {
  readonly view: View;
  /** Atoms of the view that are old enough. */
  readonly old: readonly Atom[];
  /** Tokens that have to be freed, or nothing happens. */
  readonly minGain: number;
  readonly sizeOf: (atom: Atom) => number;
  /** Tokens of a text, calibrated. */
  readonly sizeOfText: (text: string) => number;
}

/** Neighbouring atoms and the note in their place. */
export interface LedgerRun {
  /** Uuids of heads. */
  readonly removed: readonly string[];
  readonly note: string;
}

export interface LedgerPlan {
  readonly runs: readonly LedgerRun[];
  /** Tokens freed. */
  readonly gain: number;
}

/** The notes for everything old enough; undefined when they would not free `minGain`. What no request has shown yet stays. */
export function planLedger(input: LedgerInput): LedgerPlan | undefined {
  const { view, sizeOf, sizeOfText } = input;
  const unseen = new Set(view.atoms.slice(firstUnseen(view.atoms)));
  const old = input.old.filter((atom) => !unseen.has(atom));
  const before = sizeOfAll(old, sizeOf);
  if (before < input.minGain) return undefined;
  const runs: LedgerRun[] = [];
  let gain = 0;
  for (const atoms of runsOf(old, view)) {
    const run = toRun(atoms, input);
    const freed = sizeOfAll(atoms, sizeOf) - sizeOfText(run.note) - NOTE_OVERHEAD;
    // A single short reply is shorter than a note about it.
    if (freed <= 0) continue;
    runs.push(run);
    gain += freed;
  }
  return runs.length === 0 || gain < input.minGain ? undefined : { runs, gain };
}

/** What masking may take: everything before the newest `protectTokens`, and before the entry with the seq `before`. */
export function oldAtoms(
  { atoms }: View,
  {
    protectTokens,
    before,
    sizeOf,
  }: { readonly protectTokens: number; readonly before: number } & Pick<LedgerInput, 'sizeOf'>,
): readonly Atom[] {
  const tail = tailStart(atoms, { tokens: protectTokens, sizeOf });
  return atoms.slice(0, tail).filter(({ head }) => head.seq < before);
}

/** Results that no request has shown yet, and whatever came after them, such as the output of the user's own command. */
function firstUnseen(atoms: readonly Atom[]): number {
  const lastReply = atoms.findLastIndex(({ kind }) => kind === 'reply');
  return atoms[lastReply]?.calls.length === 0 ? lastReply + 1 : Math.max(0, lastReply);
}

/** The message around a note. */
const NOTE_OVERHEAD = 12;

function sizeOfAll(atoms: readonly Atom[], sizeOf: LedgerInput['sizeOf']): number {
  return atoms.reduce((sum, atom) => sum + sizeOf(atom), 0);
}

/** Neighbours that may go, in order. Prompts, pins, instructions and earlier notes stay where they are. */
function runsOf(old: readonly Atom[], view: View): readonly (readonly Atom[])[] {
  const pinned = pinnedAtoms(view.atoms, view.pinned);
  const runs: Atom[][] = [];
  let open: Atom[] | undefined;
  for (const atom of old) {
    if (!mayGo(atom) || pinned.has(atom)) {
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = [];
      runs.push(open);
    }
    open.push(atom);
  }
  return runs;
}

function mayGo({ kind, head, calls }: Atom): boolean {
  if (kind === 'reply') return calls.every(({ result }) => result !== undefined);
  return kindOf(head)?.folds === true;
}

/** Of the reductions that record a ledger. */
const LEDGER = 'ledger';

/** The entry of a plan: all of it is one reduction. */
export function ledgerEntry(
  { runs }: Pick<LedgerPlan, 'runs'>,
  facts: { readonly reason: string; readonly preTokens: number; readonly postTokens: number },
): NewEntry {
  return reductionEntry({
    kind: 'mask',
    strategy: LEDGER,
    ...facts,
    removed: runs.flatMap(({ removed }) => removed),
    notes: runs.flatMap(({ removed: [at], note: text }) => (at === undefined ? [] : [{ at, text }])),
  });
}

/** A view as it will be with the plan in it, to be measured before anything is written. */
export function withLedger(view: View, plan: LedgerPlan | undefined): View {
  if (plan === undefined) return view;
  const noteBy = new Map(plan.runs.map(({ removed, note }) => [removed[0], note]));
  const gone = new Set(plan.runs.flatMap(({ removed }) => removed));
  const atoms = view.atoms.flatMap((atom) => {
    const note = noteBy.get(atom.head.uuid);
    if (note !== undefined) return [noteAtom(atom.head, note)];
    return gone.has(atom.head.uuid) ? [] : [atom];
  });
  return { ...view, atoms };
}

function noteAtom(head: JSONLEntry, content: string): Atom {
  const { data: _, ...place } = head;
  const note: JSONLEntry = {
    ...place,
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content },
  };
  return { kind: 'user', head: note, calls: [] };
}

function toRun(atoms: readonly Atom[], input: LedgerInput): LedgerRun {
  return { removed: atoms.map(({ head }) => head.uuid), note: ledgerNote(atoms, placeOf(atoms, input)) };
}

function placeOf(run: readonly Atom[], { view, old }: LedgerInput): LedgerPlace {
  const at = view.atoms.findIndex(({ head }) => head === run[0]?.head);
  const before = view.atoms[at - 1];
  if (before !== undefined && reductionOf(before.head)?.strategy === LEDGER) return 'continued';
  const prompt = view.atoms.findLast(({ head }) => isPrompt(head));
  if (prompt === undefined || at < view.atoms.indexOf(prompt)) return 'earlier';
  // While a summary is written the prompt may stay though it is not among what the summary leaves.
  const isSummarised = !old.includes(prompt) || (view.summary?.seq ?? -1) > prompt.head.seq;
  return isSummarised ? 'current_after_summary' : 'current';
}

// What a note of the ledger says: a heading, and a line with its pointer for each step in whose place it stands. Pure.

/** Where the steps of a note stand. */
export type LedgerPlace =
  /** Before the newest prompt. */
  | 'earlier'
  /** Behind the newest prompt: they belong to the task at hand. */
  | 'current'
  /** The same, where a summary may speak for the first steps of that task. */
  | 'current_after_summary'
  /** Directly behind another note. */
  | 'continued';

const RECALL = 'Recall with its pointer ("#12") or a query shows all of it:';

const headings: Readonly<Record<LedgerPlace, string>> = {
  earlier: `Earlier steps, a line each; ${RECALL}`,
  current: `Steps taken since the message above, already done, oldest first, a line each; ${RECALL}`,
  current_after_summary: `Steps taken since the message above, already done, oldest first, a line each. Any before them are in the summary. ${RECALL}`,
  continued: `Further steps, already done, a line each; ${RECALL}`,
};

/** The note for neighbouring atoms; empty when they say nothing about the past. */
export function ledgerNote(atoms: readonly Atom[], place: LedgerPlace): string {
  const lines = ledgerLines(atoms);
  return lines.length === 0 ? '' : [headings[place], ...lines].join('\n');
}

/** Tokens of a call's arguments in its line, and of the text next to calls. */
const TITLE_TOKENS = 20;
const WORDS_TOKENS = 24;
/** Tokens of what a failure says. */
const DETAIL_TOKENS = 30;
/** Tokens of the todo items that were open. */
const TODO_TOKENS = 40;
/** A reply that ended a turn is what the user was told: more of it stays. */
const ANSWER_TOKENS = 90;
/** More than this at either end of a text cannot matter for one line. */
const MAX_LOOKED_AT = 800;

/** The lines of atoms; none for notes of the program that say nothing about the past. */
export function ledgerLines(atoms: readonly Atom[]): readonly string[] {
  const calls = atoms.flatMap((atom) => atom.calls);
  // What an earlier list had open may be done by now.
  const lastTodos = calls.findLast(({ result }) => result?.toolResult?.todos !== undefined);
  return atoms.flatMap((atom) => {
    const { head, kind } = atom;
    if (kind === 'user') return head.subtype === 'shell' ? [shellLine(head)] : [];
    const said = inShort(
      textOf(head.message.content),
      atom.calls.length === 0 ? ANSWER_TOKENS : WORDS_TOKENS,
    );
    return [
      ...(said === '' ? [] : [`#${head.seq} "${said}"`]),
      ...atom.calls.map((call) => callLine(call, call === lastTodos ? openTodos(call) : undefined)),
    ];
  });
}

/** The outcome stands before the arguments, which may be cut: a long command must not hide that it failed. */
function callLine({ call, result }: AtomCall, objects: string | undefined): string {
  const { toolResult } = result ?? {};
  const bytes = toolResult?.original?.bytes ?? Buffer.byteLength(textOf(toolResult?.output ?? ''));
  const title = objects ?? oneLine(toolResult?.display?.title ?? '', TITLE_TOKENS);
  const parts = [call.tool?.name ?? '', outcomePart(callOutcome(call, result), bytes), title];
  return `#${result?.seq ?? call.seq} ${parts.filter((part) => part !== '').join(' ')}`;
}

/** A command that the user ran. */
function shellLine(entry: JSONLEntry): string {
  const outcome = shellOutcome(entry);
  if (outcome === undefined) return `#${entry.seq} ! ${inShort(textOf(entry.message.content), WORDS_TOKENS)}`;
  const bytes = originalOf(entry)?.bytes ?? Buffer.byteLength(shellOutput(entry) ?? '');
  const parts = ['!', outcomePart(outcome, bytes), oneLine(shellCommand(entry) ?? '', TITLE_TOKENS)];
  return `#${entry.seq} ${parts.filter((part) => part !== '').join(' ')}`;
}

function outcomePart({ words, isFailure, detail = '' }: CallOutcome, bytes: number): string {
  const size = isFailure || bytes < 100 ? '' : `${grouped(bytes)} bytes`;
  const parts = [...words, size, oneLine(detail, DETAIL_TOKENS)].filter((part) => part !== '');
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}

/** The items that a todo list had open, as far as there is room; undefined for none. */
function openTodos({ result }: AtomCall): string | undefined {
  const open = (result?.toolResult?.todos ?? []).filter(({ status }) => status !== 'completed');
  if (open.length === 0) return undefined;
  const names = open.map(({ content }) => oneLine(content, TITLE_TOKENS));
  const text = (count: number): string => {
    const more = open.length - count;
    return `open: ${names.slice(0, count).join('; ')}${more === 0 ? '' : `; and ${more} more`}`;
  };
  let count = names.length;
  while (count > 1 && estimateTokens(text(count), HIGH) > TODO_TOKENS) count--;
  return text(count);
}

/**
 * A text on one line: whole where it fits, otherwise its beginning and its end. Answers put the outcome first and
 * what they ask last.
 */
function inShort(text: string, maxTokens: number): string {
  const isLong = text.length > 2 * MAX_LOOKED_AT;
  const whole = flat(isLong ? '' : text);
  if (!isLong && estimateTokens(whole, HIGH) <= maxTokens) return whole;
  const end = endOf(text, Math.floor(maxTokens / 2));
  const start = isLong ? flat(headOf(text, MAX_LOOKED_AT)) : whole.slice(0, whole.length - end.length);
  return `${truncateToTokens(start, maxTokens - estimateTokens(end, HIGH) - 1, ' …', HIGH)} ${end}`.trim();
}

/** From the last paragraph on, or from a question before it: as many of the sentences there as fit, the last at least. */
function endOf(text: string, maxTokens: number): string {
  const tail = tailOf(text.trimEnd(), MAX_LOOKED_AT);
  const starts = [0, ...Array.from(tail.matchAll(SENTENCE_END), ({ 0: end, index }) => index + end.length)];
  const paragraph = Math.max(
    0,
    ...Array.from(tail.matchAll(/\n\s*\n/g), ({ 0: gap, index }) => index + gap.length),
  );
  const question =
    starts.findLast((start, index) => QUESTION.test(tail.slice(start, starts[index + 1]))) ?? paragraph;
  const wanted = starts
    .filter((start) => start >= Math.min(paragraph, question))
    .map((start) => flat(tail.slice(start)));
  const last = wanted.at(-1) ?? '';
  return wanted.find((end) => estimateTokens(end, HIGH) <= maxTokens) ?? lastWords(last, maxTokens);
}

/** Not the dot of a numbered list or of a path. */
const SENTENCE_END = /(?<=[^\d\s][.!?]["')\]`*]*)\s+|(?<=[。！？])|\n+/g;
const QUESTION = /[?？]["')\]`*]*\s*$/;

function lastWords(sentence: string, maxTokens: number): string {
  let kept = sentence;
  while (kept !== '' && estimateTokens(`…${kept}`, HIGH) > maxTokens)
    kept = tailOf(kept, Math.floor(kept.length * 0.9)).replace(/^\S*\s(?=\S)/, '');
  return `…${kept}`;
}

function oneLine(text: string, maxTokens: number): string {
  return truncateToTokens(flat(headOf(text, MAX_LOOKED_AT)), maxTokens, '…', HIGH);
}

function flat(text: string): string {
  return wellFormed(text).replace(/\s+/g, ' ').trim();
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
