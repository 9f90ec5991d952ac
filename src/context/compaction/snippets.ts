import { relative } from 'node:path';
import { analyzeFilesInSlices, readFilesContent } from '../FileAnalyzer.ts';
import { liveEntries } from '../history/live.ts';
import { HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import { quoteFile } from './summaryText.ts';

export interface Snippets {
  readonly files: readonly { readonly path: string; readonly hash: string; readonly bytes: number }[];
  /** By hash; on disk too when this is returned. */
  readonly texts: ReadonlyMap<string, string>;
  /** Calibrated tokens of all of them, quoted. */
  readonly tokens: number;
}

/** Too little of a file to be of use. */
const MIN_FILE_TOKENS = 60;

/**
 * The files that mattered, read now, cut to their share of the budget and kept by hash, so that a resumed
 * session sends the same bytes even when the files have changed since.
 */
export async function gatherSnippets(
  job: CompactionJob,
  { settings, root, isSensitive, counter, fileCache }: CompactionDeps,
  budgetTokens: number,
): Promise<Snippets> {
  const none: Snippets = { files: [], texts: new Map(), tokens: 0 };
  if (settings.maxFiles === 0 || budgetTokens < MIN_FILE_TOKENS) return none;
  const analyzed = await analyzeFilesInSlices(liveEntries(job.entries).entries, root);
  const important = analyzed.map(({ path }) => path);
  const read = await readFilesContent(important, {
    maxFiles: settings.maxFiles,
    maxLines: settings.maxFileLines,
    maxCharacters: budgetTokens * 4,
    isSensitive,
    cache: fileCache,
  });
  const ratio = counter.ratio(job.model.id);
  const files: { path: string; hash: string; bytes: number }[] = [];
  const texts = new Map<string, string>();
  let left = budgetTokens / ratio;
  for (const [index, { path, content }] of read.entries()) {
    const share = Math.floor(left / (read.length - index));
    if (share < MIN_FILE_TOKENS) continue;
    const name = relative(root, path).startsWith('..') ? path : relative(root, path);
    const heading = counter.count(quoteFile(name, '')).tokens;
    // As it will be stored: what is sent must be the same after a resume.
    const text = job.blobs.textOf(truncateToTokens(content, share - heading, '\n... (truncated)', HIGH));
    if (text === '') continue;
    // Without its bytes on disk a snippet would be gone after a resume: then it is not quoted at all.
    const kept = await job.blobs.put(text).catch(() => undefined);
    if (kept === undefined) continue;
    files.push({ path: name, hash: kept.hash, bytes: kept.bytes });
    texts.set(kept.hash, text);
    left -= counter.count(quoteFile(name, text)).tokens;
  }
  return { files, texts, tokens: Math.ceil((budgetTokens / ratio - left) * ratio) };
}
