/**
 * What a compaction keeps: which atoms stay, which of the user's messages are copied, how much room files get, and
 * which results have to be clipped. Pure. The room for files and messages is set aside before the tail is chosen, so
 * that a long tail never leaves a compaction without the files that matter.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type Atom, isPrompt } from '../history/atoms.ts';
import { alwaysKept, isRunning, newestRounds, tailStart } from '../history/rounds.ts';
import type { View } from '../history/view.ts';
import type { CompactionBudget } from '../tokens/budgets.ts';
import { chooseUserMessages, type KeptMessage, quoteUserMessages } from './summaryMessage.ts';

export interface CompactionPlan {
  /** In log order. What is pinned stands before the tail. */
  readonly kept: readonly Atom[];
  /** How many atoms, from the first, the summary has to speak for; the newest of them may be kept too. */
  readonly cut: number;
  /** Kept atoms that are too old for the tail, and that a summary written earlier does not speak for. */
  readonly uncovered: readonly Atom[];
  /** The user's messages from among what is summarised. */
  readonly userMessages: readonly KeptMessage[];
  /** Tokens for quoted files. */
  readonly snippetTokens: number;
  /** Results of kept atoms that have to be clipped, with the tokens that each may keep. */
  readonly clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[];
  /** False when there is nothing that a summary could stand in for. */
  readonly isWorthwhile: boolean;
}

export interface PlanInput {
  readonly view: View;
  readonly budget: CompactionBudget;
  /** Calibrated tokens of what stays whatever happens. */
  readonly fixed: number;
  /** Calibrated tokens of the files that could be quoted. */
  readonly snippetTokens: number;
  /** The user asked for it: room is made although everything would fit as it is. */
  readonly isAsked: boolean;
  /** False while the newest results can still be sent as they are: the model has not seen them yet. */
  readonly mayDropNewest: boolean;
  /** Newest rounds to keep whole where they fit. */
  readonly minRounds?: number | undefined;
  /** How many atoms a summary that is written already speaks for: what follows them stays. */
  readonly covered?: number | undefined;
  /** Seq of the first entry of what stays whatever its size. */
  readonly keepFrom?: number | undefined;
  readonly sizeOf: (atom: Atom) => number;
  readonly sizeOfResult: (result: JSONLEntry) => number;
  readonly sizeOfText: (text: string) => number;
}

/** Shares of the tail that are tried: the first that reaches the target is taken. */
const TAILS: readonly number[] = [1, 0.5, 0.25, 0];
/** Tokens that a summary has to stand in for when the user asks for one: less gains nothing and has to be paid for. */
const LEAST_BY_HAND = 200;
/** Share of the room next to the tail that files get at least, if there are any. */
const LEAST_SNIPPETS = 0.2;
/** Of what is dropped, at most this much comes back as quoted files: read again for nothing else. */
const SNIPPETS_OF_DROPPED = 0.25;
/** Tokens that files get however little is dropped: enough for a part of one. */
export const MIN_SNIPPETS = 120;
/** A clipped result keeps at least this much, or clipping it is not worth the loss. */
const MIN_CLIP = 100;

/**
 * The gentlest plan that reaches the target: first a smaller tail, then clipped results, then nothing but what is
 * pinned. Undefined when there is nothing to summarise. The last plan may still miss the target.
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

/** Tokens that atoms, messages and files may have together. */
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
  // The first pass says which prompts leave, the second makes room for them.
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

/** Everything that may go has gone: the newest results are clipped, or even they go. */
function planTight(input: PlanInput, total: number, room: number): CompactionPlan | undefined {
  const { view, sizeOf, isAsked, mayDropNewest, covered, keepFrom } = input;
  const bare = planAtoms(input, { tokens: 0, room: 0, isBare: true });
  const most = total - sizeOfAll(bare.kept, sizeOf);
  // Everything would fit afterwards as it is: only a user who asks for it may still want less.
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
  // What stays whatever its size gets the most; then what the model asked for and has not seen yet.
  const first = keepFrom !== undefined ? wider : mayDropNewest ? room : widerBy(WIDER_FOR_UNSEEN);
  // What the user pinned is clipped last: before it, older messages give way, and the room for new work.
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
    // What stays whatever its size stays as it is.
    if (clips !== undefined && clips.length > 0 && keepFrom !== undefined) return undefined;
    if (clips !== undefined && (clips.length > 0 || isEnough)) return { ...plan, clips };
  }
  if (!mayDropNewest || covered !== undefined) return planned(newest);
  return dropsSomething(view, bare.kept) ? planned(bare) : undefined;
}

/** By this share of what a compaction aims at it may miss that, before it clips what is pinned. */
const WIDER = 0.5;
/** More, and in a small window nearly every step is followed by a compaction. */
const WIDER_FOR_UNSEEN = 0.2;

function dropsSomething({ atoms }: View, kept: readonly Atom[]): boolean {
  return kept.length + atoms.filter(isInstructions).length < atoms.length;
}

type PlannedAtoms = Pick<CompactionPlan, 'kept' | 'cut' | 'uncovered'>;

interface AtomBudget {
  /** Of the tail. */
  readonly tokens: number;
  /** For the newest rounds, where some are to stay whole. */
  readonly room: number;
  /** True to keep nothing but what is pinned. */
  readonly isBare?: boolean;
}

/**
 * The newest atoms that fit, the newest exchange always unless `isBare`, and what is pinned: the newest prompt with
 * what it answers, the latest word on permission mode and environment, and what the user pinned. Instructions are
 * pinned elsewhere.
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

/** The reply that the newest prompt answers: "yes, please" says nothing without it. Undefined where it is long. */
function answeredBy({ view: { atoms }, budget, sizeOf }: PlanInput): Atom | undefined {
  const prompt = atoms.findLastIndex(({ head }) => isPrompt(head));
  const reply = atoms
    .slice(0, Math.max(0, prompt))
    .findLast(({ kind, head }) => kind === 'reply' || isPrompt(head));
  if (reply?.kind !== 'reply' || reply.calls.length > 0) return undefined;
  return sizeOf(reply) <= Math.min(MAX_ANSWERED, budget.retain) ? reply : undefined;
}

/** Tokens of a reply that stays with the prompt that answers it; a longer one is not a question but a report. */
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
 * Index of the newest thing that was said: the last reply, or the prompt that waits for one. Notes of the program
 * that follow it (a new date after a resume) are not the newest of the conversation.
 */
function newestExchange(atoms: readonly Atom[]): number {
  const index = atoms.findLastIndex(({ kind, head }) => kind === 'reply' || isPrompt(head));
  return index === -1 ? atoms.length - 1 : index;
}

/** What no reduction takes away: the newest of what the model has to go by, and what the user pinned. */
export function pinnedAtoms(atoms: readonly Atom[], pinned: ReadonlySet<string>): ReadonlySet<Atom> {
  return new Set([...alwaysKept(atoms), ...atoms.filter((atom) => pinned.has(atom.head.uuid))]);
}

function isInstructions({ head }: Atom): boolean {
  return head.subtype === 'instructions';
}

/** Of the prompts that leave, and of those that left before. */
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

/** A step that no summary speaks for becomes a line for each of its calls. */
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

function sizeOfAll(atoms: readonly Atom[], sizeOf: PlanInput['sizeOf']): number {
  return atoms.reduce((sum, atom) => sum + sizeOf(atom), 0);
}

/**
 * Equal shares of what is left for every result of `clippable` atoms that is larger than its share; none where all
 * fits, undefined where too little would be left of them.
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
