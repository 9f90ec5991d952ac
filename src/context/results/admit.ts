/** Admission: bounds a tool's output before it becomes part of the conversation and keeps the whole beside it. */
import type { BlobRef, ToolResultKind } from '../../protocol/entries.ts';
import type { BlobStore } from '../storage/index.ts';
import { type TruncationLimits, truncateObservation, truncationNotice } from './ObservationTruncator.ts';

export interface Admitted {
  /** What the model sees, the notice first when something was left out. */
  readonly text: string;
  readonly original?: BlobRef;
  readonly partial: boolean;
}

/** `original` is what the tool itself kept, when `text` is already only a part. */
export async function admitOutput(
  output: { readonly text: string; readonly kind?: ToolResultKind; readonly original?: BlobRef | undefined },
  limits: TruncationLimits,
  blobs: BlobStore,
): Promise<Admitted> {
  const direction = output.kind === 'command' ? 'head_tail' : 'head';
  const cut = truncateObservation(output.text, limits, direction);
  const { original: kept } = output;
  const isPartOfKept = kept !== undefined && kept.bytes > cut.stats.originalBytes;
  if (!cut.truncated) {
    const original = kept === undefined ? {} : { original: kept };
    return { text: output.text, ...original, partial: isPartOfKept };
  }
  // A disk that refuses costs the pointer, not the session.
  const original = isPartOfKept ? kept : await blobs.put(output.text).catch(() => undefined);
  const path = original === undefined ? undefined : blobs.pathOf(original.hash);
  // The notice counts too: cut again to what it leaves, with room for figures that grow by a digit.
  const room = Buffer.byteLength(truncationNotice(cut, path, original)) + 16;
  const rest = { maxLines: limits.maxLines - 1, maxBytes: Math.max(0, limits.maxBytes - room) };
  const final = truncateObservation(output.text, rest, direction);
  return {
    text: `${truncationNotice(final, path, original)}\n${final.preview}`,
    ...(original === undefined ? {} : { original }),
    partial: true,
  };
}

/**
 * The limits for a window: the settings' own, but in a small window no single result may take more than a
 * good part of it.
 */
export function limitsFor(settings: TruncationLimits, windowTokens: number): TruncationLimits {
  return {
    maxLines: settings.maxLines,
    maxBytes: Math.max(
      MIN_BYTES,
      Math.min(settings.maxBytes, Math.floor(windowTokens * BYTES_PER_WINDOW_TOKEN)),
    ),
  };
}

const MIN_BYTES = 1000;
/** 0.6 bytes for each token of the window: about a sixth of it, as most text goes. */
const BYTES_PER_WINDOW_TOKEN = 0.6;
