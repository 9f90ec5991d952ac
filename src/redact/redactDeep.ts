/** Redacts JSON values. */
import { isSecretName } from './assignments.ts';
import { isLikelySecret } from './likelySecret.ts';
import { markOf, redact } from './redact.ts';
import type { RedactOptions } from './types.ts';

/**
 * Returns the value with every string in it redacted, field names included; parts without secrets are returned as they
 * are, not copied. A value also counts as a password if only the name of its field says so. Image data is left
 * unchanged.
 */
export function redactDeep<T>(value: T, options: RedactOptions = {}): T {
  return clean(value, options, '') as T;
}

function clean(value: unknown, options: RedactOptions, name: string): unknown {
  if (typeof value === 'string') return cleanText(value, options, name);
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item) => clean(item, options, name));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  let changed = false;
  const fields = Object.entries(value).map(([key, field]) => {
    const pair = [redact(key, options), isPicture(value, key) ? field : clean(field, options, key)] as const;
    changed ||= pair[0] !== key || pair[1] !== field;
    return pair;
  });
  return changed ? Object.fromEntries(fields) : value;
}

/** Image data is large and not text; anything that only claims to be an image is scanned. */
function isPicture(value: object, key: string): boolean {
  if (key !== 'data' || !('type' in value) || value.type !== 'image' || !('data' in value)) return false;
  return (
    typeof value.data === 'string' && /^[A-Za-z0-9+/]{0,}={0,2}$/.test(value.data) && value.data.length > 64
  );
}

function cleanText(text: string, options: RedactOptions, name: string): string {
  const cleaned = redact(text, options);
  if (cleaned !== text || text.length > 512 || !isSecretName(name)) return cleaned;
  if (!isLikelySecret(text, 'quoted')) return text;
  const mark = markOf('password', text);
  options.onRedacted?.(mark);
  return mark;
}
