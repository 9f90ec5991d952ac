import type { Deed } from './types.ts';

/** Puts the clipboard's image into the composer. */
export const pasteImage: Deed = () => undefined;
