/** One step of the past as a line of a ledger: what was done, how it ended, where all of it can be had again. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/grouped.ts';
import { decisionsOf } from '../facts/decisions.ts';
import type { Atom, AtomCall } from '../history/atoms.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import { HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import { wellFormed } from '../tokens/wellFormed.ts';

/** Tokens of a call's line, and of what a reply or the user's own command said in words. */
const CALL_TOKENS = 24;
const WORDS_TOKENS = 24;
/** A reply that ended a turn is what the user was told: more of it stays. */
const ANSWER_TOKENS = 90;
/** What a reply decided stays in its own words: nothing else in the request says it. */
const DECISION_TOKENS = 60;
const MAX_DECISIONS = 3;
/** More than this of a text cannot matter for one line. */
const MAX_LOOKED_AT = 800;

/** The lines of an atom; none for notes of the program that say nothing about the past. */
export function ledgerLines(atom: Atom): readonly string[] {
  const { head, calls, kind } = atom;
  if (kind === 'user') return head.subtype === 'shell' ? [`#${head.seq} ! ${words(head, WORDS_TOKENS)}`] : [];
  const decided = decisionsOf([head])
    .slice(0, MAX_DECISIONS)
    .map(({ text }) => oneLine(text, DECISION_TOKENS));
  const said =
    decided.length > 0 ? decided.join(' … ') : words(head, calls.length === 0 ? ANSWER_TOKENS : WORDS_TOKENS);
  return [...(said === '' ? [] : [`#${head.seq} "${said}"`]), ...calls.map(callLine)];
}

function callLine({ call, result }: AtomCall): string {
  const { toolResult } = result ?? {};
  const title = toolResult?.display?.title ?? '';
  const status = toolResult?.status ?? 'interrupted';
  const failed = status !== 'ok' && status !== 'partial';
  const error = failed ? (firstErrorLine(textOf(toolResult?.output)) ?? '') : '';
  const bytes = toolResult?.original?.bytes ?? Buffer.byteLength(textOf(toolResult?.output ?? ''));
  const size = bytes < 100 ? '' : `${grouped(bytes)} bytes`;
  const end = [failed ? status : '', toolResult?.display?.summary ?? '', size, error].filter(
    (part) => part !== '',
  );
  const line = [call.tool?.name ?? '', title, ...(end.length === 0 ? [] : [`→ ${end.join(', ')}`])];
  return `#${result?.seq ?? call.seq} ${oneLine(line.filter((part) => part !== '').join(' '), CALL_TOKENS)}`;
}

function words({ message: { content } }: JSONLEntry, maxTokens: number): string {
  return oneLine(textOf(content), maxTokens);
}

function oneLine(text: string, maxTokens: number): string {
  const flat = wellFormed(text.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, ' ').trim();
  return truncateToTokens(flat, maxTokens, '…', HIGH);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
