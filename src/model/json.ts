/// <reference lib="es2024.string" />
/** Careful reading of JSON that a stranger wrote. */

/** A value as an object with unknown fields; an empty one when it is something else. */
export function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** The value when it is a string that is not empty. */
export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The value when it is a whole number from 0 up. */
export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}

/** The value as an array; an empty one when it is something else. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Lone surrogates, which are no valid UTF-8, become U+FFFD. */
export function wellFormed(value: string): string {
  return value.toWellFormed();
}
