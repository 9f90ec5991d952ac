import type { Deed } from './types.ts';

/** Puts the clipboard's image into the composer; where there is none, that is said, and how there could be one. */
export const pasteImage: Deed = async ({ images, screen, say }) => {
  const pictures = images();
  if (pictures === undefined) return say('info', 'Images can be pasted as soon as the session is open.');
  const label = await pictures.fromClipboard();
  if (label !== undefined) screen()?.composer()?.insertImage?.(label);
};
