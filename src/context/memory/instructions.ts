/** Instruction files as text for the model and as log entries. */
import { createHash } from 'node:crypto';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import { quotedName } from '../../protocol/text/visible.ts';
import { foldLog } from '../history/liveEntries.ts';
import { estimateTokens } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';

/** One instruction file as it was read; the files form a pinned block of the request. */
export interface InstructionFile {
  readonly path: string;
  readonly text: string;
  /** SHA-256 of `text` in hex. */
  readonly hash: string;
  /** True for the user's own file and what it imports from outside the repository. */
  readonly isUsers?: boolean;
}

/** A new or changed file, or a removed one (`text` undefined). */
export type InstructionChange = InstructionFile | { readonly path: string; readonly text: undefined };

/** The block for the model; an empty string if there are no instructions. */
export function formatInstructions(files: readonly Pick<InstructionFile, 'path' | 'text'>[]): string {
  return files
    .map(({ path, text }) => `# Instructions from ${quotedName(path)}\n\n${text.trim()}`)
    .join('\n\n');
}

/** The entry for one file: `data` has its path and hash; for a removed file only the path, with empty content. */
export function instructionEntry(change: InstructionChange): NewEntry {
  const isGone = change.text === undefined;
  return {
    type: 'user',
    subtype: 'instructions',
    message: { role: 'user', content: isGone ? '' : formatInstructions([change]) },
    data: isGone
      ? { path: change.path }
      : { path: change.path, hash: change.hash, ...(change.isUsers === true && { origin: 'user' }) },
  };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The newest entry of each instruction file, in order of first appearance; none for removed files. */
export function pinnedInstructions(entries: readonly JSONLEntry[]): readonly JSONLEntry[] {
  const newest = new Map<string, JSONLEntry>();
  for (const entry of entries) newest.set(instructionPath(entry), entry);
  return [...newest.values()].filter(({ message }) => message.content !== '');
}

/** Logs of earlier versions have one entry for all files, with an empty path. */
export function instructionPath(entry: JSONLEntry): string {
  return (entry.subtype === 'instructions' ? entry.data?.path : undefined) ?? '';
}

/** The hash of each file as the model last saw it, by path; incremental. */
export function followInstructions(): (entries: readonly JSONLEntry[]) => ReadonlyMap<string, string> {
  const sent = foldLog<SentInstructions>({ entries: [], hashes: new Map() }, (known, entry) => {
    if (entry.subtype !== 'instructions') return known;
    const entries = [...known.entries, entry];
    return { entries, hashes: new Map(pinnedInstructions(entries).map(pathAndHash)) };
  });
  return (entries) => sent(entries).hashes;
}

interface SentInstructions {
  readonly entries: readonly JSONLEntry[];
  readonly hashes: ReadonlyMap<string, string>;
}

function pathAndHash(entry: JSONLEntry): readonly [string, string] {
  return [instructionPath(entry), hashOfEntry(entry)];
}

function hashOfEntry(entry: JSONLEntry): string {
  if (entry.subtype === 'instructions' && entry.data?.hash !== undefined) return entry.data.hash;
  const { content } = entry.message;
  return createHash('sha256')
    .update(typeof content === 'string' ? content : '')
    .digest('hex');
}

// Repeats skills that are still in use after a compaction.

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
