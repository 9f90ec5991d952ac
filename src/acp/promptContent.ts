/** Reads a prompt from the client: text, images, and files that it names or includes. Pure. */
import { fileURLToPath } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { readImage } from '../headless/driver/driverMessages.ts';
import { MAX_PROMPT_BYTES } from '../headless/joinPrompt.ts';
import type { RunPrompt } from '../headless/promptRunner.ts';
import { type ImagePart, imageLabel } from '../protocol/files/images.ts';
import { visibleLine } from '../protocol/text/visible.ts';

/** The prompt for the runner; a `problem` says why it cannot be sent. */
export function promptOf(blocks: readonly ContentBlock[]): RunPrompt {
  /** The user's own text, in which file mentions apply, and the full text for the model. */
  const [typed, text]: [string[], string[]] = [[], []];
  const images: ImagePart[] = [];
  for (const block of blocks) {
    const read = readBlock(block);
    if ('problem' in read) return { text: '', problem: read.problem };
    if (read.image !== undefined) images.push(read.image);
    if (read.typed !== undefined) typed.push(read.typed);
    if (read.text !== undefined) text.push(read.text);
  }
  // A message needs some text: servers reject an empty text next to an image.
  const whole = text.join('') || images.map((_, index) => imageLabel(index + 1)).join(' ');
  if (whole.trim() === '') return { text: '', problem: 'The message is empty.' };
  if (Buffer.byteLength(whole) > MAX_PROMPT_BYTES)
    return {
      text: '',
      problem: `The prompt is longer than ${MAX_PROMPT_BYTES / 1024 / 1024} MB. Put it into a file and name the file in the prompt.`,
    };
  const own = typed.join('');
  return { text: whole, images, ...(own === whole ? {} : { typed: own }) };
}

type ReadBlock =
  | { readonly problem: string }
  | { readonly typed?: string; readonly text?: string; readonly image?: ImagePart };

function readBlock(block: ContentBlock): ReadBlock {
  switch (block.type) {
    case 'text':
      return { typed: block.text, text: block.text };
    case 'image': {
      const image = readImage(block.data);
      return 'problem' in image ? image : { image };
    }
    case 'resource_link': {
      const mention = mentionOf(block.uri);
      // Only a mention is typed: any other address is text in which an "@" has no meaning.
      return mention === undefined
        ? { text: visibleLine(block.uri, 2000) }
        : { typed: mention, text: mention };
    }
    case 'resource': {
      const { resource } = block;
      if ('text' in resource) return { text: includedText(resource.uri, resource.text) };
      const image = readImage(resource.blob);
      return 'problem' in image
        ? { problem: `${visibleLine(resource.uri, 200)} is neither text nor an image that can be sent.` }
        : { image };
    }
    case 'audio':
      return { problem: 'Audio is not supported here: send text or images.' };
  }
}

/** A local file as `@path`, which attaches it if the user's rules allow; undefined for any other address. */
function mentionOf(uri: string): string | undefined {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (url?.protocol !== 'file:') return undefined;
  const lines = /^#L(\d+)(?:[:-]L?(\d+))?$/.exec(url.hash);
  url.hash = '';
  url.search = '';
  const path = pathOf(url);
  if (path === undefined || /["\n]/.test(path)) return undefined;
  const range = lines === null ? '' : `#L${lines[1]}${lines[2] === undefined ? '' : `-${lines[2]}`}`;
  return `@"${path}"${range}`;
}

function pathOf(url: URL): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    // Names another host.
    return undefined;
  }
}

/** Content that the client includes, such as an unsaved buffer; nothing in it can end the block. */
function includedText(uri: string, text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `\n\nContent of ${visibleLine(uri, 2000)}, included by the user:\n${fence}\n${text}\n${fence}\n\n`;
}
