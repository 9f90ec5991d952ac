/**
 * Chooses the files that a compaction quotes: modified files first, then files that the current task read. The files
 * are read from disk now, cut to their share of the tokens, and stored by hash, so that a resumed session sends the
 * same bytes even if the files have changed.
 */
import { relative } from 'node:path';
import * as z from 'zod';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { analyzeFilesInSlices, type FileReference, RealFiles, readFileStart } from '../FileAnalyzer.ts';
import type { AtomCall } from '../history/atoms.ts';
import { liveEntries } from '../history/liveEntries.ts';
import { fairShare } from '../history/SlidingWindow.ts';
import { outputOf } from './clips.ts';
import { type FileLines, type FilePart, importantPart, isShownElsewhere } from './fileParts.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import type { CompactionPlan } from './plan.ts';
import { labeled, quoteFile } from './summaryMessage.ts';

/** A file that could be quoted. */
export interface FileCandidate extends FileLines {
  readonly reference: FileReference;
  /** Name in the quote: relative to the project for files inside it. */
  readonly name: string;
}

export interface Snippets {
  readonly files: readonly { readonly path: string; readonly hash: string; readonly bytes: number }[];
  /** By hash; stored on disk before this is returned. */
  readonly texts: ReadonlyMap<string, string>;
  /** Calibrated tokens of all quotes. */
  readonly tokens: number;
}

export const noSnippets: Snippets = { files: [], texts: new Map(), tokens: 0 };

/** Maximum characters read per file. */
const MAX_CHARACTERS = 512 * 1024;

/**
 * The most important files that can be quoted: text, not sensitive, and either readable for the model without a question
 * or read or changed by this process. The log alone proves nothing: it may come from another person. Avoids quoting what the tail of `plan`
 * already shows: a file whose relevant lines are shown comes last, and one that is shown in full is quoted only if
 * there is no other.
 */
export async function findFiles(
  { entries, view, signal }: Pick<CompactionJob, 'entries' | 'view' | 'signal'>,
  { settings, root, isSensitive, isReadable, lastSeqBefore, fileCache }: CompactionDeps,
  plan?: Pick<CompactionPlan, 'kept' | 'uncovered' | 'clips'>,
): Promise<readonly FileCandidate[]> {
  if (settings.maxFiles === 0) return [];
  const found: FileCandidate[] = [];
  const last: FileCandidate[] = [];
  let whole: FileCandidate | undefined;
  const shownOf = plan === undefined ? () => new Set<number>() : linesInTail(plan, view.replacements);
  const isTouchedHere = await touchedSince(entries, lastSeqBefore, root);
  for (const reference of await analyzeFilesInSlices(liveEntries(entries).entries, root)) {
    if (found.length >= settings.maxFiles || signal.aborted) break;
    if (!isWorthQuoting(reference) || isSensitive(reference.path)) continue;
    if (!isReadable(reference.path) && !isTouchedHere(reference.path)) continue;
    const text = await readFileStart(reference.path, {
      maxLines: Number.MAX_SAFE_INTEGER,
      maxCharacters: MAX_CHARACTERS,
      cache: fileCache,
    });
    if (text === undefined || text.trim() === '') continue;
    const inside = relative(root, reference.path);
    const name = inside.startsWith('..') ? reference.path : inside;
    const { lines, isAll } = linesOf(text);
    const file = { reference, name, lines, isAll, shown: shownOf(reference.path, lines) };
    if (!isShownElsewhere(file, reference.spots)) found.push(file);
    else if (file.shown.size < lines.length) last.push(file);
    else whole ??= { ...file, shown: new Set() };
  }
  const all = [...found, ...last].slice(0, settings.maxFiles);
  return all.length === 0 && whole !== undefined ? [whole] : all;
}

