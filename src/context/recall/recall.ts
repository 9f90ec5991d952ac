/** Looks up earlier content of a session by pointer, range or search, in the log and the blob store. */

import type { JSONLEntry } from '../../protocol/entries.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { RecallAnswer, RecallRequest } from '../../protocol/tools.ts';
import { maskedKey, type NoteKey } from '../request/systemNotes.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';
import { findTarget, parsePointer, type Target } from './find.ts';
import { createMatcher, type Hit, HitList, type HitPosition, Scanner } from './matcher.ts';
import { blobSource, readPage } from './page.ts';
import { describeEntry, recallOriginal, recallText } from './recallText.ts';
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
  if (id === '' && query === '')
    return { found: false, text: `Neither an id nor a query was given. ${ADVICE}` };
  if (id === '') return searchSession(query, log, blobs, signal, limits);
  const pointer = parsePointer(id);
  if (pointer === undefined)
    return { found: false, text: `${JSON.stringify(id.slice(0, 80))} is not a pointer. ${ADVICE}` };
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

// Searches a session, newest entries first, in bounded memory and time.

/** Limits of one answer, including its header. */
interface RecallLimits {
  readonly maxBytes: number;
  readonly maxLines: number;
  /** Maximum tokens by the higher estimate; absent = no token limit. */
  readonly maxTokens?: number;
  /** The key of the session's notes, of which hits contain no part. */
  readonly noteKey?: NoteKey;
}

const maskFor =
  ({ noteKey }: RecallLimits) =>
  (text: string): string =>
    maskedKey(text, noteKey);

/** Maximum hits per entry when searching all entries; a search in that entry shows the others. */
const MAX_PER_ENTRY = 4;

/** Searches prompts, replies, reasoning, calls, results, summaries and stored originals. */
async function searchSession(
  query: string,
  log: SeenLog,
  blobs: Blobs,
  signal: AbortSignal,
  limits: RecallLimits,
): Promise<RecallAnswer> {
  const matcher = createMatcher(query);
  const scanner = new Scanner(matcher, signal, maskFor(limits));
  const hits = new HitList(MAX_PER_ENTRY);
  const searched = new Set<string>();
  const inRequest = alreadyInRequest(log.recent);
  let stoppedAt = '';
  let oldest = log.last;
  for await (const entry of log.before(Number.POSITIVE_INFINITY)) {
    if (scanner.isOver || hits.isFull) break;
    oldest = entry.seq;
    if (isOwnEcho(entry)) continue;
    const place = placeOf(entry);
    const original = recallOriginal(entry);
    if (original === undefined && inRequest.has(entry)) continue;
    // The shown part is in the original: search only that, so that the hit has the right offset.
    const source = original === undefined ? undefined : await blobSource(original, blobs);
    if (original !== undefined && source !== undefined) {
      if (searched.has(original.hash)) continue;
      searched.add(original.hash);
      const end = await scanner.scanSource(source, place, hits);
      if (scanner.isOver && end < source.bytes)
        stoppedAt = ` Continue with id "${place.id}", the same query and offset ${end}.`;
    } else await scanner.scanText(recallText(entry), place, hits);
  }
  if (hits.best().length === 0)
    for (const entry of inRequest) await scanner.scanText(recallText(entry), placeOf(entry), hits);
  return report(query, hits, scanner, limits, `#${oldest} to #${log.last}`, stoppedAt);
}

/** Searches one entry, range or original, from byte `from` on. */
async function searchTarget(
  query: string,
  { id, what, source }: Target,
  from: number,
  signal: AbortSignal,
  limits: RecallLimits,
): Promise<RecallAnswer> {
  const scanner = new Scanner(createMatcher(query), signal, maskFor(limits));
  const hits = new HitList(Number.POSITIVE_INFINITY);
  const end = await scanner.scanSource(source, { id, what }, hits, from);
  return report(query, hits, scanner, limits, `${id}, bytes ${from}-${end} of ${source.bytes}`);
}

function placeOf(entry: JSONLEntry): HitPosition {
  return { id: `#${entry.seq}`, what: describeEntry(entry) };
}

/**
 * The newest prompt and the reply that calls Recall. Both are already in the request, and most of the query's words
 * come from them, so their hits would hide all others.
 */
function alreadyInRequest(entries: readonly JSONLEntry[]): ReadonlySet<JSONLEntry> {
  const call = entries.findLastIndex(({ tool }) => tool?.name === toolNames.recall);
  const isRunning = !entries.slice(call).some(endsRecallCall);
  if (call === -1 || !isRunning) return new Set();
  const before = entries.slice(0, call);
  const prompt = before.findLast(({ subtype }) => subtype === 'prompt');
  const reply = before.findLast(({ type }) => type === 'assistant');
  return new Set([prompt, reply].flatMap((entry) => entry ?? []));
}

/** True for an entry that is recorded only after an earlier Recall call has ended. */
function endsRecallCall({ subtype, type, toolResult }: JSONLEntry): boolean {
  return toolResult?.name === toolNames.recall || type === 'assistant' || subtype === 'prompt';
}

/** Recall's own calls and answers only repeat other hits. */
function isOwnEcho({ tool, toolResult }: JSONLEntry): boolean {
  return tool?.name === toolNames.recall || toolResult?.name === toolNames.recall;
}

function report(
  query: string,
  hits: HitList,
  scanner: Scanner,
  limits: RecallLimits,
  extent: string,
  continueHint = '',
): RecallAnswer {
  const found = hits.best();
  const quoted = JSON.stringify(headOf(query, 80));
  const stopped =
    scanner.stopReason === undefined
      ? ''
      : ` ${scanner.stopReason} after ${scanner.bytes} bytes; there may be more.${continueHint}`;
  if (found.length === 0) {
    const advice = scanner.stopReason === undefined ? ' Try fewer or other words.' : '';
    return { found: false, text: `[${quoted} was not found in ${extent}.${stopped}${advice}]` };
  }
  const hitsFound = found.length === 1 ? 'hit' : 'hits';
  const kind = found[0]?.score === 1 ? hitsFound : `${hitsFound} (lines with most of the words)`;
  const full = hits.isFull ? ' There may be more before these.' : '';
  const header = `[${found.length} ${kind} for ${quoted}, newest first, in ${extent}.${stopped}${full} Recall an id with its offset to read on.]`;
  const { maxTokens = Number.POSITIVE_INFINITY } = limits;
  const lines = [header];
  let bytes = Buffer.byteLength(header);
  let tokens = estimateTokens(header, HIGH);
  for (const hit of found) {
    const line = hitLine(hit);
    bytes += Buffer.byteLength(line) + 1;
    tokens += estimateTokens(line, HIGH) + 1;
    if (bytes > limits.maxBytes || lines.length >= limits.maxLines || tokens > maxTokens) break;
    lines.push(line);
  }
  return { found: true, text: lines.join('\n') };
}

function hitLine({ place, offset, snippet, more }: Hit): string {
  const others = more ? ` (more in ${place.id}: give id and query)` : '';
  return `${place.id} ${place.what}, offset ${offset}${others}: ${snippet}`;
}

// The best hits of a search: phrases before words, newer before older.
