/**
 * Images for prompts: from a paste, the clipboard or an `@path`. Reports the outcome for each, and holds back a prompt
 * whose images the model cannot see.
 */
import type { Agent } from '../../agent/types.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import {
  describeImage,
  type ImageHeader,
  type ImagePart,
  imageLabel,
  imageNumbersIn,
} from '../../protocol/files/images.ts';
import { sanitizeLine } from '../print/sanitize.ts';

export interface Images {
  /** Labels that replace a paste of image paths. Returns undefined synchronously if the text does not look like one. */
  attach(pasted: string): Promise<readonly string[] | undefined> | undefined;
  /** Reads the clipboard's image and returns its label; undefined if there is none, after reporting that. */
  fromClipboard(): Promise<string | undefined>;
  /** Returns the images to send with a prompt; `hold` returns the prompt to the composer. */
  of(text: string): Promise<readonly ImagePart[] | 'hold'>;
}

interface ImagesPorts {
  readonly port: () => ImagePort | undefined;
  readonly agent: Pick<Agent, 'entries' | 'state'>;
  readonly showNotice: (level: 'info' | 'warning' | 'error', text: string) => void;
}

/** True if a text may name images; commands and `!` lines never do. */
export function mayNameImages(text: string): boolean {
  return !/^[/!]/.test(text) && /\[Image #\d|@/.test(text);
}

/** Manages the images of one session. */
export function createImages({ port, agent, showNotice }: ImagesPorts): Images {
  const shelf = createImageShelf(agent.entries);
  /** Models for which the notice about unknown image support was shown. */
  const unknown = new Set<string>();

  const put = (read: Extract<ImageRead, { type: 'image' }>, name: string): string => {
    const label = shelf.add(read.image);
    const { id, seesImages } = agent.state().model;
    const facts = `${label} ${sanitizeLine(name)}${name === '' ? '' : ' '}(${describeImage(read.header)})`;
    if (seesImages === false) showNotice('warning', `${facts}: ${blindText(id)}`);
    return label;
  };
  const readAll = async (from: ImagePort, guesses: readonly (readonly string[])[]) => {
    for (const paths of guesses) {
      const reads = await Promise.all(paths.map((path) => from.read(path)));
      for (const read of reads) if (read.type === 'refused') showNotice('warning', read.message);
      if (reads.every((read) => read.type === 'image'))
        return reads.map((read, at) => put(read, paths[at]?.split(/[\\/]/).at(-1) ?? ''));
      if (reads.some((read) => read.type !== 'none')) return undefined;
    }
    return undefined;
  };

  return {
    attach(pasted) {
      const from = port();
      const guesses = from === undefined ? [] : pathsInPaste(pasted);
      return from === undefined || guesses.length === 0 ? undefined : readAll(from, guesses);
    },
    async fromClipboard() {
      const read = (await port()?.clipboard()) ?? { type: 'none' };
      if (read.type === 'image') return put(read, '');
      showNotice(read.type === 'refused' ? 'warning' : 'info', read.message ?? 'No image on the clipboard.');
      return undefined;
    },
    async of(text) {
      const named = shelf.named(text);
      const paths = mentionedImages(text);
      const { id, seesImages } = agent.state().model;
      if (named.length > 0 && seesImages === false) {
        showNotice('warning', `Not sent: ${blindText(id)} Remove the image to send it.`);
        return 'hold';
      }
      const mentioned: ImagePart[] = [];
      const from = port();
      for (const path of from === undefined ? [] : paths) {
        const read = await from?.read(path);
        if (read?.type === 'refused') showNotice('warning', read.message);
        else if (read?.type === 'image' && seesImages === false)
          showNotice('info', `${id} does not support images: it gets only the path ${sanitizeLine(path)}.`);
        else if (read?.type === 'image') mentioned.push(read.image);
      }
      const all = [...named, ...mentioned];
      if (all.length > 0 && seesImages === undefined && !unknown.has(id)) {
        unknown.add(id);
        showNotice(
          'info',
          `Image support of ${id} is unknown: images are sent, and dropped if it rejects them.`,
        );
      }
      return all;
    },
  };
}

function blindText(model: string): string {
  return `${model} has no image input. Switch models with /model.`;
}

/**
 * The images of a session by number, as in `[Image #1]`. A draft stores only its text: wherever it goes (history,
 * queue, editor, a rewound turn), its images can be looked up here again.
 */
interface ImageShelf {
  add(image: ImagePart): string;
  /** Returns the images that a text names, in order of appearance. */
  named(text: string): readonly ImagePart[];
}

/** Above this, the oldest are dropped. */
const MAX_IMAGES = 40;

/** `entries` are the session's: numbering continues after images sent before, and those are found by number. */
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

/** The numbers of an entry's images, in the order of its parts; images from `@path` come after them. */
function numbersOf(entry: JSONLEntry): readonly number[] {
  const text = partsOf(entry).find((part) => part.type === 'text');
  return text?.type === 'text' ? imageNumbersIn(text.text) : [];
}

type Part = { readonly type: 'text'; readonly text: string } | ImagePart;

/** The parts of a prompt with images; empty for other entries. */
function partsOf({ subtype, message }: JSONLEntry): readonly Part[] {
  return subtype === 'prompt' && Array.isArray(message.content) ? (message.content as Part[]) : [];
}

function isImage(part: Part): part is ImagePart {
  return part.type === 'image' && typeof part.data === 'string' && typeof part.mediaType === 'string';
}

/** Source of images, provided by `cli`. Neither call rejects, and both are limited in time and size. */
export interface ImagePort {
  /** Reads an image file. `path` as the user typed it: absolute, relative to `~` or to the working directory. */
  read(path: string): Promise<ImageRead>;
  clipboard(): Promise<ImageRead>;
}

export type ImageRead =
  | {
      readonly type: 'image';
      readonly image: ImagePart;
      readonly header: ImageHeader;
      readonly bytes: number;
    }
  /** An image that cannot be sent; the message says why, and what to do. */
  | { readonly type: 'refused'; readonly message: string }
  /** No image; for the clipboard, `message` says how to make it work. */
  | { readonly type: 'none'; readonly message?: string };

// Finds image paths in pasted, dropped or typed text. Pure: whether the files exist is checked elsewhere.

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** A drop of more files than this is treated as text. */
const MAX_PATHS = 20;
const MAX_CHARACTERS = 8192;
const WINDOWS = /^["']?[a-z]:\\/i;

/**
 * Possible readings of a paste, best first, each a list of paths that all look like images. Terminals insert a dropped
 * file quoted, with escaped spaces, as `file://` or verbatim, and separate several files by spaces.
 */
export function pathsInPaste(pasted: string): readonly (readonly string[])[] {
  const text = pasted.trim();
  if (text === '' || text.length > MAX_CHARACTERS) return [];
  const lines = text.split(/\r?\n|\r/).map((line) => line.trim());
  const whole = lines.map(unquoted);
  const words = lines.some((line) => WINDOWS.test(line)) ? [] : lines.flatMap(shellWords);
  const guesses = [whole, words].filter(
    (paths) => paths.length > 0 && paths.length <= MAX_PATHS && paths.every((path) => IMAGE_NAME.test(path)),
  );
  return guesses.length === 2 && whole.join('\n') === words.join('\n') ? guesses.slice(0, 1) : guesses;
}

/** The images that a prompt names as `@path` or `@"path with spaces"`, without duplicates. */
export function mentionedImages(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|((?:\\ |\S)+))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').replace(/[),.;:!?\]}'"]+$/, '').replaceAll('\\ ', ' ') : quoted,
  );
  return [...new Set(found.filter((path) => IMAGE_NAME.test(path)))].slice(0, MAX_PATHS);
}

/** A path that fills a whole line: spaces belong to it, and backslashes in Windows paths are not escapes. */
function unquoted(line: string): string {
  const inside = /^'([^']*)'$/.exec(line)?.[1] ?? /^"([^"]*)"$/.exec(line)?.[1] ?? line;
  if (WINDOWS.test(inside) || inside !== line) return fromUrl(inside);
  return fromUrl(inside.replace(/\\(.)/g, '$1'));
}

/** Splits a line into words like a shell. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    fromUrl(
      word.replace(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_all, single, double, escaped) => single ?? double ?? escaped,
      ),
    ),
  );
}

function fromUrl(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  try {
    return decodeURIComponent(new URL(path).pathname).replace(/^\/([a-z]:)/i, '$1');
  } catch {
    return path;
  }
}
