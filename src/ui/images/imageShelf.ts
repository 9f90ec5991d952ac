/**
 * The images of a session by their numbers, as `[Image #1]` in a prompt names them. The text is all that a draft needs
 * to keep: wherever it goes (history, queue, editor, a turn that is taken back), its images are found here again.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { type ImagePart, imageLabel, imageNumbersIn } from '../../protocol/images.ts';

export interface ImageShelf {
  /** Puts an image there; returns its label. */
  add(image: ImagePart): string;
  /** The images that a text names, in its order. */
  named(text: string): readonly ImagePart[];
}

/** The oldest make room. */
const MAX_IMAGES = 40;

/** `entries` are the session's: what was sent before counts on, and is found by its number. */
export function createImageShelf(entries: () => readonly JSONLEntry[]): ImageShelf {
  const images = new Map<number, ImagePart>();
  let last = 0;
  return {
    add(image) {
      last = Math.max(last, ...entries().flatMap((entry) => numbersOf(entry))) + 1;
      images.set(last, image);
      for (const number of images.keys()) {
        if (images.size <= MAX_IMAGES) break;
        images.delete(number);
      }
      return imageLabel(last);
    },
    named: (text) =>
      imageNumbersIn(text).flatMap((number) => images.get(number) ?? sentAs(number, entries()) ?? []),
  };
}

function sentAs(number: number, entries: readonly JSONLEntry[]): ImagePart | undefined {
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at];
    const place = entry === undefined ? -1 : numbersOf(entry).indexOf(number);
    if (entry === undefined || place === -1) continue;
    const image = partsOf(entry).filter(isImage)[place];
    if (image !== undefined) return image;
  }
  return undefined;
}

/** The numbers of an entry's images, in the order of its parts; those of `@path` come behind them. */
function numbersOf(entry: JSONLEntry): readonly number[] {
  const text = partsOf(entry).find((part) => part.type === 'text');
  return text?.type === 'text' ? imageNumbersIn(text.text) : [];
}

type Part = { readonly type: 'text'; readonly text: string } | ImagePart;

/** The parts of a prompt that has images; none for any other. */
function partsOf({ subtype, message }: JSONLEntry): readonly Part[] {
  return subtype === 'prompt' && Array.isArray(message.content) ? (message.content as Part[]) : [];
}

function isImage(part: Part): part is ImagePart {
  return part.type === 'image' && typeof part.data === 'string' && typeof part.mediaType === 'string';
}
