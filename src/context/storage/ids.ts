/** Ids of sessions and entries: only letters and digits, so that none begins with a dash or needs quoting. */
import { customAlphabet } from 'nanoid';

const lower = '0123456789abcdefghijklmnopqrstuvwxyz';

/** A new entry's uuid: 21 letters and digits, about 125 bits. */
export const newId = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 21);

/** A new key for the program's notes in a session: 8 letters and digits, about 47 bits, few tokens. */
export const newNoteKey = customAlphabet(`${lower}ABCDEFGHIJKLMNOPQRSTUVWXYZ`, 8);

export function isNoteKey(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9]{8}$/.test(value);
}

/** A new session id: 20 lower-case letters and digits, since some file systems ignore case. */
export const newSessionId = customAlphabet(lower, 20);

/** True if the text can be a session id: safe as a file name and as an argument. */
export function isSafeSessionId(id: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(id);
}