/** Returns a test for the files that results after this seq read or changed. */
async function touchedSince(
  entries: readonly JSONLEntry[],
  seq: number,
  root: string,
): Promise<(path: string) => boolean> {
  const found = await analyzeFilesInSlices(
    entries.filter((entry) => entry.seq > seq),
    root,
  );
  const touched = new Set(
    found.flatMap(({ path, wasModified, wasRead }) => (wasModified || wasRead ? [path] : [])),
  );
  return (path) => touched.has(path);
}

/**
 * Splits a text into lines. If only the beginning was read, drops the last line, which may be incomplete, and the
 * truncation marker after it.
 */
function linesOf(text: string): Pick<FileLines, 'lines' | 'isAll'> {
  const lines = text.split('\n');
  const isAll = text.length <= MAX_CHARACTERS;
  if (!isAll) return { lines: lines.slice(0, Math.max(1, lines.length - 2)), isAll };
  return { lines: text.endsWith('\n') ? lines.slice(0, -1) : lines, isAll };
}

/**
 * Returns a function that, for a file (real path and current lines), finds the line indices that the tail already
 * shows: in Read output with the same number and text, or in the content given to Write. Results that become a ledger
 * line or are clipped show nothing.
 */
function linesInTail(
  { kept, uncovered, clips }: Pick<CompactionPlan, 'kept' | 'uncovered' | 'clips'>,
  replacements: ReadonlyMap<string, unknown>,
): (path: string, lines: readonly string[]) => ReadonlySet<number> {
  const gone = new Set(uncovered);
  const clipped = new Set(clips.map(({ result }) => result.uuid));
  const files = new RealFiles();
  const shown = new Map<string, ((lines: readonly string[]) => readonly number[])[]>();
  const add = (name: string, linesOf: (lines: readonly string[]) => readonly number[]): void => {
    const path = files.find(name, []) ?? name;
    shown.set(path, [...(shown.get(path) ?? []), linesOf]);
  };
  for (const { call, result } of kept.filter((atom) => !gone.has(atom)).flatMap(({ calls }) => calls)) {
    if (result?.toolResult === undefined || clipped.has(result.uuid)) continue;
    const { filesRead = [], filesChanged = [] } = result.toolResult;
    const output = replacements.get(result.uuid) ?? outputOf(result);
    for (const { path } of filesRead) add(path, (lines) => numberedLines(String(output), lines));
    const written = writtenBy(call);
    if (written === undefined) continue;
    for (const { path } of filesChanged)
      add(path, (lines) => (written.replace(/\n$/, '') === lines.join('\n') ? [...lines.keys()] : []));
  }
  return (path, lines) => new Set(shown.get(path)?.flatMap((linesOf) => linesOf(lines)));
}

/** Indices of the lines in Read output that are unchanged in the file. */
function numberedLines(output: string, lines: readonly string[]): readonly number[] {
  return output.split('\n').flatMap((line) => {
    const [head, number] = /^ *(\d+)\t/.exec(line) ?? [];
    const index = Number(number) - 1;
    return head !== undefined && lines[index]?.replace(/\r$/, '') === line.slice(head.length) ? [index] : [];
  });
}

const writeInput = z.object({ content: z.string() });

function writtenBy({ tool }: AtomCall['call']): string | undefined {
  return writeInput.safeParse(tool?.input).data?.content;
}

/** True if a tool touched the file or a message named it; a path in a pasted text does not count. */
function isWorthQuoting({ wasModified, wasRead, mentions }: FileReference): boolean {
  return wasModified || wasRead || mentions > 0;
}

/** Calibrated tokens of these files if quoted as far as possible. */
export function tokensOfFiles(
  files: readonly FileCandidate[],
  { counter }: Pick<CompactionDeps, 'counter'>,
  { model }: Pick<CompactionJob, 'model'>,
): number {
  const tokens = files.reduce((sum, file) => sum + quotedTokens(file, counter), 0);
  return Math.ceil(tokens * counter.ratio(model.id));
}

