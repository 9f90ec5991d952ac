/**
 * Images on their way into a prompt: from a paste, from the clipboard, from `@path`. Says what comes of each, and
 * holds a prompt back whose images its model would not see.
 */
import type { Agent } from '../../agent/types.ts';
import { describeImage, type ImagePart } from '../../protocol/images.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import type { ImagePort, ImageRead } from './ImagePort.ts';
import { mentionedImages, pathsInPaste } from './imagePaths.ts';
import { createImageShelf } from './imageShelf.ts';

export interface Images {
  /** Labels in the place of a paste that names images; undefined at once where it does not even look so. */
  attach(pasted: string): Promise<readonly string[] | undefined> | undefined;
  /** The label of the clipboard's image; undefined where there is none, which was said then. */
  fromClipboard(): Promise<string | undefined>;
  /** The images to send with a prompt; `hold` gives it back to who typed it. */
  of(text: string): Promise<readonly ImagePart[] | 'hold'>;
}

export interface ImagesPorts {
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
