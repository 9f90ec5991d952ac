/**
 * The ledger: masking in its cheapest form. Old steps leave the request together, and one note with a line
 * for each of their calls takes their place. What the user wrote stays. Nothing is lost, since each line is a
 * pointer; and since a change costs the provider's cache, many steps go at once or none. Pure.
 */
import { type EntryDraft, type JSONLEntry, kindOf } from '../../protocol/entries.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { reductionDraft, reductionOf } from '../history/reductions.ts';
import { tailStart } from '../history/tail.ts';
import type { View } from '../history/view.ts';
import { type LedgerPlace, ledgerNote } from './ledgerNote.ts';
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
export function ledgerDraft(
  { runs }: Pick<LedgerPlan, 'runs'>,
  facts: { readonly reason: string; readonly preTokens: number; readonly postTokens: number },
): EntryDraft {
  return reductionDraft({
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