/** Tokens of everything that could be quoted from a file. */
function quotedTokens(file: FileCandidate, counter: CompactionDeps['counter']): number {
  const limits = { maxLines: Number.POSITIVE_INFINITY, maxTokens: Number.POSITIVE_INFINITY };
  return partTokens(file.name, importantPart(file, [], { ...limits, tokensOf: () => 0 }), counter);
}

/** Tokens of a text and the quote around it. */
function partTokens(
  name: string,
  { label, text }: Pick<FilePart, 'label' | 'text'>,
  counter: CompactionDeps['counter'],
): number {
  return counter.count(quoteFile(name, labeled(label, ''))).tokens + counter.count(text).tokens;
}

/** Quotes files in full if they fit, otherwise their important parts; never more than `budgetTokens`. */
export async function cutSnippets(
  candidates: readonly FileCandidate[],
  budgetTokens: number,
  { counter, settings }: Pick<CompactionDeps, 'counter' | 'settings'>,
  { model, blobs, signal }: Pick<CompactionJob, 'model' | 'blobs' | 'signal'>,
): Promise<Snippets> {
  const ratio = counter.ratio(model.id);
  const files: { path: string; hash: string; bytes: number }[] = [];
  const texts = new Map<string, string>();
  let left = budgetTokens / ratio;
  const sized = candidates.map((file) => ({ file, tokens: quotedTokens(file, counter) }));
  for (const { name, part } of chooseParts(sized, left, { counter, settings })) {
    if (signal.aborted) break;
    if (part.text === '') continue;
    // Quote the text as it will be stored, so that a resumed session sends the same.
    const quoted = blobs.redact(labeled(part.label, part.text));
    // A snippet that cannot be stored would be missing after a resume, so do not quote it.
    const stored = await blobs.put(quoted).catch(() => undefined);
    if (stored === undefined) continue;
    files.push({ path: name, hash: stored.hash, bytes: stored.bytes });
    texts.set(stored.hash, quoted);
    left -= counter.count(quoteFile(name, quoted)).tokens;
  }
  return { files, texts, tokens: Math.ceil((budgetTokens / ratio - left) * ratio) };
}

interface SizedFile {
  readonly file: FileCandidate;
  /** Tokens of everything that could be quoted. */
  readonly tokens: number;
}

interface ChosenPart {
  readonly name: string;
  readonly part: FilePart;
}

/** Parts with fewer lines are not useful: other files make better use of the tokens. */
const FEW_LINES = 15;

/**
 * Chooses files in order of importance. Each gets an equal share of the tokens plus whatever smaller files leave
 * unused. Skips a file that would leave only a few lines for itself or for a more important one. Chooses at least one.
 */
function chooseParts(
  files: readonly SizedFile[],
  room: number,
  deps: Pick<CompactionDeps, 'counter' | 'settings'>,
): readonly ChosenPart[] {
  const enough = Math.min(FEW_LINES, deps.settings.maxFileLines);
  let chosen: readonly SizedFile[] = [];
  let parts: readonly ChosenPart[] = [];
  for (const file of files) {
    const tried = cutToShares([...chosen, file], room, deps);
    if (tried.some(({ part }) => !part.isWhole && part.lines < enough)) continue;
    chosen = [...chosen, file];
    parts = tried;
  }
  return parts.length > 0 ? parts : cutToShares(files.slice(0, 1), room, deps);
}

function cutToShares(
  files: readonly SizedFile[],
  room: number,
  { counter, settings }: Pick<CompactionDeps, 'counter' | 'settings'>,
): readonly ChosenPart[] {
  const sizes = files.map(({ tokens }) => tokens);
  let left = room;
  return files.map(({ file, tokens }, index) => {
    const { name, reference } = file;
    const part = importantPart(file, reference.spots, {
      maxLines: settings.maxFileLines,
      maxTokens: Math.min(tokens, fairShare(sizes.slice(index), left)),
      tokensOf: (one) => partTokens(name, one, counter),
    });
    left -= partTokens(name, part, counter);
    return { name, part };
  });
}
