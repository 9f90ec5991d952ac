/** Skills and compaction: instructions that are still in use are repeated after a summary. */
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';

/** Tokens of one skill and of all together. Source: what Claude Code repeats. */
const MAX_SKILL = 5000;
const MAX_SKILLS = 25_000;
/** In a small window they take at most this share. */
const SHARE_OF_WINDOW = 0.1;

/**
 * Entries that repeat the skills of a conversation, the newest first to get room, in their original order. `entries`: the
 * conversation before the compaction; `retained`: uuids of what stays verbatim anyway; `window`: in tokens.
 */
export function repeatedSkills(
  entries: readonly JSONLEntry[],
  retained: ReadonlySet<string>,
  window: number,
): NewEntry[] {
  const repeated: NewEntry[] = [];
  const seen = new Set<string>();
  let room = Math.min(MAX_SKILLS, Math.floor(window * SHARE_OF_WINDOW));
  for (const entry of entries.toReversed()) {
    if (entry.subtype !== 'skill') continue;
    const { name = '', file } = entry.data ?? {};
    if (seen.has(name)) continue;
    seen.add(name);
    const { content } = entry.message;
    if (retained.has(entry.uuid) || typeof content !== 'string') continue;
    const text = truncateToTokens(content, Math.min(MAX_SKILL, room), CUT);
    if (text === '') continue;
    room -= estimateTokens(text);
    repeated.unshift({
      type: 'user',
      subtype: 'skill',
      message: { role: 'user', content: text },
      data: { name, ...(file === undefined ? {} : { file }), again: true },
    });
  }
  return repeated;
}

const CUT = '\n\n(cut here; use the skill again to see all of it)';
