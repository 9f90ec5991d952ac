/** Figures and names as servers state them, taken only where they can be true. Pure. */
import { text } from '../json.ts';

/** Less than this no model has, so it was not meant as a window. */
const LEAST_WINDOW = 256;
/** More than any model that was ever published (10,000,000 tokens): a placeholder or a lie. */
const MOST_WINDOW = 16_000_000;

/** A window in tokens; undefined for zero, negative, huge, broken or missing values. Digits in a string count. */
export function windowIn(value: unknown): number | undefined {
  const tokens = typeof value === 'string' && /^\d{1,9}$/.test(value.trim()) ? Number(value) : value;
  if (typeof tokens !== 'number' || !Number.isSafeInteger(tokens)) return undefined;
  return tokens >= LEAST_WINDOW && tokens <= MOST_WINDOW ? tokens : undefined;
}

/** A model's id: one printable line that can be shown and sent. */
export function idIn(value: unknown): string | undefined {
  const id = text(value);
  return id !== undefined && id.length <= 512 && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(id)
    ? id
    : undefined;
}

/** A version as it is shown: short, printable. */
export function versionIn(value: unknown): string | undefined {
  const version = idIn(value);
  return version === undefined ? undefined : version.slice(0, 64);
}

/** Not for conversations, as far as the name tells. */
export function isUnfitName(id: string): boolean {
  return UNFIT.test(id);
}

const UNFIT =
  /embed|rerank|\bbge-|moderation|whisper|transcri|\btts\b|text-to-speech|dall-?e|(?:^|[/-])(?:image|sora|realtime|audio|imagen|veo|flux)(?:[-\d]|$)|stable-?diffusion|^(?:davinci|babbage)-\d/i;
