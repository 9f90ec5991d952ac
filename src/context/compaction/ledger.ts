/**
 * The ledger, the cheapest form of masking: replaces a group of old steps with one note that has a line per tool call.
 * User messages stay. Nothing is lost, since each line is a pointer for Recall. Every change invalidates the provider's
 * cache, so either many steps are replaced at once or none. Pure.
 */
import { shellCommand, shellOutput } from '../../protocol/entries/readEntry.ts';
import { type JSONLEntry, kindOf, type NewEntry, originalOf } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { type CallOutcome, callOutcome, shellOutcome } from '../facts/commandRuns.ts';
import { dataText } from '../facts/entryText.ts';
import { type Atom, type AtomCall, isPrompt } from '../history/atoms.ts';
import { reductionEntry, reductionOf } from '../history/reductions.ts';
import { tailStart } from '../history/rounds.ts';
import type { View } from '../history/view.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf, tailOf, truncateToTokens, wellFormed } from '../tokens/truncate.ts';
import { pinnedAtoms, sizeOfAll } from './plan.ts';

interface LedgerInput {
  readonly view: View;
  /** Atoms of the view that are old enough to replace. */
  readonly old: readonly Atom[];
  /** Minimum tokens to free; with less, nothing is replaced. */
  readonly minGain: number;
  readonly sizeOf: (atom: Atom) => number;
  /** Calibrated tokens of a text. */
  readonly sizeOfText: (text: string) => number;
}

/** Adjacent atoms and the note that replaces them. */
interface LedgerRun {
  /** Uuids of their heads. */
  readonly removed: readonly string[];
  readonly note: string;
}

export interface LedgerPlan {
  readonly runs: readonly LedgerRun[];
  /** Tokens freed. */
  readonly gain: number;
}

/**
 * Plans notes for all old atoms; undefined if they free less than `minGain`. Results that no request has contained yet
 * stay.
 */
export function planLedger(input: LedgerInput): LedgerPlan | undefined {
  const { view, sizeOf, sizeOfText } = input;
  const unseen = new Set(view.atoms.slice(firstUnseen(view.atoms)));
  const old = input.old.filter((atom) => !unseen.has(atom));
  const before = sizeOfAll(old, sizeOf);
  if (before < input.minGain) return undefined;
  const runs: LedgerRun[] = [];
  const overhead = view.keepsApart === true ? QUOTE_OVERHEAD : NOTE_OVERHEAD;
  let gain = 0;
  for (const atoms of runsOf(old, view)) {
    const run = toRun(atoms, input);
    const freed = sizeOfAll(atoms, sizeOf) - sizeOfText(run.note) - overhead;
    // A single short reply can be shorter than a note about it.
    if (freed <= 0) continue;
    runs.push(run);
    gain += freed;
  }
  return runs.length === 0 || gain < input.minGain ? undefined : { runs, gain };
}

/** Atoms that masking may replace: older than the newest `protectTokens` and before the entry with seq `before`. */
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

/**
 * Index of the first atom that no request has contained yet, such as new results or output of the user's own command.
 */
function firstUnseen(atoms: readonly Atom[]): number {
  const lastReply = atoms.findLastIndex(({ kind }) => kind === 'reply');
  return atoms[lastReply]?.calls.length === 0 ? lastReply + 1 : Math.max(0, lastReply);
}

/** Tokens of the message around a note, and around one whose lines are separate. */
const NOTE_OVERHEAD = 12;
const QUOTE_OVERHEAD = 70;

/** Groups adjacent atoms that may be replaced, in order. Prompts, pins, instructions and earlier notes stay. */
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
  return kindOf(head)?.isCollapsible === true;
}

/** `strategy` of reductions that record a ledger. */
const LEDGER = 'ledger';

/** The entry for a plan: one reduction with all its notes. */
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

/** The view with the plan applied, to measure it before anything is written. */
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

function placeOf(run: readonly Atom[], { view, old }: LedgerInput): LedgerPosition {
  const at = view.atoms.findIndex(({ head }) => head === run[0]?.head);
  const before = view.atoms[at - 1];
  if (before !== undefined && reductionOf(before.head)?.strategy === LEDGER) return 'continued';
  const prompt = view.atoms.findLast(({ head }) => isPrompt(head));
  if (prompt === undefined || at < view.atoms.indexOf(prompt)) return 'earlier';
  // During a compaction the prompt may stay even if it is not among the atoms to replace.
  const isSummarized = !old.includes(prompt) || (view.summary?.seq ?? -1) > prompt.head.seq;
  return isSummarized ? 'current_after_summary' : 'current';
}

// Text of a ledger note: a heading, and one line with a pointer for each replaced step. Pure.

/** Position of a note's steps in the conversation. */
type LedgerPosition =
  /** Before the newest prompt. */
  | 'earlier'
  /** After the newest prompt: part of the current task. */
  | 'current'
  /** The same, but a summary may cover the first steps of the task. */
  | 'current_after_summary'
  /** Directly after another note. */
  | 'continued';

