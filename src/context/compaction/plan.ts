/**
 * Plans a compaction: which atoms stay, which user messages are quoted, how many tokens files get, and which results
 * are clipped. Pure. Tokens for files and messages are reserved before the tail is chosen, so that a long tail never
 * leaves a compaction without the files that matter.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { alwaysKept, isRunning, newestRounds, tailStart } from '../history/rounds.ts';
import type { View } from '../history/view.ts';
import type { CompactionBudget } from '../tokens/budgets.ts';
import { chooseUserMessages, type KeptMessage, quoteUserMessages } from './summaryMessage.ts';

export interface CompactionPlan {
  /** In log order; pinned atoms come before the tail. */
  readonly kept: readonly Atom[];
  /** Number of atoms, from the first, that the summary must cover; the newest of them may be kept too. */
  readonly cut: number;
  /** Kept atoms that are too old for the tail and not covered by an existing summary. */
  readonly uncovered: readonly Atom[];
  /** User messages from the summarized part. */
  readonly userMessages: readonly KeptMessage[];
  /** Tokens for quoted files. */
  readonly snippetTokens: number;
  /** Results of kept atoms to clip, with the tokens that each may keep. */
  readonly clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[];
  /** False if there is nothing for a summary to replace. */
  readonly isWorthwhile: boolean;
}

interface PlanInput {
  readonly view: View;
  readonly budget: CompactionBudget;
  /** Calibrated tokens of the parts that always stay. */
  readonly fixed: number;
  /** Calibrated tokens of the files that could be quoted. */
  readonly snippetTokens: number;
  /** True if the user asked for the compaction: it then runs even if everything would fit. */
  readonly isAsked: boolean;
  /** False if the newest results have to stay because the model has not seen them yet. */
  readonly mayDropNewest: boolean;
  /** Newest rounds to keep in full if they fit. */
  readonly minRounds?: number | undefined;
  /** Number of atoms that an existing summary covers; the atoms after them stay. */
  readonly covered?: number | undefined;
  /** Seq of the first entry of the part that stays whatever its size. */
  readonly keepFrom?: number | undefined;
  readonly sizeOf: (atom: Atom) => number;
  readonly sizeOfResult: (result: JSONLEntry) => number;
  readonly sizeOfText: (text: string) => number;
}

/** Shares of the tail to try; the first one that reaches the target is used. */
const TAILS: readonly number[] = [1, 0.5, 0.25, 0];
/** Minimum tokens that a summary requested by the user must replace; below that it costs more than it saves. */
const LEAST_BY_HAND = 200;
/** Minimum share of the file budget that files get next to the tail, if there are any. */
const LEAST_SNIPPETS = 0.2;
/** Maximum share of the dropped tokens that quoted files may use. */
const SNIPPETS_OF_DROPPED = 0.25;
/** Tokens that files get however little is dropped: enough for part of one file. */
export const MIN_SNIPPETS = 120;
/** Minimum tokens that a clipped result keeps; below that clipping loses too much. */
const MIN_CLIP = 100;

/**
 * Returns the gentlest plan that reaches the target: first with a smaller tail, then with clipped results, then with
 * pinned atoms only. Undefined if there is nothing to summarize. The last plan may still miss the target.
 */
export function planCompaction(input: PlanInput): CompactionPlan | undefined {
  const { view, sizeOf } = input;
  const total = sizeOfAll(view.atoms, sizeOf);
  const room = roomOf(input);
  for (const share of TAILS) {
    const plan = planWith(input, share);
    const kept = sizeOfKept(plan, sizeOf);
    const size = kept + sizeOfMessages(plan, input) + plan.snippetTokens;
    if (plan.isWorthwhile && total - kept >= leastDropped(input) && size <= room) return plan;
  }
  return planTight(input, total, room);
}

function leastDropped({ isAsked }: PlanInput): number {
  return isAsked ? LEAST_BY_HAND : 0;
}

/** Tokens available for atoms, messages and files together. */
function roomOf({ budget, fixed }: PlanInput): number {
  return budget.target - fixed - budget.summary - budget.facts;
}

function planWith(input: PlanInput, share: number): CompactionPlan {
  const { view, budget, sizeOf } = input;
  const room = roomOf(input);
  const required = sizeOfKept(planAtoms(input, { tokens: 0, room: 0 }), sizeOf);
  const files = Math.min(input.snippetTokens, budget.snippets, Math.max(0, room - required));
  const tail = (left: number): AtomBudget => ({
    tokens: Math.min(budget.retain * share, Math.max(0, left)),
    room: left,
  });
  // The first pass finds the prompts that leave; the second makes room for quoting them.
  const first = planAtoms(input, tail(room - files));
  const messages = sizeOfMessages({ userMessages: messagesFor(first.cut, first.kept, input) }, input);
  const { kept, cut, uncovered } = planAtoms(input, tail(room - files - messages));
  const userMessages = messagesFor(cut, kept, input);
  const size = sizeOfKept({ kept, uncovered }, sizeOf);
  const left = room - size - sizeOfMessages({ userMessages }, input);
  const dropped = sizeOfAll(view.atoms, sizeOf) - size;
  const least = Math.min(input.snippetTokens, LEAST_SNIPPETS * budget.snippets);
  return {
    kept,
    cut,
    uncovered,
    userMessages,
    snippetTokens: Math.floor(
      Math.min(Math.max(least, Math.min(files, left)), Math.max(MIN_SNIPPETS, SNIPPETS_OF_DROPPED * dropped)),
    ),
    clips: [],
    isWorthwhile: dropsSomething(view, kept),
  };
}

