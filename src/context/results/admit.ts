/**
 * Admission: bounds a tool's output before it becomes part of the conversation. By the structure of its kind
 * first, then by lines, bytes and tokens; what is left out is kept as a blob and pointed to.
 */
import type { ContextSettings } from '../../protocol/contextSettings.ts';
import type { BlobRef, ToolResultKind } from '../../protocol/entries/fields.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import type { Excerpt } from '../../protocol/tools.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { quotesFiles } from './errorLines.ts';
import { countLines, type TruncationLimits } from './headAndTail.ts';
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
import type { OutputFolder } from './OutputFolder.ts';
import { compress } from './ToolResultCompressor.ts';
import { WorkingMemory } from './WorkingMemory.ts';

export interface Admitted {
  /** What the model sees, the notice first when something was left out. */
  readonly text: string;
  readonly original?: BlobRef;
  readonly partial: boolean;
  /** Where the whole lies as a file, when something was left out: in the output folder, else in the blob store. */
  readonly fullOutputPath?: string;
  /** Of a cut by lines, bytes or tokens. */
  readonly truncation?: TruncationStats;
}

/** What a tool gave. `original` is what the tool itself kept, when `text` is already only a part. */
export interface ToolOutput {
  readonly text: string;
  readonly kind?: ToolResultKind;
  readonly status?: string;
  readonly original?: BlobRef | undefined;
  readonly display?: { readonly title: string };
  readonly excerpt?: Excerpt | undefined;
}

export interface AdmissionLimits extends TruncationLimits {
  /** By the higher estimate. Absent = no bound of its own. */
  readonly maxTokens?: number;
  /** What is left of the reply's budget is needed for pointers. */
  readonly isSpent?: boolean;
}

/** How structure is used; absent = not at all. */
export interface AdmissionOptions {
  /** The name of the tool, where it was one. */
  readonly tool?: string;
  /** Null switches the shortening by structure off. */
  readonly offload?: ContextSettings['offload'] | null;
  /** `context.truncate.direction`; auto keeps beginning, errors and end of a command, the beginning of all else. */
  readonly direction?: ContextSettings['truncate']['direction'];
  /** Where full outputs are written as readable files as well. */
  readonly outputs?: OutputFolder | undefined;
}

/** Never rejects because of a disk that refuses: that costs the pointer, not the session. */
export async function admitOutput(
  output: ToolOutput,
  limits: AdmissionLimits,
  blobs: Blobs,
  options: AdmissionOptions = {},
): Promise<Admitted> {
  if (options.tool === toolNames.recall) return admitRecalled(output.text, limits);
  const admitted = await bound(output, limits, blobs, options);
  if (!admitted.partial || admitted.fullOutputPath !== undefined) return admitted;
  const { original } = admitted;
  const fullOutputPath =
    (await options.outputs?.save(options.tool ?? '', original, output.text)) ?? blobPath(blobs, original);
  return { ...admitted, ...(fullOutputPath === undefined ? {} : { fullOutputPath }) };
}

async function bound(
  output: ToolOutput,
  limits: AdmissionLimits,
  blobs: Blobs,
  options: AdmissionOptions,
): Promise<Admitted> {
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

/** True for a text that its tool cut from what it kept. */
function isPart({ text, original }: ToolOutput): boolean {
  return original !== undefined && original.bytes > Buffer.byteLength(text);
}

/** What Recall shows is a part of something that is kept: it is bounded by Recall, and not kept again. */
async function admitRecalled(text: string, limits: AdmissionLimits): Promise<Admitted> {
  if (fits(text, limits)) return { text, partial: false };
  const notice =
    '[Cut to what is left for the results of this reply; Recall it again by itself, or a smaller limit of it.]';
  const cut = await cutWithin(text, limits, { direction: 'head', notice: () => notice });
  return { text: cut.text, partial: true };
}

/** What a pointer to an output that is not shown costs, by the higher estimate. */
export const POINTER_TOKENS = 40;

/** A longer text has more tokens than a pointer without being counted. */
const MAX_POINTER_BYTES = 1000;

async function pointerOnly(output: ToolOutput, blobs: Blobs): Promise<Admitted> {
  const bytes = Buffer.byteLength(output.text);
  const kept = output.original === undefined ? {} : { original: output.original };
  if (bytes <= MAX_POINTER_BYTES && estimateTokens(output.text, HIGH) <= POINTER_TOKENS)
    return { text: output.text, ...kept, partial: false };
  const original = output.original ?? (await blobs.put(output.text).catch(() => undefined));
  const where = original === undefined ? 'Call it again by itself.' : pointerTo(original.hash);
  return {
    text: `[Not shown: the results of this reply together are too long. ${original?.bytes ?? bytes} bytes: ${where}]`,
    ...(original === undefined ? {} : { original }),
    partial: true,
  };
}

async function truncate(
  output: ToolOutput,
  limits: AdmissionLimits,
  blobs: Blobs,
  { tool = '', direction: asked = 'auto', outputs }: AdmissionOptions,
  isPartOfKept: boolean,
): Promise<Admitted> {
  const { text, original: kept, excerpt } = output;
  const shown = excerpt === undefined ? text : linesOfExcerpt(text);
  // Of a file its own lines count, not what is said about them.
  const notes = countLines(text) - countLines(shown);
  if (fits(text, { ...limits, maxLines: limits.maxLines + notes })) {
    if (kept === undefined) return { text, partial: false };
    // A part has to say of what; one that was shortened by its structure says so itself.
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

function fits(text: string, { maxLines, maxBytes, maxTokens }: AdmissionLimits): boolean {
  // No text has more lines, bytes or tokens than this without being looked at.
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

/** Notice and cut together keep all limits. */
async function cutWithin(
  text: string,
  limits: AdmissionLimits,
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
    // What the notice says may depend on the cut.
    const excess = Buffer.byteLength(whole) - limits.maxBytes;
    if (excess > 0 && maxBytes > 0) {
      maxBytes = Math.max(0, Math.min(maxBytes, stats.keptBytes) - excess);
      continue;
    }
    const tokens = maxTokens === undefined ? 0 : estimateTokens(whole, HIGH);
    if (maxTokens === undefined || tokens <= maxTokens || maxBytes < LEAST_BYTES)
      return { text: whole, stats };
    // Dense text has more tokens to the byte; the estimate is nearly linear, so this ends soon.
    maxBytes = Math.floor(Math.min(maxBytes, stats.keptBytes) * Math.min(0.95, maxTokens / tokens));
  }
}

/** A cut is not made smaller than this to meet the tokens. */
const LEAST_BYTES = 100;

/**
 * The limits of one result: the settings' own, and less in a small window, where S3's 51,200 bytes would fill all of
 * it. From 85,334 tokens on the settings hold unchanged.
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
 * Code has 3.7 bytes to the token, so that this is a sixth of the window: next to the system prompt, the tools and
 * the reply reserve there is room for two or three results before anything has to be removed.
 */
const BYTES_PER_WINDOW_TOKEN = 0.6;
/** Dense text (base64, CJK) has few bytes to the token: its bound is a quarter of the window. */
const SHARE_OF_WINDOW = 0.25;
