/**
 * Images on their way into a prompt: from a paste, from the clipboard, from `@path`. Says what comes of each, and
 * holds a prompt back whose images its model would not see.
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
  /** Labels in the place of a paste that names images; undefined at once where it does not even look so. */
  attach(pasted: string): Promise<readonly string[] | undefined> | undefined;
  /** The label of the clipboard's image; undefined where there is none, which was said then. */
  fromClipboard(): Promise<string | undefined>;
  /** The images to send with a prompt; `hold` gives it back to who typed it. */
  of(text: string): Promise<readonly ImagePart[] | 'hold'>;
}

interface ImagesPorts {
  readonly port: () => ImagePort | undefined;
  readonly agent: Pick<Agent, 'entries' | 'state'>;
  readonly say: (level: 'info' | 'warning' | 'error', text: string) => void;
}

/** Whether a text is worth looking at; commands and `!` lines have no images. */
export function mayNameImages(text: string): boolean {
  return !/^[/!]/.test(text) && /\[Image #\d|@/.test(text);
}

/** The images of one session. */
export function createImages({ port, agent, say }: ImagesPorts): Images {
  const shelf = createImageShelf(agent.entries);
  /** Models of which it was said that nobody knows. */
  const unknown = new Set<string>();

  const put = (read: Extract<ImageRead, { type: 'image' }>, name: string): string => {
    const label = shelf.add(read.image);
    const { id, seesImages } = agent.state().model;
    const facts = `${label} ${sanitizeLine(name)}${name === '' ? '' : ' '}(${describeImage(read.header)})`;
    if (seesImages === false) say('warning', `${facts}: ${blindText(id)}`);
    return label;
  };
  const readAll = async (from: ImagePort, guesses: readonly (readonly string[])[]) => {
    for (const paths of guesses) {
      const reads = await Promise.all(paths.map((path) => from.read(path)));
      for (const read of reads) if (read.type === 'refused') say('warning', read.message);
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
      say(read.type === 'refused' ? 'warning' : 'info', read.message ?? 'No image on the clipboard.');
      return undefined;
    },
    async of(text) {
      const named = shelf.named(text);
      const paths = mentionedImages(text);
      const { id, seesImages } = agent.state().model;
      if (named.length > 0 && seesImages === false) {
        say('warning', `Not sent: ${blindText(id)} Remove the image to send it.`);
        return 'hold';
      }
      const mentioned: ImagePart[] = [];
      const from = port();
      for (const path of from === undefined ? [] : paths) {
        const read = await from?.read(path);
        if (read?.type === 'refused') say('warning', read.message);
        else if (read?.type === 'image' && seesImages === false)
          say('info', `${id} does not see images: ${sanitizeLine(path)} is named, not shown to it.`);
        else if (read?.type === 'image') mentioned.push(read.image);
      }
      const all = [...named, ...mentioned];
      if (all.length > 0 && seesImages === undefined && !unknown.has(id)) {
        unknown.add(id);
        say('info', `Image support of ${id} is unknown: images are sent, and dropped if it rejects them.`);
      }
      return all;
    },
  };
}

function blindText(model: string): string {
  return `${model} has no image input. Switch models with /model.`;
}

/**
 * The images of a session by their numbers, as `[Image #1]` in a prompt names them. The text is all that a draft needs
 * to keep: wherever it goes (history, queue, editor, a turn that is taken back), its images are found here again.
 */
interface ImageShelf {
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

/** Where images come from; `cli` has it. Neither call rejects, and both are bounded in time and size. */
export interface ImagePort {
  /** `path` as the user gave it: absolute, below `~` or below the working directory. */
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
  /** An image that cannot be sent; why, and what to do. */
  | { readonly type: 'refused'; readonly message: string }
  /** There is none; for the clipboard `message` says how there could be. */
  | { readonly type: 'none'; readonly message?: string };

// Paths of images in what is pasted, dropped or written. Pure: whether there is such a file is for others to see.

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** A drop of more files than this is text. */
const MAX_PATHS = 20;
const MAX_CHARACTERS = 8192;
const WINDOWS = /^["']?[a-z]:\\/i;

/**
 * What a paste may mean, best guess first: each a list of paths that all look like images. A terminal gives a dropped
 * file quoted, with its blanks escaped, as `file://`, or bare; several of them with blanks between.
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

/** The images that a prompt names as `@path`, or `@"path with blanks"`, each once. */
export function mentionedImages(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|((?:\\ |\S)+))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').replace(/[),.;:!?\]}'"]+$/, '').replaceAll('\\ ', ' ') : quoted,
  );
  return [...new Set(found.filter((path) => IMAGE_NAME.test(path)))].slice(0, MAX_PATHS);
}

/** One path that is a whole line: the backslashes of Windows are no escapes, and bare blanks belong to it. */
function unquoted(line: string): string {
  const inside = /^'([^']*)'$/.exec(line)?.[1] ?? /^"([^"]*)"$/.exec(line)?.[1] ?? line;
  if (WINDOWS.test(inside) || inside !== line) return fromUrl(inside);
  return fromUrl(inside.replace(/\\(.)/g, '$1'));
}

/** Words as a shell would split them. */
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