/** For when no tail fits: clips the newest results or drops even those. */
function planTight(input: PlanInput, total: number, room: number): CompactionPlan | undefined {
  const { view, sizeOf, isAsked, mayDropNewest, covered, keepFrom } = input;
  const bare = planAtoms(input, { tokens: 0, room: 0, isBare: true });
  const most = total - sizeOfAll(bare.kept, sizeOf);
  // Everything would fit uncompacted; then only a user's request justifies a compaction.
  const isWanted = isAsked && mayDropNewest && most >= LEAST_BY_HAND;
  if (total <= room && !isWanted) return undefined;
  const newest = planAtoms(input, { tokens: 0, room: 0 });
  const least = Math.max(MIN_SNIPPETS, LEAST_SNIPPETS * input.budget.snippets);
  const snippetTokens = Math.floor(Math.min(input.snippetTokens, least));
  const planned = (atoms: PlannedAtoms, share = 1): CompactionPlan => ({
    ...atoms,
    userMessages: messagesFor(atoms.cut, atoms.kept, input, share),
    snippetTokens,
    clips: [],
    isWorthwhile: dropsSomething(view, atoms.kept),
  });
  const free = newest.kept.filter(({ head }) => !view.pinned.has(head.uuid));
  const widerBy = (share: number): number => room + share * Math.max(0, input.budget.target - input.fixed);
  const wider = widerBy(WIDER);
  // The part that must stay gets the most room, then results that the model asked for and has not seen yet.
  const first = keepFrom !== undefined ? wider : mayDropNewest ? room : widerBy(WIDER_FOR_UNSEEN);
  // Pinned results are clipped last: user messages and the room for new work shrink first.
  for (const { clippable, share, most: atMost } of [
    { clippable: free, share: 1, most: first },
    { clippable: free, share: 0.5, most: wider },
    { clippable: free, share: 0, most: wider },
    { clippable: newest.kept, share: 1, most: room },
  ]) {
    const plan = planned(newest, share);
    const own = atMost - snippetTokens - sizeOfMessages(plan, input);
    const clips = clipsFor(newest.kept, clippable, own, input);
    const isEnough = plan.isWorthwhile && total - sizeOfAll(newest.kept, sizeOf) >= leastDropped(input);
    // The part that must stay is never clipped.
    if (clips !== undefined && clips.length > 0 && keepFrom !== undefined) return undefined;
    if (clips !== undefined && (clips.length > 0 || isEnough)) return { ...plan, clips };
  }
  if (!mayDropNewest || covered !== undefined) return planned(newest);
  return dropsSomething(view, bare.kept) ? planned(bare) : undefined;
}

/** Share of the target by which a compaction may exceed it, to avoid clipping pinned results. */
const WIDER = 0.5;
/** With a larger share, a small window would need a compaction after nearly every step. */
const WIDER_FOR_UNSEEN = 0.2;

function dropsSomething({ atoms }: View, kept: readonly Atom[]): boolean {
  return kept.length + atoms.filter(isInstructions).length < atoms.length;
}

type PlannedAtoms = Pick<CompactionPlan, 'kept' | 'cut' | 'uncovered'>;

interface AtomBudget {
  /** Tokens for the tail. */
  readonly tokens: number;
  /** Tokens for the newest rounds that must stay complete. */
  readonly room: number;
  /** True to keep only pinned atoms. */
  readonly isBare?: boolean;
}

/**
 * Selects the newest atoms that fit, always with the newest exchange unless `isBare`, and the pinned atoms: the newest
 * prompt with the reply that it answers, the latest permission mode and environment notes, and the user's pins.
 * Instructions are pinned separately.
 */
function planAtoms(input: PlanInput, budget: AtomBudget): PlannedAtoms {
  const { view, covered = Number.POSITIVE_INFINITY } = input;
  const { atoms } = view;
  const pins = pinnedAtoms(atoms, view.pinned);
  const answered = budget.isBare === true ? undefined : answeredBy(input);
  const byTokens = budget.isBare === true ? atoms.length : startOfTail(input, budget);
  const cut = Math.min(byTokens, covered);
  const kept = atoms.filter(
    (atom, index) => (index >= cut || atom === answered || pins.has(atom)) && !isInstructions(atom),
  );
  const uncovered = atoms.slice(cut, byTokens).filter((atom) => !isInstructions(atom));
  return { kept, cut, uncovered };
}

