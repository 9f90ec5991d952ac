/** Prepares prompts for the log: adds matching memories and shortens a text that is too large for any request. */
import type { NewEntry } from '../../protocol/entries.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { notTypedAt } from '../history/atoms.ts';
import { type FoundMemory, memoryEntry } from '../memory/formatMemories.ts';
import { withDeadline } from '../memory/LongTermMemory.ts';
import type { Session } from '../session.ts';
import { allocateBudget } from '../tokens/budgets.ts';
import { truncateObservation, truncationNotice } from './ObservationTruncator.ts';

interface AdmittedPrompts {
  readonly entries: readonly NewEntry[];
  /** Messages for the user, shown before anything is sent. */
  readonly notices: readonly string[];
}

/**
 * Returns the entries to record. Memories that match go into an entry just before the prompts. A prompt is shortened
 * only if no request could hold it: its beginning, end and a pointer are sent, and the full text is stored as a blob.
 * `fixedTokens`: the tokens of the system prompt and the tools, which are in every request.
 */
export async function preparePrompts(
  prompts: readonly NewEntry[],
  session: Session,
  fixedTokens: number,
): Promise<AdmittedPrompts> {
  const room = Math.max(MIN_ROOM, session.projection.budget().limit - fixedTokens);
  const fitted = await Promise.all(prompts.map((prompt) => fitPrompt(prompt, session, room)));
  const notices = fitted.flatMap(({ notice }) => notice ?? []);
  const onWarning = (text: string): unknown => notices.push(text);
  const typed = prompts.filter(({ subtype }) => subtype === 'prompt').map(stringContent);
  const memories = await memoriesFor(typed.join('\n'), session, onWarning);
  return { entries: [...memories, ...fitted.map(({ prompt }) => prompt)], notices };
}

/** Minimum tokens for a prompt, however full the window is. */
const MIN_ROOM = 500;
/** Maximum share of the room for a prompt that is sent in full. */
const MOST_OF_ROOM = 0.95;
/** Share of the room for a prompt that is shortened; leaves room for the work that it asks for. */
const SHOWN_OF_ROOM = 0.5;

/** Characters of a typed part that is repeated. */
const MAX_LEAD = 2000;

async function fitPrompt(
  prompt: NewEntry,
  { projection, log }: Session,
  room: number,
): Promise<{ readonly prompt: NewEntry; readonly notice?: string }> {
  const { content } = prompt.message;
  const most = MOST_OF_ROOM * room;
  if (prompt.subtype !== 'prompt') return { prompt };
  if (typeof content !== 'string' || (await fits(content, most, projection))) return { prompt };
  const original = await log.blobs.put(content).catch(() => undefined);
  const path = original === undefined ? undefined : log.blobs.pathOf(original.hash);
  // Stays first, so that what was piped in is still told from what the user typed.
  const lead = content.slice(0, notTypedAt(content, prompt) ?? 0);
  const head = lead.length > MAX_LEAD ? '' : lead;
  let text = content;
  const shown = SHOWN_OF_ROOM * room;
  let maxBytes = Math.floor(shown * 4);
  do {
    const cut = truncateObservation(content, { maxLines: Number.MAX_SAFE_INTEGER, maxBytes }, 'head_tail');
    text = `${head}${truncationNotice(cut, path, original)}\n${cut.preview}`;
    maxBytes = Math.floor(maxBytes * 0.8);
  } while (projection.sizeOfText(text) > shown && maxBytes > 1000);
  const part = grouped(Buffer.byteLength(text));
  const all = grouped(Buffer.byteLength(content));
  return {
    prompt: {
      ...prompt,
      message: { ...prompt.message, content: text },
      data: { ...prompt.data, ...(original === undefined ? {} : { original }) },
    },
    notice: `Your message is larger than any request to this model can be: its beginning and end (${part} of ${all} bytes) are sent. All of it is kept, and the model can read it with Recall.`,
  };
}

/** Accepts an estimate only if the text fits; otherwise counts exactly if possible. */
async function fits(text: string, most: number, projection: Session['projection']): Promise<boolean> {
  const estimate = projection.sizeOfText(text);
  if (estimate <= most) return true;
  // No estimate is off by this much, so counting would not change the result.
  if (estimate > 3 * most) return false;
  return (await projection.exactSizeOfText(text, COUNT_WITHIN_MS)) <= most;
}

/** Maximum time in milliseconds for the exact count of a prompt. */
const COUNT_WITHIN_MS = 2000;

async function memoriesFor(
  query: string,
  { deps, log, projection }: Session,
  onWarning: (text: string) => void,
): Promise<NewEntry[]> {
  const { memory: settings, budget } = deps.settings;
  const { memory } = deps;
  if (!settings.enabled || memory === undefined || query.trim() === '') return [];
  const { limit, minSimilarity, timeoutMs } = settings;
  const category = settings.category === null ? {} : { category: settings.category };
  const search = (signal: AbortSignal): ReturnType<typeof memory.search> =>
    memory.search(query, { limit, minSimilarity, timeoutMs, ...category, signal, onWarning });
  const found = await withDeadline<readonly FoundMemory[]>(search, timeoutMs, () => []);
  const cap = allocateBudget(projection.budget().window, budget).retrieved;
  const entry = memoryEntry(log.clean(found), cap);
  return entry === undefined ? [] : [entry];
}

function stringContent({ message: { content } }: NewEntry): string {
  return typeof content === 'string' ? content : '';
}