const RECALL = 'Recall with its pointer ("#12") or a query shows all of it:';

const headings: Readonly<Record<LedgerPosition, string>> = {
  earlier: `Earlier steps, a line each; ${RECALL}`,
  current: `Steps taken since the message above, already done, oldest first, a line each; ${RECALL}`,
  current_after_summary: `Steps taken since the message above, already done, oldest first, a line each. Any before them are in the summary. ${RECALL}`,
  continued: `Further steps, already done, a line each; ${RECALL}`,
};

/** The note for adjacent atoms; empty if they have no lines. */
export function ledgerNote(atoms: readonly Atom[], place: LedgerPosition): string {
  const lines = ledgerLines(atoms);
  return lines.length === 0 ? '' : [headings[place], ...lines].join('\n');
}

/** Maximum tokens of a call's arguments in its line, and of text next to calls. */
const TITLE_TOKENS = 20;
const WORDS_TOKENS = 24;
/** Maximum tokens of a failure's detail. */
const DETAIL_TOKENS = 30;
/** Maximum tokens of open todo items. */
const TODO_TOKENS = 40;
/** Maximum tokens of a reply that ended a turn: more of it is kept, since it is the answer to the user. */
const ANSWER_TOKENS = 90;
/** Characters read at either end of a text; more cannot matter for one line. */
const MAX_LOOKED_AT = 800;

/** The lines for atoms; none for notes of the program, which do not describe past work. */
export function ledgerLines(atoms: readonly Atom[]): readonly string[] {
  const calls = atoms.flatMap((atom) => atom.calls);
  // Only the last todo list: items open in an earlier one may be done by now.
  const lastTodos = calls.findLast(({ result }) => result?.toolResult?.todos !== undefined);
  return atoms.flatMap((atom) => {
    const { head, kind } = atom;
    if (kind === 'user') return head.subtype === 'shell' ? [shellLine(head)] : [];
    const said = inShort(
      dataText(head.message.content),
      atom.calls.length === 0 ? ANSWER_TOKENS : WORDS_TOKENS,
    );
    return [
      ...(said === '' ? [] : [`#${head.seq} "${said}"`]),
      ...atom.calls.map((call) => callLine(call, call === lastTodos ? openTodos(call) : undefined)),
    ];
  });
}

/** The outcome comes before the arguments, which may be cut: a long command must not hide its failure. */
function callLine({ call, result }: AtomCall, objects: string | undefined): string {
  const { toolResult } = result ?? {};
  const bytes = toolResult?.original?.bytes ?? Buffer.byteLength(dataText(toolResult?.output ?? ''));
  const title = objects ?? oneLine(toolResult?.display?.title ?? '', TITLE_TOKENS);
  const parts = [call.tool?.name ?? '', outcomePart(callOutcome(call, result), bytes), title];
  return `#${result?.seq ?? call.seq} ${parts.filter((part) => part !== '').join(' ')}`;
}

/** Line for a command that the user ran. */
function shellLine(entry: JSONLEntry): string {
  const outcome = shellOutcome(entry);
  if (outcome === undefined)
    return `#${entry.seq} ! ${inShort(dataText(entry.message.content), WORDS_TOKENS)}`;
  const bytes = originalOf(entry)?.bytes ?? Buffer.byteLength(shellOutput(entry) ?? '');
  const parts = ['!', outcomePart(outcome, bytes), oneLine(shellCommand(entry) ?? '', TITLE_TOKENS)];
  return `#${entry.seq} ${parts.filter((part) => part !== '').join(' ')}`;
}

function outcomePart({ words, isFailure, detail = '' }: CallOutcome, bytes: number): string {
  const size = isFailure || bytes < 100 ? '' : `${grouped(bytes)} bytes`;
  const parts = [...words, size, oneLine(detail, DETAIL_TOKENS)].filter((part) => part !== '');
  return parts.length === 0 ? '' : `[${parts.join(', ')}]`;
}

/** Open items of a todo list, as many as fit; undefined if there are none. */
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
 * Puts a text on one line: in full if it fits, otherwise its beginning and end. Answers usually start with the outcome
 * and end with a question.
 */
function inShort(text: string, maxTokens: number): string {
  const isLong = text.length > 2 * MAX_LOOKED_AT;
  const whole = flat(isLong ? '' : text);
  if (!isLong && estimateTokens(whole, HIGH) <= maxTokens) return whole;
  const end = endOf(text, Math.floor(maxTokens / 2));
  const start = isLong ? flat(headOf(text, MAX_LOOKED_AT)) : whole.slice(0, whole.length - end.length);
  return `${truncateToTokens(start, maxTokens - estimateTokens(end, HIGH) - 1, ' …', HIGH)} ${end}`.trim();
}

/**
 * The end of a text, from the last paragraph or an earlier question on: as many of its last sentences as fit, at least
 * one.
 */
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

/** Does not match the dot of a numbered list or of a path. */
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
