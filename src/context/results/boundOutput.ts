/**
 * Shortens a tool's output before it enters the conversation: first by the structure of its kind, then by lines, bytes
 * and tokens. The full output is stored as a blob that the shortened text points to.
 */

import { createHash } from 'node:crypto';
import { constants, copyFile, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { realpath } from '../../disk/paths.ts';
import { inRealFolder } from '../../disk/realFile.ts';
import type { BlobRef, ToolResultKind } from '../../protocol/entries/fields.ts';
import type { ContextSettings } from '../../protocol/settings/contextSettings.ts';
import { countLines } from '../../protocol/text/countLines.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { Excerpt } from '../../protocol/tools.ts';
import { newId } from '../storage/newEntries.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { makeFolder } from '../storage/storedFiles.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { quotesFiles } from './errorLines.ts';
import type { TruncationLimits } from './headAndTail.ts';
import {
  excerptNotice,
  linesOfExcerpt,
  memoryIdOf,
  pointerTo,
  type TruncateDirection,
  type Truncation,
  type TruncationOptions,
  type TruncationStats,
  truncateInSteps,
  truncationNotice,
} from './ObservationTruncator.ts';
import { compress } from './ToolResultCompressor.ts';
import { WorkingMemory } from './WorkingMemory.ts';

export interface BoundedOutput {
  /** The text for the model; starts with a notice if something was left out. */
  readonly text: string;
  readonly original?: BlobRef;
  readonly partial: boolean;
  /** Path of the full output if something was left out: in the output folder, otherwise in the blob store. */
  readonly fullOutputPath?: string;
  /** Statistics of a cut by lines, bytes or tokens. */
  readonly truncation?: TruncationStats;
}

/** Output of a tool. `original` is the blob that the tool itself stored if `text` is only a part. */
interface ToolOutput {
  readonly text: string;
  readonly kind?: ToolResultKind;
  readonly status?: string;
  readonly original?: BlobRef | undefined;
  readonly display?: { readonly title: string };
  readonly excerpt?: Excerpt | undefined;
}

export interface OutputLimits extends TruncationLimits {
  /** Maximum tokens by the higher estimate. Absent = no token limit. */
  readonly maxTokens?: number;
  /** True if the rest of the reply's budget is needed for pointers. */
  readonly isSpent?: boolean;
}

/** Options for shortening by structure; absent = none. */
export interface OutputOptions {
  /** Name of the tool, if the output is from one. */
  readonly tool?: string;
  /** Null disables shortening by structure. */
  readonly offload?: ContextSettings['offload'] | null;
  /**
   * `context.truncate.direction`; auto keeps the beginning, errors and end of a command's output, and the beginning of
   * anything else.
   */
  readonly direction?: ContextSettings['truncate']['direction'];
  /** Folder in which full outputs are also written as readable files. */
  readonly outputs?: OutputFolder | undefined;
}

/** Shortens an output to the limits. Never rejects on a disk error: only the pointer is missing then. */
export async function boundOutput(
  output: ToolOutput,
  limits: OutputLimits,
  blobs: Blobs,
  options: OutputOptions = {},
): Promise<BoundedOutput> {
  if (options.tool === toolNames.recall) return boundRecalled(output.text, limits);
  const bounded = await bound(output, limits, blobs, options);
  if (!bounded.partial || bounded.fullOutputPath !== undefined) return bounded;
  const { original } = bounded;
  const fullOutputPath =
    (await options.outputs?.save(options.tool ?? '', original, output.text)) ?? blobPath(blobs, original);
  return { ...bounded, ...(fullOutputPath === undefined ? {} : { fullOutputPath }) };
}

async function bound(
  output: ToolOutput,
  limits: OutputLimits,
  blobs: Blobs,
  options: OutputOptions,
): Promise<BoundedOutput> {
  const { tool = '', offload = null } = options;
  if (limits.isSpent === true) return pointerOnly(output, blobs);
  if (offload === null) return truncate(output, limits, blobs, options, isPart(output));
  const { text, original } = await compress(tool, output.text, {
    settings: offload,
    limits,
    memory: new WorkingMemory(blobs),
    kind: output.kind,
    kept: output.original,
    title: output.display?.title,
  });
  if (original === undefined) return truncate(output, limits, blobs, options, isPart(output));
  return truncate({ ...output, text, original, excerpt: undefined }, limits, blobs, options, true);
}

function blobPath(blobs: Blobs, original: BlobRef | undefined): string | undefined {
  return original === undefined ? undefined : blobs.pathOf(original.hash);
}

/** True if the text is only a part of the stored output. */
function isPart({ text, original }: ToolOutput): boolean {
  return original !== undefined && original.bytes > Buffer.byteLength(text);
}

/** Recall's output is part of a stored output: Recall limits its size, and it is not stored again. */
async function boundRecalled(text: string, limits: OutputLimits): Promise<BoundedOutput> {
  if (fits(text, limits)) return { text, partial: false };
  const notice =
    '[Cut to the space left for the results of this reply; call Recall again alone or with a smaller limit.]';
  const cut = await cutWithin(text, limits, { direction: 'head', notice: () => notice });
  return { text: cut.text, partial: true };
}

/** Tokens of a pointer that replaces an output, by the higher estimate. */
export const POINTER_TOKENS = 40;

/** A longer text always exceeds the tokens of a pointer, so they need not be counted. */
const MAX_POINTER_BYTES = 1000;

async function pointerOnly(output: ToolOutput, blobs: Blobs): Promise<BoundedOutput> {
  const bytes = Buffer.byteLength(output.text);
  const kept = output.original === undefined ? {} : { original: output.original };
  if (bytes <= MAX_POINTER_BYTES && estimateTokens(output.text, HIGH) <= POINTER_TOKENS)
    return { text: output.text, ...kept, partial: false };
  const original = output.original ?? (await blobs.put(output.text).catch(() => undefined));
  const where = original === undefined ? 'Call the tool again alone.' : pointerTo(original.hash);
  return {
    text: `[Not shown: the results of this reply together are too long. ${original?.bytes ?? bytes} bytes: ${where}]`,
    ...(original === undefined ? {} : { original }),
    partial: true,
  };
}

async function truncate(
  output: ToolOutput,
  limits: OutputLimits,
  blobs: Blobs,
  { tool = '', direction: asked = 'auto', outputs }: OutputOptions,
  isPartOfKept: boolean,
): Promise<BoundedOutput> {
  const { text, original: kept, excerpt } = output;
  const shown = excerpt === undefined ? text : linesOfExcerpt(text);
  // For a file, only its own lines count towards the limit, not the notes about them.
  const notes = countLines(text) - countLines(shown);
  if (fits(text, { ...limits, maxLines: limits.maxLines + notes })) {
    if (kept === undefined) return { text, partial: false };
    // A partial text needs a notice with its source; text shortened by structure already has one.
    const says = !isPartOfKept || text.includes(memoryIdOf(kept.hash));
    const noted = says ? text : `[A part of ${kept.bytes} bytes. All: ${pointerTo(kept.hash)}]\n${text}`;
    if (fits(noted, limits)) return { text: noted, original: kept, partial: isPartOfKept };
  }
  const original = isPartOfKept ? kept : await blobs.put(text).catch(() => undefined);
  const file = await outputs?.save(tool, original, text);
  const direction = asked !== 'auto' ? asked : output.kind === 'command' ? 'head_tail' : 'head';
  const cut = await cutWithin(shown, limits, {
    direction,
    findsErrors: !quotesFiles(output),
    notice: (made) =>
      excerpt === undefined
        ? truncationNotice(made, file, original)
        : excerptNotice(made, excerpt, file, original),
  });
  const fullOutputPath = file ?? blobPath(blobs, original);
  return {
    text: cut.text,
    partial: true,
    ...(original === undefined ? {} : { original }),
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    truncation: {
      ...cut.stats,
      originalLines: original?.lines ?? cut.stats.originalLines,
      originalBytes: original?.bytes ?? cut.stats.originalBytes,
    },
  };
}

function fits(text: string, { maxLines, maxBytes, maxTokens }: OutputLimits): boolean {
  // Cheap check first: a UTF-16 unit has at least one byte.
  if (text.length > maxBytes) return false;
  if (
    Buffer.byteLength(text) > maxBytes ||
    text.split('\n', maxLines + 2).length > maxLines + (text.endsWith('\n') ? 1 : 0)
  )
    return false;
  return maxTokens === undefined || estimateTokens(text, HIGH) <= maxTokens;
}

interface CutOptions extends TruncationOptions {
  readonly direction: TruncateDirection;
  readonly notice: (cut: Pick<Truncation, 'stats' | 'shown' | 'preview'>) => string;
}

/** Cuts the text so that it fits the limits together with the notice. */
async function cutWithin(
  text: string,
  limits: OutputLimits,
  { direction, notice, findsErrors = true }: CutOptions,
): Promise<{ readonly text: string; readonly stats: TruncationStats }> {
  const { maxLines, maxTokens } = limits;
  const longest = {
    direction,
    originalLines: text.length,
    originalBytes: 4 * text.length,
    keptLines: text.length,
    keptBytes: 4 * text.length,
    timeMs: 0,
  };
  const room = Buffer.byteLength(notice({ preview: '', stats: longest })) + 1;
  let maxBytes = Math.max(0, limits.maxBytes - room);
  for (;;) {
    const within = { maxLines: maxLines - 1, maxBytes };
    const cut = await truncateInSteps(text, within, direction, { findsErrors });
    const { preview, stats } = cut;
    const whole = `${notice(cut)}\n${preview}`;
    // The length of the notice may depend on the cut.
    const excess = Buffer.byteLength(whole) - limits.maxBytes;
    if (excess > 0 && maxBytes > 0) {
      maxBytes = Math.max(0, Math.min(maxBytes, stats.keptBytes) - excess);
      continue;
    }
    const tokens = maxTokens === undefined ? 0 : estimateTokens(whole, HIGH);
    if (maxTokens === undefined || tokens <= maxTokens || maxBytes < LEAST_BYTES)
      return { text: whole, stats };
    // Dense text has more tokens per byte. The estimate is almost linear, so few iterations are needed.
    maxBytes = Math.floor(Math.min(maxBytes, stats.keptBytes) * Math.min(0.95, maxTokens / tokens));
  }
}

/** Minimum bytes of a cut, even if it exceeds the token limit. */
const LEAST_BYTES = 100;

/**
 * Limits of one result: those of the settings, or less in a small window, which 51,200 bytes would fill. From a window
 * of 85,334 tokens on, the settings apply unchanged.
 */
export function limitsFor(
  settings: TruncationLimits,
  windowTokens: number,
): TruncationLimits & { readonly maxTokens: number } {
  return {
    maxLines: settings.maxLines,
    maxBytes: Math.max(
      MIN_BYTES,
      Math.min(settings.maxBytes, Math.floor(windowTokens * BYTES_PER_WINDOW_TOKEN)),
    ),
    maxTokens: Math.max(MIN_TOKENS, Math.floor(windowTokens * SHARE_OF_WINDOW)),
  };
}

const MIN_BYTES = 1000;
const MIN_TOKENS = 250;
/**
 * With 3.7 bytes per token of code this is a sixth of the window: next to system prompt, tools and reply reserve, two
 * or three results fit before anything has to be removed.
 */
const BYTES_PER_WINDOW_TOKEN = 0.6;
/** Dense text (base64, CJK) has few bytes per token, so it is limited to a quarter of the window. */
const SHARE_OF_WINDOW = 0.25;

// Writes full outputs as readable files: `<folder>/<tool>-<hash>.txt`, mode 0600 in a folder of mode 0700. These are
// copies for people and their tools: the original is in the blob store, and a disk error only costs the path.

export class OutputFolder {
  readonly #folder: string;
  readonly #blobs: Blobs;

  /** `folder`: absolute; created when first needed, and not written to once its path leads elsewhere. */
  constructor(folder: string, blobs: Blobs) {
    this.#folder = realpath(folder);
    this.#blobs = blobs;
  }

  /**
   * Writes an output and returns its path. Copies the stored `original`, which is limited in size and has no secrets;
   * `text` is written if nothing could be stored. Undefined on a disk error. The same output is written once.
   */
  async save(tool: string, original: BlobRef | undefined, text: string): Promise<string | undefined> {
    const clean = original === undefined ? Buffer.from(this.#blobs.redact(text)) : undefined;
    const hash =
      original?.hash ??
      createHash('sha256')
        .update(clean ?? '')
        .digest('hex');
    const path = join(this.#folder, `${safeName(tool)}-${memoryIdOf(hash)}.txt`);
    try {
      const there = await lstat(path).catch(() => undefined);
      if (there?.isFile() === true && there.size === (original?.bytes ?? clean?.length)) return path;
      // A link that a command has placed there fails here.
      if (realpath(this.#folder) !== this.#folder) return undefined;
      await makeFolder(this.#folder);
      await inRealFolder(this.#folder, async (folder) => {
        // Rename the file when it is complete: a reader must not see half of it.
        const unfinished = folder.at(`.${newId()}`);
        try {
          if (clean === undefined)
            await copyFile(this.#blobs.pathOf(hash), unfinished, constants.COPYFILE_EXCL);
          else await writeFile(unfinished, clean, { mode: 0o600, flag: 'wx' });
          await rename(unfinished, folder.at(basename(path)));
        } catch (error) {
          await rm(unfinished, { force: true });
          throw error;
        }
      });
      return path;
    } catch {
      return undefined;
    }
  }
}

/** Names of MCP tools may contain any characters. */
function safeName(tool: string): string {
  return tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40) || 'output';
}
