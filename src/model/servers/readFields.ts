/** Validates numbers and names that servers report. Pure. */
import { text } from '../json.ts';

/** No model has less, so a smaller number is not a window. */
const LEAST_WINDOW = 256;
/** More than any model ever published (10,000,000 tokens): a placeholder or an error. */
const MOST_WINDOW = 16_000_000;

/** A window in tokens; undefined for zero, negative, huge, malformed or missing values. Accepts digits in a string. */
export function windowIn(value: unknown): number | undefined {
  const tokens = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens)) return undefined;
  return tokens >= LEAST_WINDOW && tokens <= MOST_WINDOW ? tokens : undefined;
}

/** A model id: one line of at most 512 printable characters that can be shown and sent. */
export function idIn(value: unknown): string | undefined {
  const id = text(value);
  return id !== undefined && id.length <= 512 && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(id)
    ? id
    : undefined;
}

/** A version for display: printable, cut to 64 characters. */
export function versionIn(value: unknown): string | undefined {
  const version = idIn(value);
  return version === undefined ? undefined : version.slice(0, 64);
}

/** True if the name shows that the model is not for conversations (embeddings, images, speech …). */
export function isUnfitName(id: string): boolean {
  return UNFIT.test(id);
}

const UNFIT =
  /embed|rerank|\bbge-|moderation|whisper|transcri|\btts\b|text-to-speech|dall-?e|(?:^|[/-])(?:image|sora|realtime|audio|imagen|veo|flux)(?:[-\d]|$)|stable-?diffusion|^(?:davinci|babbage)-\d/i;
