/** Looks up earlier content of a session by pointer, range or search, in the log and the blob store. */
import type { RecallAnswer, RecallRequest } from '../../protocol/tools.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { findTarget, parsePointer, type Target } from './find.ts';
import { readPage } from './page.ts';
import { type RecallLimits, searchSession, searchTarget } from './searchSession.ts';
import type { SeenLog } from './seenLog.ts';

const DEFAULT_PAGE_BYTES = 10_000;
const MAX_PAGE_BYTES = 40_000;
const DEFAULT_LIMITS: RecallLimits = { maxBytes: MAX_PAGE_BYTES + 1000, maxLines: 2000 };

/**
 * Never rejects because of the request: an unknown pointer gets an answer with advice. The text stays within the
 * limits, so that it can be added to the conversation without shortening.
 */
export async function recall(
  request: RecallRequest,
  log: SeenLog,
  blobs: Blobs,
  signal: AbortSignal,
  limits: RecallLimits = DEFAULT_LIMITS,
): Promise<RecallAnswer> {
  const query = request.query?.trim() ?? '';
  const id = request.id?.trim() ?? '';
  if (id === '' && query === '') return { found: false, text: `Nothing was asked for. ${ADVICE}` };
  if (id === '') return searchSession(query, log, blobs, signal, limits);
  const pointer = parsePointer(id);
  if (pointer === undefined)
    return { found: false, text: `${JSON.stringify(id.slice(0, 80))} is no pointer. ${ADVICE}` };
  const found = await findTarget(pointer, log, blobs);
  if ('advice' in found) return { found: false, text: `${found.advice} ${ADVICE}` };
  if (query !== '') return searchTarget(query, found, Math.max(0, request.offset ?? 0), signal, limits);
  return { found: true, text: await showPage(found, request, limits) };
}

const ADVICE =
  'A pointer is "#12", "#12-#40" or 8 or more hex digits of a hash; query searches everything that this session has seen.';

/** A header that describes the part and how to read on, followed by the text. */
async function showPage(target: Target, request: RecallRequest, limits: RecallLimits): Promise<string> {
  const { id, what, source, note } = target;
  const offset = Math.max(0, request.offset ?? 0);
  if (offset > 0 && offset >= source.bytes)
    return `[${id} ${what}: ${source.bytes} bytes, so nothing is at ${offset}.]`;
  const wanted = Math.max(1, Math.min(request.limit ?? DEFAULT_PAGE_BYTES, MAX_PAGE_BYTES));
  const header = (start: number, end: number): string => {
    const isWhole = start === 0 && end >= source.bytes;
    const extent = isWhole ? `all ${source.bytes} bytes` : `bytes ${start}-${end} of ${source.bytes}`;
    const more = end >= source.bytes ? '' : `; more: offset ${end}`;
    return `[${id} ${what}: ${extent}${more}.${note === undefined ? '' : ` ${note}`}]\n`;
  };
  // Reserve room for the longest header: the largest numbers, and about 20 characters of "more".
  const room = limits.maxBytes - Buffer.byteLength(header(source.bytes, source.bytes)) - 40;
  const { maxTokens = Number.POSITIVE_INFINITY } = limits;
  for (let maxBytes = Math.min(wanted, room); ; ) {
    const page = await readPage(source, offset, { maxBytes, maxLines: limits.maxLines - 1 });
    const text = header(page.start, page.end) + page.text;
    const tokens = estimateTokens(text, HIGH);
    if (tokens <= maxTokens || maxBytes < LEAST_BYTES) return text;
    // Dense text has more tokens per byte.
    maxBytes = Math.floor(Math.min(maxBytes, page.end - page.start) * Math.min(0.95, maxTokens / tokens));
  }
}

/** Minimum bytes of a page, even if it exceeds the token limit. */
const LEAST_BYTES = 100;