/** The reply that the newest prompt answers ("yes, please" means nothing without it); undefined if it is long. */
function answeredBy({ view: { atoms }, budget, sizeOf }: PlanInput): Atom | undefined {
  const prompt = atoms.findLastIndex(({ head }) => isPrompt(head));
  const reply = atoms
    .slice(0, Math.max(0, prompt))
    .findLast(({ kind, head }) => kind === 'reply' || isPrompt(head));
  if (reply?.kind !== 'reply' || reply.calls.length > 0) return undefined;
  return sizeOf(reply) <= Math.min(MAX_ANSWERED, budget.retain) ? reply : undefined;
}

/** Maximum tokens of a reply kept for the prompt that answers it; a longer one is a report rather than a question. */
const MAX_ANSWERED = 1000;

function startOfTail(
  { view: { atoms }, sizeOf, minRounds = 0, keepFrom = Number.POSITIVE_INFINITY }: PlanInput,
  { tokens, room }: AtomBudget,
): number {
  const newest = newestExchange(atoms);
  const byTokens = tailStart(atoms, {
    tokens,
    sizeOf,
    isRequired: (atom, index) => isRunning(atom) || index >= newest || atom.head.seq >= keepFrom,
  });
  const rounds = newestRounds(atoms, { rounds: minRounds, tokens: room, sizeOf });
  return Math.min(byTokens, rounds ?? byTokens);
}

/**
 * Index of the last reply, or of the prompt that waits for one. Notes of the program after it, such as a new date after
 * a resume, do not count.
 */
function newestExchange(atoms: readonly Atom[]): number {
  const index = atoms.findLastIndex(({ kind, head }) => kind === 'reply' || isPrompt(head));
  return index === -1 ? atoms.length - 1 : index;
}

/** Atoms that no reduction removes: the newest prompt, mode and environment, and the user's pins. */
export function pinnedAtoms(atoms: readonly Atom[], pinned: ReadonlySet<string>): ReadonlySet<Atom> {
  return new Set([...alwaysKept(atoms), ...atoms.filter((atom) => pinned.has(atom.head.uuid))]);
}

function isInstructions({ head }: Atom): boolean {
  return head.subtype === 'instructions';
}

/** Quotes from the prompts that leave now and those that left earlier. */
function messagesFor(
  cut: number,
  kept: readonly Atom[],
  { view, budget, sizeOfText }: PlanInput,
  share = 1,
): readonly KeptMessage[] {
  const stays = new Set(kept);
  const leaving = view.atoms.slice(0, cut).filter((atom) => isPrompt(atom.head) && !stays.has(atom));
  const prompts = [...view.userMessages.map(({ entry }) => entry), ...leaving.map(({ head }) => head)];
  return chooseUserMessages(prompts, { tokens: budget.messages * share, sizeOf: sizeOfText });
}

function sizeOfMessages(
  { userMessages }: Pick<CompactionPlan, 'userMessages'>,
  { sizeOfText }: PlanInput,
): number {
  return sizeOfText(quoteUserMessages(userMessages));
}

/** Tokens of the ledger line that replaces a call no summary covers. */
const LINE_TOKENS = 40;

function sizeOfKept(
  { kept, uncovered }: Pick<CompactionPlan, 'kept' | 'uncovered'>,
  sizeOf: PlanInput['sizeOf'],
): number {
  const lines = new Set(uncovered.filter(({ head }) => !isPrompt(head)));
  return kept.reduce(
    (sum, atom) =>
      sum + (lines.has(atom) ? Math.min(sizeOf(atom), LINE_TOKENS * (1 + atom.calls.length)) : sizeOf(atom)),
    0,
  );
}

/** Tokens of all atoms. */
export function sizeOfAll(atoms: readonly Atom[], sizeOf: PlanInput['sizeOf']): number {
  return atoms.reduce((sum, atom) => sum + sizeOf(atom), 0);
}

/**
 * Divides the remaining tokens equally among the results of `clippable` atoms that exceed their share. Returns an empty
 * list if everything fits, undefined if too little would be left of each result.
 */
function clipsFor(
  kept: readonly Atom[],
  clippable: readonly Atom[],
  room: number,
  { sizeOf, sizeOfResult }: PlanInput,
): CompactionPlan['clips'] | undefined {
  const results = resultsOf(clippable).map((result) => ({ result, size: sizeOfResult(result) }));
  const total = sizeOfAll(kept, sizeOf);
  let free = room - (total - results.reduce((sum, { size }) => sum + size, 0));
  let open = results.sort((a, b) => a.size - b.size);
  while (open.length > 0) {
    const share = Math.floor(free / open.length);
    const [smallest, ...rest] = open;
    if (smallest === undefined || smallest.size > share) {
      return share < MIN_CLIP ? undefined : open.map(({ result }) => ({ result, tokens: share }));
    }
    free -= smallest.size;
    open = rest;
  }
  return free < 0 ? undefined : [];
}

function resultsOf(atoms: readonly Atom[]): JSONLEntry[] {
  return atoms.flatMap((atom) => atom.calls.flatMap(({ result }) => result ?? []));
}
