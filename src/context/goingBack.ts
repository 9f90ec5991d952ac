/** Going back to before a prompt, and taking that back: entries that decide which earlier ones count. */
import type { EntryDraft, JSONLEntry, KindEntry } from '../protocol/entries.ts';
import { bringIn } from './bringIn.ts';
import type { SessionParts } from './sessionParts.ts';

/** How a correction is told, and what its entry says besides. */
export interface Correction {
  readonly content: string;
  readonly data: Omit<NonNullable<KindEntry<'rewind'>['data']>, 'to'>;
}

/**
 * This prompt, what was recalled for it, and everything after it are no longer part of the conversation; undo
 * brings them back. Answers the entry that says so, and the last that stays; undefined where the conversation has
 * no such prompt.
 */
export async function goBackBefore(
  parts: SessionParts,
  prompt: string,
  { content, data }: Correction,
): Promise<{ readonly entry: JSONLEntry; readonly last: JSONLEntry } | undefined> {
  if (!(await bringIn(parts.log, prompt))) return undefined;
  const { entries } = parts.log.live();
  let at = entries.findIndex(({ uuid }) => uuid === prompt) - 1;
  while (entries[at]?.subtype === 'memory') at--;
  const last = entries[at];
  if (last === undefined) return undefined;
  const entry = await correct(parts, {
    type: 'system',
    subtype: 'rewind',
    message: { role: 'system', content },
    data: { ...data, to: last.uuid },
  });
  return { entry, last };
}

/** Takes back what these entries did; answers the entry that says so. */
export async function takeBack(
  parts: SessionParts,
  undoes: readonly string[],
  { content, data }: Correction,
): Promise<JSONLEntry> {
  for (const uuid of undoes) await bringIn(parts.log, uuid);
  return correct(parts, {
    type: 'system',
    subtype: 'undo',
    message: { role: 'system', content },
    data: { ...data, undoes: [...undoes] },
  });
}

/** What a summary quotes that counts again is there before anybody asks for it. */
async function correct({ log, append, projection }: SessionParts, draft: EntryDraft): Promise<JSONLEntry> {
  const place = { v: 1, seq: Number.MAX_SAFE_INTEGER, uuid: '', parentUuid: null, sessionId: '' };
  await projection.loadSnippets([
    ...log.entries(),
    { ...place, timestamp: '', cwd: '', version: '', ...draft },
  ]);
  const [entry] = await append([draft]);
  if (entry === undefined) throw new Error(`The log of ${log.sessionId} gave no entry for a correction.`);
  return entry;
}
