/**
 * What an entry says without the definition of its kind. Needs no schemas: the screen uses this before it has loaded
 * them.
 */
import type { JSONLEntry } from '../entries.ts';

/** A prompt as the user saw it, where that differs from its message: a long paste stays folded. */
export function displayOf(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'prompt' || (entry.subtype === undefined && entry.type === 'user')
    ? entry.data?.display
    : undefined;
}

/** What the user ran with `!`; undefined for other entries, and for those of early versions. */
export function shellCommand(entry: JSONLEntry): string | undefined {
  return entry.subtype === 'shell' ? entry.data?.command : undefined;
}

/** What a note of the program is about: `rewind` or `task`. */
export function topicOf({ data }: JSONLEntry): string | undefined {
  return data !== undefined && 'about' in data && typeof data.about === 'string' ? data.about : undefined;
}

/** Returns true for an entry right before a prompt that came with it: recalled memories, a skill's instructions. */
export function ridesWithPrompt(entry: JSONLEntry | undefined): boolean {
  return entry?.subtype === 'memory' || (entry?.subtype === 'skill' && entry.data?.callId === undefined);
}
