/** A document or other long text: its outline and its beginning are shown, all of it is kept. */
import { estimateTokens } from '../tokens/estimate.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';
import { type Compressed, type CompressorDeps, isRecord, type JsonRecord } from './lists.ts';
import { memoryIdOf } from './ObservationTruncator.ts';

/**
 * Above `maxResultTokens` a record with `_OFFLOADED_`; undefined below. `value` may be a document of the form
 * `{ title?, outline?, content, … }`, whose other fields stay.
 */
export async function compressDocument(
  text: string,
  value: unknown,
  { settings, memory, kept, title }: CompressorDeps,
): Promise<Compressed | undefined> {
  const tokens = estimateTokens(text);
  if (tokens <= settings.maxResultTokens) return undefined;
  const { content, rest } = partsOf(text, value, settings.maxResultTokens);
  // What the tool kept itself is more than it gave here.
  const original = kept ?? (await memory.store(content))?.original;
  if (original === undefined) return undefined;
  const memoryId = memoryIdOf(original.hash);
  const shown = {
    _OFFLOADED_: {
      memoryId,
      summary: `Too long to show: about ${tokens} tokens. Recall("${memoryId}") reads it in parts by offset, or finds a query in it.`,
      preview: wellFormed(headOf(content, settings.textPreviewLength)),
      totalLength: original.bytes,
    },
    ...titleOf(content, title),
    ...outlineOf(content),
    originalSize: tokens,
    ...rest,
  };
  return { text: JSON.stringify(shown, null, 1), original };
}

/** The content alone is kept where all other fields are small enough to be shown; else everything is kept. */
function partsOf(
  text: string,
  value: unknown,
  maxTokens: number,
): { readonly content: string; readonly rest: JsonRecord } {
  if (!isRecord(value) || typeof value.content !== 'string') return { content: text, rest: {} };
  const { content, ...rest } = value;
  const isSmall = estimateTokens(JSON.stringify(rest)) <= maxTokens / 2;
  return isSmall && estimateTokens(content) > maxTokens / 2 ? { content, rest } : { content: text, rest: {} };
}

const MAX_TITLE = 200;
const MAX_HEADINGS = 30;
const MAX_HEADING = 100;
/** Characters that are looked through for headings. */
const MAX_SEARCHED = 1_000_000;

/** The page's own title, else what the call was about. */
function titleOf(content: string, given: string | undefined): { readonly title?: string } {
  const own = /^(?:#\s+|title:\s*)(\S.*)$/im.exec(headOf(content, 2000))?.[1];
  const title = own ?? given;
  return title === undefined ? {} : { title: wellFormed(headOf(title.trim(), MAX_TITLE)) };
}

/** Markdown's headings, each with the byte at which Recall finds it. */
function outlineOf(content: string): { readonly outline?: readonly string[] } {
  const outline: string[] = [];
  const searched = headOf(content, MAX_SEARCHED);
  let bytes = 0;
  let at = 0;
  for (const { 0: heading, index } of searched.matchAll(/^#{1,6} \S.*$/gm)) {
    bytes += Buffer.byteLength(searched.slice(at, index));
    at = index;
    if (outline.length === MAX_HEADINGS) {
      outline.push('… and more');
      break;
    }
    outline.push(`${wellFormed(headOf(heading, MAX_HEADING))} @${bytes}`);
  }
  return outline.length === 0 ? {} : { outline };
}
