/** The one line that stands in for an old tool result when it is masked. Pure: the same entries, the same bytes. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import { wellFormed } from '../tokens/wellFormed.ts';
import { firstErrorLine } from './errorLines.ts';

/** Most tokens of a stub, by the higher estimate. */
export const MASK_STUB_TOKENS = 60;

/**
 * Names the tool, what it was called with, how it ended, its size and where it can be had again, and of a
 * failure its first error line: at most `MASK_STUB_TOKENS`. Where the stub is no shorter than the output,
 * masking gains nothing: compare before using it.
 */
export function maskStub(result: JSONLEntry, call?: JSONLEntry): string {
  const { toolResult } = result;
  const output = textOf(toolResult?.output);
  const status = toolResult?.status ?? 'ok';
  const bytes = toolResult?.original?.bytes ?? Buffer.byteLength(output);
  const name = oneLine(toolResult?.name ?? call?.tool?.name ?? 'tool', 8);
  const title = oneLine(toolResult?.display?.title ?? '', MAX_TITLE_TOKENS);
  const end = oneLine(toolResult?.display?.summary ?? '', 8);
  const outcome = [status === 'ok' || status === 'partial' ? '' : status, end].filter((part) => part !== '');
  const head = [name, title, ...(outcome.length === 0 ? [] : [`→ ${outcome.join(', ')}`])]
    .filter((part) => part !== '')
    .join(' ');
  const body = `[${head}; ${bytes} bytes, masked: Recall("#${result.seq}")`;
  const error = status === 'error' ? firstErrorLine(output) : undefined;
  const room = MASK_STUB_TOKENS - estimateTokens(`${body}; ]`, HIGH) - 1;
  const shown = error === undefined || room < 4 ? '' : oneLine(error, room);
  return shown === '' ? `${body}]` : `${body}; ${shown}]`;
}

const MAX_TITLE_TOKENS = 16;
/** More than this of a text cannot matter for one line. */
const MAX_LOOKED_AT = 400;

function oneLine(text: string, maxTokens: number): string {
  const flat = wellFormed(text.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, ' ').trim();
  return truncateToTokens(flat, maxTokens, '…', HIGH);
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
