/** From what a model wrote to what is sent: cut to its budget, and with what the program knows better. */
import { readFacts } from '../facts/knownFacts.ts';
import { type Atom, atomEntries } from '../history/atoms.ts';
import { liveEntries } from '../history/live.ts';
import type { View } from '../history/view.ts';
import type { CompactionBudget } from '../tokens/budgets.ts';
import { HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import { headOf } from '../tokens/wellFormed.ts';
import type { Choice } from './choose.ts';
import { recordedFacts } from './facts.ts';
import type { CompactionJob } from './job.ts';
import type { Sizing } from './sizing.ts';
import { wrapSummary } from './summaryText.ts';
import { verifySummary } from './verifySummary.ts';

/** However little a summary stands for, it may have this much. */
const MIN_SUMMARY = 60;

/** Share of the summary's budget that recorded facts may take where there are that many. */
const FACTS_SHARE = 0.55;
/** Recorded facts beside the summary never take more than this share of what they stand for. */
const FACTS_OF_DROPPED = 0.2;
/** Characters of a token, for text like a list of paths: rather too few than too many. */
const CHARACTERS = 3;
/** Of a token, for text of any kind: rather too many than too few. */
const MOST_CHARACTERS = 12;

/**
 * The whole summary message but for the file snippets. What the model claims and the log does not bear out is
 * marked; constraints, files, tests and commands are added from the log itself.
 */
export async function composeSummary(
  text: string,
  job: CompactionJob,
  { choice, budget, sizing }: { choice: Choice; budget: CompactionBudget; sizing: Sizing },
): Promise<string> {
  const dropped = droppedAtoms(job.view, choice).reduce((sum, atom) => sum + sizing.ofAtom(atom), 0);
  const summarised = dropped + (job.view.summary === undefined ? 0 : budget.summary);
  const tokens = Math.min(budget.summary, Math.max(MIN_SUMMARY, 0.8 * summarised)) / sizing.ratio();
  // A long session has more to record than a summary has room for: that is counted apart.
  // What was recorded before has its room already: it goes with the summary before this one.
  const most = FACTS_OF_DROPPED * summarised + (job.view.summary === undefined ? 0 : budget.facts);
  const own = Math.min(budget.facts, most) / sizing.ratio();
  await readFacts(job.entries);
  const verified = await verifySummary(withinReach(text.trim(), tokens), job.entries);
  const to = lastSummarised(job.view, choice);
  const archived = to === undefined ? {} : { archived: { from: 0, to } };
  const kept = new Set(choice.plan.kept.flatMap(atomEntries).map(({ seq }) => seq));
  const { entries } = liveEntries(job.entries);
  const factsBeside = (summary: string): string => {
    const room = Math.floor((tokens * FACTS_SHARE + own) * CHARACTERS);
    const recorded = recordedFacts(entries, room, { summary, kept, ...archived });
    return [leftOutNote(job.view, choice), recorded].filter((part) => part !== '').join('\n\n');
  };
  const bodyBeside = (facts: string): string => {
    const left = Math.min(tokens, tokens + own - sizing.ofText(facts) / sizing.ratio());
    return truncateToTokens(verified.text, Math.max(0, Math.floor(left)), '\n... (cut)', HIGH);
  };
  const first = factsBeside(verified.text);
  const body = bodyBeside(first);
  // What the cut took from the text is not said by it any more.
  const facts = body === verified.text ? first : factsBeside(body);
  return wrapSummary(facts === '' ? body : `${body}\n\n${facts}`);
}

/** Of a text far beyond its budget, nobody has to check what will be cut anyway. */
function withinReach(text: string, tokens: number): string {
  const most = Math.ceil(tokens * MOST_CHARACTERS);
  return text.length <= most ? text : `${headOf(text, most)}\n... (cut)`;
}

/** What the summary stands for. */
export function droppedAtoms(view: View, { plan }: Choice): Atom[] {
  const kept = new Set(plan.kept);
  return view.atoms.filter((atom) => !kept.has(atom) && atom.head.subtype !== 'instructions');
}

/** Seq of the last entry that the summary speaks for; undefined when it speaks for none. */
export function lastSummarised(view: View, { plan }: Choice): number | undefined {
  const covered = view.atoms.slice(0, plan.cut).flatMap(atomEntries);
  return covered.reduce<number | undefined>((last, { seq }) => Math.max(last ?? seq, seq), undefined);
}

/** The model must not ask again for what it was never shown. */
function leftOutNote({ atoms }: View, { plan }: Choice): string {
  const newest = atoms.at(-1);
  if (newest === undefined || newest.calls.length === 0 || plan.kept.includes(newest)) return '';
  return `The results of the latest ${newest.calls.length} tool calls were too large for the context window and are not shown. Ask for less at a time: fewer calls, smaller ranges, narrower searches.`;
}
