/** Ids of sessions and entries: letters and digits only, so that none begins with a dash or needs quoting. */
import { customAlphabet } from 'nanoid';

const lower = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A new entry's uuid: 21 letters and digits, about 125 bits. */
export const newId = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 21);

/** What marks the program's own words in a session: 8 letters and digits, about 47 bits, few tokens. */
export const newNoteKey = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 8);

export function isNoteKey(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{8}$/.test(value);
}

/** A new session's id: 20 lower-case letters and digits; lower case because some file systems fold it. */
export const newSessionId = customAlphabet(lower, 20);

/** Whether the text can be a session's id: safe as a file name and as an argument. */
export function isSafeSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
