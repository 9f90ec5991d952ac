/** Whether what a model wrote can be a summary at all. Pure; what is in it is checked elsewhere (checkSummary.ts). */
import type { FinishReason } from '../../protocol/messages.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf } from '../tokens/wellFormed.ts';

/** A reply to the request for a summary. */
export interface WrittenSummary {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly hasCalls: boolean;
}

/**
 * Why this cannot stand in for so many tokens of conversation, ready to show; undefined where it may. In doubt it may:
 * weak models write a few sentences without headings, and that is better than no summary.
 */
export function whyNoSummary(
  { text, finishReason, hasCalls }: WrittenSummary,
  replacedTokens: number,
): string | undefined {
  const called = 'the model called a tool instead of writing a summary';
  if (text === '') return hasCalls ? called : `the model wrote an empty summary (${finishReason})`;
  if (finishReason === 'content_filter') return `${NONE}: a content filter stopped its reply`;
  if (!isReadable(text)) return `${NONE}: its reply is not readable text`;
  const least = Math.min(LEAST_TOKENS, LEAST_SHARE * replacedTokens);
  if (estimateTokens(text, HIGH) >= least) return undefined;
  if (finishReason === 'length') return `${NONE}: its reply was cut off after a few words`;
  if (STRUCTURE.test(text)) return undefined;
  return hasCalls ? called : `${NONE}: ${quoted(text)}`;
}

const NONE = 'the model wrote no summary';

/**
 * Tokens that a summary without any heading has at least: some thirty words, which no refusal and no question back
 * reaches; of a short conversation a hundredth and a half of what it replaces.
 */
const LEAST_TOKENS = 40;
const LEAST_SHARE = 0.015;

/** A line that is one of the headings asked for, or looks like it. */
const STRUCTURE = /^[ \t]*(?:#{1,6}[ \t]|\d{1,2}[.)]|\*\*[^*\n]+\*\*:?[ \t]*$)/m;

/** Text has more letters than control and replacement characters. */
function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const broken = text.match(/[^\P{Cc}\t\n\r]|\uFFFD/gu)?.length ?? 0;
  return letters > broken;
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_QUOTE ? `"${line}"` : `"${headOf(line, MAX_QUOTE)}…"`;
}

const MAX_QUOTE = 80;
