/** A history with a summary in the place of its older part. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { headOf, wellFormed } from '../tokens/wellFormed.ts';
import { alwaysKept } from './alwaysKept.ts';
import { atomEntries, groupAtoms } from './atoms.ts';
import { retainRounds } from './rounds.ts';

export interface CompressOptions {
  readonly sizeOf: (entry: JSONLEntry) => number;
  /** Newest rounds that stay whole, where they fit into `tokens`. */
  readonly rounds: number;
  readonly tokens: number;
  /** ISO 8601, UTC. */
  readonly compressedAt: string;
}

const HEADING = '## Archived Session Summary';
const EARLIER_HEADING = '### The summary before this one';
/** Of earlier summaries: what was folded in again and again gets shorter at its old end. */
const MAX_EARLIER_CHARACTERS = 8000;

/**
 * Header, instructions, summary, what else is always kept, the newest rounds: in this order. Undefined when
 * there is nothing that the summary could stand for, or when the result would be no smaller.
 */
export function compressHistory(
  entries: readonly JSONLEntry[],
  summary: string,
  { sizeOf, rounds, tokens, compressedAt }: CompressOptions,
): JSONLEntry[] | undefined {
  const sizeOfAll = (list: readonly JSONLEntry[]): number =>
    list.reduce((sum, entry) => sum + sizeOf(entry), 0);
  const atoms = groupAtoms(entries);
  const cut = retainRounds(atoms, { rounds, tokens, sizeOf: (atom) => sizeOfAll(atomEntries(atom)) });
  const fixed = alwaysKept(atoms);
  const kept = atoms.filter((atom, index) => index >= cut || fixed.has(atom));
  const dropped = atoms.filter((atom, index) => index < cut && !fixed.has(atom));
  const last = dropped.at(-1)?.head;
  if (last === undefined) return undefined;
  const isInstructions = ({ subtype }: JSONLEntry): boolean => subtype === 'instructions';
  const heads = entries.filter((entry) => entry.subtype === 'session_start' || isInstructions(entry));
  const tail = kept.flatMap(atomEntries).filter((entry) => !isInstructions(entry));
  const earlier = entries.findLast(({ isCompactSummary }) => isCompactSummary === true);
  const text = foldSummaries(summary, earlier);
  const before = sizeOfAll(entries);
  const stamp = { last, compressedAt, preTokens: before, retained: tail.map(({ uuid }) => uuid) };
  const compressed = [...heads, summaryEntry(text, stamp), ...tail];
  return sizeOfAll(compressed) < before ? compressed : undefined;
}

/** A summary that already holds the earlier one, because its writer read it, stays as it is. */
function foldSummaries(summary: string, earlier: JSONLEntry | undefined): string {
  const body = wellFormed(summary).trim();
  const old = bodyOf(earlier);
  if (old === '' || body.includes(old)) return `${HEADING}\n\n${body}`;
  return `${HEADING}\n\n${body}\n\n${EARLIER_HEADING}\n\n${headOf(old, MAX_EARLIER_CHARACTERS)}`;
}

function bodyOf(earlier: JSONLEntry | undefined): string {
  const content = earlier?.message.content;
  if (typeof content !== 'string') return '';
  return content.startsWith(HEADING) ? content.slice(HEADING.length).trim() : content.trim();
}

/** Stands where the newest entry stood that it speaks for. */
function summaryEntry(
  content: string,
  facts: {
    readonly last: JSONLEntry;
    readonly compressedAt: string;
    readonly preTokens: number;
    readonly retained: string[];
  },
): JSONLEntry {
  const { v, seq, uuid, sessionId, cwd, version } = facts.last;
  return {
    ...{ v, seq, uuid: `summary-${uuid}`, parentUuid: uuid, sessionId, cwd, version },
    timestamp: facts.compressedAt,
    type: 'user',
    message: { role: 'user', content },
    isCompactSummary: true,
    compactMetadata: {
      trigger: 'auto',
      strategy: 'rounds',
      preTokens: facts.preTokens,
      retained: facts.retained,
    },
    data: { compressedAt: facts.compressedAt },
  };
}
