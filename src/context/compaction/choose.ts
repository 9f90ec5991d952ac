/** How far a compaction has to go: from keeping a full tail down to nothing but what is pinned. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Atom } from '../history/atoms.ts';
import type { View } from '../history/view.ts';
import type { CompactionBudget } from '../tokens/budgets.ts';
import { type CompactionPlan, planCompaction } from './plan.ts';

export interface Choice {
  readonly plan: CompactionPlan;
  readonly withSnippets: boolean;
  /** Tool results of the kept atoms that have to be clipped, with the tokens that each may keep. */
  readonly clips: readonly { readonly result: JSONLEntry; readonly tokens: number }[];
}

export interface ChoiceInput {
  readonly view: View;
  readonly budget: CompactionBudget;
  /** Tokens, calibrated, of what stays whatever happens. */
  readonly fixed: number;
  readonly snippetTokens: number;
  /** Tokens that a summary has to stand in for at least, quoted files not counted. */
  readonly minDropped: number;
  /** False while the newest results can still be sent as they are: the model has not seen them yet. */
  readonly mayDropNewest: boolean;
  /** Newest rounds to keep whole where they fit. */
  readonly minRounds?: number | undefined;
  /** Index of the first atom behind a summary that is written already; nothing else may be dropped then. */
  readonly cut?: number | undefined;
  readonly sizeOf: (atom: Atom) => number;
  readonly sizeOfResult: (result: JSONLEntry) => number;
}

/** A clipped result keeps at least this much, or clipping it is not worth the loss. */
const MIN_CLIP = 100;

/**
 * The gentlest way to reach the target: a smaller tail, then no snippets, then clipped tool results, then
 * only what is pinned. Undefined when there is nothing to summarise. The last way may still miss the target.
 */
export function chooseCompaction(input: ChoiceInput): Choice | undefined {
  const { view, budget, fixed, snippetTokens, sizeOf } = input;
  const room = budget.target - fixed - budget.summary - budget.facts;
  const sizeOfAll = (atoms: readonly Atom[]): number => atoms.reduce((sum, atom) => sum + sizeOf(atom), 0);
  const { pinned } = view;
  for (const { share, withSnippets, rounds } of levelsOf(input)) {
    const plan = planCompaction(view.atoms, {
      retainTokens: budget.retain * share,
      sizeOf,
      pinned,
      minRounds: rounds,
      cut: input.cut,
    });
    const quoted = withSnippets ? snippetTokens : 0;
    const needed = sizeOfAll(plan.kept) + quoted;
    // What was read of a file and is dropped, only to be quoted again, is no gain.
    const gained = sizeOfAll(view.atoms) - sizeOfAll(plan.kept) - quoted;
    if (plan.worthwhile && gained >= input.minDropped && needed <= room)
      return { plan, withSnippets, clips: [] };
  }
  const bare = planCompaction(view.atoms, { retainTokens: 0, sizeOf, bare: true, pinned });
  const most = sizeOfAll(view.atoms) - sizeOfAll(bare.kept);
  // Everything would fit afterwards as it is: only a user who asks for it may still want less.
  const isWanted = input.minDropped > 0 && input.mayDropNewest && most >= input.minDropped;
  if (sizeOfAll(view.atoms) <= room && !isWanted) return undefined;
  const newest = planCompaction(view.atoms, { retainTokens: 0, sizeOf, pinned, cut: input.cut });
  // What the user pinned is clipped only where clipping the rest is not enough.
  const free = newest.kept.filter(({ head }) => !pinned.has(head.uuid));
  const clips = clipsFor(newest.kept, free, room, input) ?? clipsFor(newest.kept, newest.kept, room, input);
  if (clips !== undefined) return { plan: newest, withSnippets: false, clips };
  if (!input.mayDropNewest || input.cut !== undefined)
    return { plan: newest, withSnippets: false, clips: [] };
  return bare.worthwhile ? { plan: bare, withSnippets: false, clips: [] } : undefined;
}

interface Level {
  readonly share: number;
  readonly withSnippets: boolean;
  readonly rounds: number;
}

const LEVELS: readonly Level[] = [
  { share: 1, withSnippets: true, rounds: 0 },
  { share: 0.5, withSnippets: true, rounds: 0 },
  { share: 0.25, withSnippets: true, rounds: 0 },
  { share: 0, withSnippets: true, rounds: 0 },
  { share: 1, withSnippets: false, rounds: 0 },
  { share: 0.5, withSnippets: false, rounds: 0 },
  { share: 0, withSnippets: false, rounds: 0 },
];

function levelsOf({ minRounds, cut }: ChoiceInput): readonly Level[] {
  if (cut !== undefined) return LEVELS.filter(({ share }) => share === 0);
  if (minRounds === undefined) return LEVELS;
  return [
    { share: 1, withSnippets: true, rounds: minRounds },
    { share: 1, withSnippets: false, rounds: minRounds },
    { share: 0, withSnippets: true, rounds: minRounds },
    { share: 0, withSnippets: false, rounds: minRounds },
    ...LEVELS,
  ];
}

/** Equal shares of what is left for every result of `clippable` atoms that is larger than its share. */
function clipsFor(
  kept: readonly Atom[],
  clippable: readonly Atom[],
  room: number,
  { sizeOf, sizeOfResult }: ChoiceInput,
): Choice['clips'] | undefined {
  const results = resultsOf(clippable).map((result) => ({ result, size: sizeOfResult(result) }));
  const total = kept.reduce((sum, atom) => sum + sizeOf(atom), 0);
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
  return undefined;
}

function resultsOf(atoms: readonly Atom[]): JSONLEntry[] {
  return atoms.flatMap((atom) => atom.calls.flatMap(({ result }) => result ?? []));
}
