import { customAlphabet } from 'nanoid';

/** Nine characters, letters and digits: the strictest id format that any server requires (Mistral's). */
export const newCallId = customAlphabet('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', 9);
