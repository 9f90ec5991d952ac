/** Repeats skills that are still in use after a compaction. */
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';

/** Maximum tokens of one skill and of all together. Source: the limits of Claude Code. */
const MAX_SKILL = 5000;
const MAX_SKILLS = 25_000;
/** Maximum share of a small window. */
const SHARE_OF_WINDOW = 0.1;

/**
 * Entries that repeat the skills of a conversation in their original order; the newest get room first. `entries`: the
 * conversation before the compaction; `retained`: uuids of entries that stay verbatim; `window`: in tokens.
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
