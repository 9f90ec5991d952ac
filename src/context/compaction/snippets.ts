/**
 * The files that a compaction quotes: changed ones first, then those the current task read. Read now, cut to their
 * share of the room, and kept by hash, so that a resumed session sends the same bytes when the files have changed.
 */
import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { analyzeFilesInSlices, type FileReference, type FileSpot } from '../FileAnalyzer.ts';
import { readFileStart } from '../files/readFileStart.ts';
import type { Atom } from '../history/atoms.ts';
import { liveEntries } from '../history/live.ts';
import { fairShare } from '../history/SlidingWindow.ts';
import { HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import { quoteFile } from './summaryText.ts';

/** A file that could be quoted. */
export interface FileCandidate {
  readonly reference: FileReference;
  /** As it is named in the quote: relative to the project where it lies inside. */
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the content, as results record it. */
  readonly hash: string;
}

export interface Snippets {
  readonly files: readonly { readonly path: string; readonly hash: string; readonly bytes: number }[];
  /** By hash; on disk too when this is returned. */
  readonly texts: ReadonlyMap<string, string>;
  /** Calibrated tokens of all of them, quoted. */
  readonly tokens: number;
}

export const noSnippets: Snippets = { files: [], texts: new Map(), tokens: 0 };

/** Too little of a file to be of use. */
const MIN_FILE_TOKENS = 60;
/** More of a file is not looked at. */
const MAX_CHARACTERS = 512 * 1024;

/**
 * The files that matter most and can be quoted: text, readable, not sensitive. A file that stands whole in `kept`
 * comes last, and only one that nothing else could take the place of is left then.
 */
export async function findFiles(
  { entries, signal }: Pick<CompactionJob, 'entries' | 'signal'>,
  { settings, root, isSensitive, fileCache }: CompactionDeps,
  kept: readonly Atom[] = [],
): Promise<readonly FileCandidate[]> {
  if (settings.maxFiles === 0) return [];
  const hidden: FileCandidate[] = [];
  const shown: FileCandidate[] = [];
  const isShown = wholeFilesIn(kept);
  for (const reference of await analyzeFilesInSlices(liveEntries(entries).entries, root)) {
    if (hidden.length >= settings.maxFiles || signal.aborted) break;
    if (!isWorthQuoting(reference) || isSensitive(reference.path)) continue;
    const text = await readFileStart(reference.path, {
      maxLines: Number.MAX_SAFE_INTEGER,
      maxCharacters: MAX_CHARACTERS,
      cache: fileCache,
    });
    if (text === undefined || text === '') continue;
    const hash = createHash('sha256').update(text).digest('hex');
    const inside = relative(root, reference.path);
    const name = inside.startsWith('..') ? reference.path : inside;
    (isShown(reference.path, hash) ? shown : hidden).push({ reference, name, text, hash });
  }
  return hidden.length > 0 ? hidden : shown.slice(0, 1);
}

/** Tools touched it, or somebody named it; a path in a pasted text is no sign that a file matters. */
function isWorthQuoting({ wasModified, wasRead, mentions }: FileReference): boolean {
  return wasModified || wasRead || mentions > 0;
}

/** Tells of a file with this content whether results among the atoms show all of it. */
function wholeFilesIn(atoms: readonly Atom[]): (path: string, hash: string) => boolean {
  const whole = new Set<string>();
  for (const { calls } of atoms) {
    for (const { call, result } of calls) {
      const { input } = call.tool ?? {};
      const isPart = typeof input === 'object' && input !== null && ('offset' in input || 'limit' in input);
      if (result?.toolResult?.status !== 'ok' || isPart) continue;
      for (const { path, hash } of result.toolResult.filesRead ?? []) whole.add(`${path}\0${hash}`);
    }
  }
  return (path, hash) => whole.has(`${path}\0${hash}`);
}

/** Calibrated tokens that these files could take. */
export function tokensOfFiles(
  files: readonly FileCandidate[],
  { counter }: Pick<CompactionDeps, 'counter'>,
  { model }: Pick<CompactionJob, 'model'>,
): number {
  const tokens = files.reduce((sum, file) => sum + quotedTokens(file, counter), 0);
  return Math.ceil(tokens * counter.ratio(model.id));
}

/** Of a whole file: text and what stands around it, as `cutSnippets` counts them. */
function quotedTokens({ name, text }: FileCandidate, counter: CompactionDeps['counter']): number {
  return counter.count(quoteFile(name, '')).tokens + counter.count(text).tokens;
}

/** The files as they are quoted: whole where they fit, else their important parts; never more than `budgetTokens`. */
export async function cutSnippets(
  candidates: readonly FileCandidate[],
  budgetTokens: number,
  { counter, settings }: Pick<CompactionDeps, 'counter' | 'settings'>,
  { model, blobs, signal }: Pick<CompactionJob, 'model' | 'blobs' | 'signal'>,
): Promise<Snippets> {
  const ratio = counter.ratio(model.id);
  const sizes = candidates.map((file) => quotedTokens(file, counter));
  const chosen = candidates.slice(0, countFitting(sizes, budgetTokens / ratio));
  const files: { path: string; hash: string; bytes: number }[] = [];
  const texts = new Map<string, string>();
  let left = budgetTokens / ratio;
  for (const [index, { name, text, reference }] of chosen.entries()) {
    if (signal.aborted) break;
    // An equal share, and what the smaller ones leave of theirs.
    const most = Math.min(sizes[index] ?? 0, fairShare(sizes.slice(index, chosen.length), left));
    const share = most - counter.count(quoteFile(name, '')).tokens;
    const part = importantParts(text, reference.spots, {
      maxLines: settings.maxFileLines,
      maxTokens: share,
      tokensOf: (one) => counter.count(one).tokens,
    });
    // As it will be stored: what is sent must be the same after a resume.
    const isWithin = counter.count(part).tokens <= share;
    const quoted = blobs.textOf(isWithin ? part : truncateToTokens(part, share, '\n... (truncated)', HIGH));
    if (quoted === '') continue;
    // Without its bytes on disk a snippet would be gone after a resume: then it is not quoted at all.
    const stored = await blobs.put(quoted).catch(() => undefined);
    if (stored === undefined) continue;
    files.push({ path: name, hash: stored.hash, bytes: stored.bytes });
    texts.set(stored.hash, quoted);
    left -= counter.count(quoteFile(name, quoted)).tokens;
  }
  return { files, texts, tokens: Math.ceil((budgetTokens / ratio - left) * ratio) };
}

/** Rather few files of which something can be seen than a line of each. */
function countFitting(sizes: readonly number[], tokens: number): number {
  let left = tokens;
  const tooMany = sizes.findIndex((size) => {
    left -= Math.min(size, MIN_FILE_TOKENS);
    return left < 0;
  });
  return tooMany === -1 ? sizes.length : tooMany;
}

export interface PartLimits {
  readonly maxLines: number;
  readonly maxTokens: number;
  readonly tokensOf: (text: string) => number;
}

/** Lines shown before and after a spot: as many as there is room for. */
const AROUND: readonly number[] = [8, 20, 50, 120, 300];
const TRUNCATED = '... (truncated)';

/**
 * The whole text where it keeps both limits. Else the parts around the spots, newest spot first, in the order of the
 * file with a line saying which they are; without spots the beginning.
 */
export function importantParts(text: string, spots: readonly FileSpot[], limits: PartLimits): string {
  const { maxLines, maxTokens, tokensOf } = limits;
  const lines = text.split('\n');
  if (lines.length <= maxLines && tokensOf(text) <= maxTokens) return text;
  const fits = (chosen: ReadonlySet<number>): boolean =>
    chosen.size <= maxLines && tokensOf(partsText(lines, chosen)) <= maxTokens;
  let ranges: readonly Range[] = [];
  for (const spot of spots.toReversed()) {
    const range = rangeOf(spot, text, lines.length);
    if (range === undefined) continue;
    const wider = [...ranges, range];
    if (fits(linesOf(wider, AROUND[0] ?? 0, lines.length))) ranges = wider;
  }
  if (ranges.length === 0) return beginning(lines, limits);
  const widest = AROUND.findLast((around) => fits(linesOf(ranges, around, lines.length))) ?? AROUND[0] ?? 0;
  return partsText(lines, linesOf(ranges, widest, lines.length));
}

/** Indices of the first and last line. */
interface Range {
  readonly from: number;
  readonly to: number;
}

/** Undefined where the spot is gone from the file. */
function rangeOf(spot: FileSpot, text: string, count: number): Range | undefined {
  if (spot.type === 'lines')
    return spot.from > count ? undefined : { from: spot.from - 1, to: Math.min(spot.to, count) - 1 };
  const at = spot.text.trim() === '' ? -1 : text.indexOf(spot.text);
  if (at === -1) return undefined;
  const from = lineEndsIn(text, 0, at);
  return { from, to: from + lineEndsIn(text, at, at + spot.text.length) };
}

/** The lines of all ranges with `around` more on either side, by index. */
function linesOf(ranges: readonly Range[], around: number, count: number): ReadonlySet<number> {
  const chosen = new Set<number>();
  for (const { from, to } of ranges)
    for (let line = Math.max(0, from - around); line <= Math.min(count - 1, to + around); line++)
      chosen.add(line);
  return chosen;
}

function lineEndsIn(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

function partsText(lines: readonly string[], chosen: ReadonlySet<number>): string {
  const sorted = [...chosen].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (sorted[end + 1] === (sorted[end] ?? 0) + 1) end++;
    const [from, to] = [sorted[start] ?? 0, sorted[end] ?? 0];
    parts.push(`[lines ${from + 1}-${to + 1} of ${lines.length}]`, ...lines.slice(from, to + 1));
    start = end + 1;
  }
  return parts.join('\n');
}

function beginning(lines: readonly string[], { maxLines, maxTokens, tokensOf }: PartLimits): string {
  let count = Math.min(lines.length, maxLines);
  for (;;) {
    const text = `${lines.slice(0, count).join('\n')}\n${TRUNCATED}`;
    const tokens = tokensOf(text);
    if (tokens <= maxTokens || count <= 1) return text;
    count = Math.max(1, Math.floor(count * Math.min(0.9, maxTokens / tokens)));
  }
}
