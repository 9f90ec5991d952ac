/**
 * The ledger: masking in its cheapest form. Old steps leave the request together, and one note with a line
 * for each of their calls takes their place. What the user wrote stays. Nothing is lost, since each line is a
 * pointer; and since a change costs the provider's cache, many steps go at once or none. Pure.
 */
import type { EntryDraft, JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { reductionDraft } from '../history/reductions.ts';
import { tailStart } from '../history/tail.ts';
import type { View } from '../history/view.ts';
import { ledgerLines } from './ledgerLine.ts';
import { pinnedAtoms } from './plan.ts';

export interface LedgerInput {
  readonly view: View;
  /** Tokens of the newest atoms that stay as they are; the newest always does. */
  readonly protectTokens: number;
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
  /** Tokens of what is older than the protected tail afterwards: notes, prompts, the rest. */
  readonly residue: number;
}

/** The notes for everything old enough; undefined when they would not free `minGain`. */
export function planLedger(input: LedgerInput): LedgerPlan | undefined {
  const { view, sizeOf, sizeOfText } = input;
  const tail = tailStart(view.atoms, { tokens: input.protectTokens, sizeOf });
  const old = view.atoms.slice(0, Math.min(tail, firstUnseen(view.atoms)));
  const before = old.reduce((sum, atom) => sum + sizeOf(atom), 0);
  if (before < input.minGain) return undefined;
  const runs = runsOf(old, view)
    .map((atoms) => ({ ...toRun(atoms), size: atoms.reduce((sum, atom) => sum + sizeOf(atom), 0) }))
    // A single short reply is shorter than a note about it.
    .filter(({ note, size }) => sizeOfText(note) + NOTE_OVERHEAD < size)
    .map(({ removed, note }) => ({ removed, note }));
  const going = new Set(runs.flatMap(({ removed }) => removed));
  const stays = old.filter(({ head }) => !going.has(head.uuid)).reduce((sum, atom) => sum + sizeOf(atom), 0);
  const residue = stays + runs.reduce((sum, { note }) => sum + sizeOfText(note) + NOTE_OVERHEAD, 0);
  const gain = before - residue;
  return runs.length === 0 || gain < input.minGain ? undefined : { runs, gain, residue };
}

/** Results that no request has shown yet, and whatever came after them, such as the output of the user's own command. */
function firstUnseen(atoms: readonly Atom[]): number {
  const lastReply = atoms.findLastIndex(({ kind }) => kind === 'reply');
  return atoms[lastReply]?.calls.length === 0 ? lastReply + 1 : Math.max(0, lastReply);
}

/** The message around a note. */
const NOTE_OVERHEAD = 12;

/** Tokens of what no ledger can make shorter and only a summary can: everything older than the tail, as it is. */
export function residueOf(view: View, protectTokens: number, sizeOf: (atom: Atom) => number): number {
  const start = tailStart(view.atoms, { tokens: protectTokens, sizeOf });
  const kept = (atom: Atom): boolean => isPrompt(atom.head) || atom.head.subtype === 'reduction';
  return view.atoms.slice(0, start).reduce((sum, atom) => sum + (kept(atom) ? sizeOf(atom) : 0), 0);
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
  return goingSubtypes.has(head.subtype ?? '');
}

const goingSubtypes: ReadonlySet<string> = new Set(['shell', 'image', 'reminder', 'nudge', 'memory']);

/** The entry of a plan: all of it is one reduction. */
export function ledgerDraft(
  { runs }: Pick<LedgerPlan, 'runs'>,
  facts: { readonly reason: string; readonly preTokens: number; readonly postTokens: number },
): EntryDraft {
  return reductionDraft({
    kind: 'mask',
    strategy: 'ledger',
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
  const note: JSONLEntry = {
    ...head,
    type: 'system',
    subtype: 'reduction',
    message: { role: 'system', content },
  };
  return { kind: 'user', head: note, calls: [] };
}

function toRun(atoms: readonly Atom[]): LedgerRun {
  const lines = atoms.flatMap(ledgerLines);
  const note = lines.length === 0 ? '' : [HEADING, ...lines].join('\n');
  return { removed: atoms.map(({ head }) => head.uuid), note };
}

const HEADING = 'Earlier steps, a line each; Recall with its pointer ("#12") or a query shows all of it:';
