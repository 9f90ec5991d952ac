/** A result of unknown shape as text and as a value. */

/** Text as it is; any other value as JSON. Nothing at all is "null"; what has no JSON is what it prints as. */
export function plainTextOf(result: unknown): string {
  if (typeof result === 'string') return result;
  if (result === undefined || result === null) return 'null';
  try {
    return JSON.stringify(result) ?? String(result);
  } catch {
    return String(result);
  }
}

/** The value that a text spells as JSON, or the value itself; undefined for text that is no JSON object or list. */
export function parsedOf(result: unknown): unknown {
  if (typeof result !== 'string') return result;
  if (result.length > MAX_PARSED || !/^\s*[[{]/.test(result)) return undefined;
  try {
    const value: unknown = JSON.parse(result);
    return value;
  } catch {
    return undefined;
  }
}

/** A larger text would hold up everything else while it is parsed. In characters. */
const MAX_PARSED = 1_000_000;

export type JsonRecord = Readonly<Record<string, unknown>>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
