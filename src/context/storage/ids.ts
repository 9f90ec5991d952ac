/** Ids of sessions and entries: only letters, digits and inner dashes, so that none needs quoting. */
import { randomUUID } from 'node:crypto';
import { customAlphabet } from 'nanoid';

const lower = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A new entry's uuid: 21 letters and digits, about 125 bits. */
export const newId = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 21);

/** A new key for the program's notes in a session: 8 letters and digits, about 47 bits, few tokens. */
export const newNoteKey = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 8);

export function isNoteKey(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{8}$/.test(value);
}

/**
 * A new session id: a UUID, which programs that drive sessions expect, in lower case, since some file systems ignore
 * case. Earlier ones are 20 letters and digits.
 */
export const newSessionId = (): string => randomUUID();

/** True if the text can be a session id: safe as a file name and as an argument. */
export function isSafeSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
