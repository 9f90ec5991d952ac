/** Turns a server's answer to a call into a tool result: text for the model, followed by images. Pure. */
import { describeImage, type ImagePart, MAX_IMAGE_BYTES, readImageHeader } from '../protocol/files/images.ts';
import { printJson } from '../protocol/text/boundedJson.ts';
import { visibleLine, visibleText } from '../protocol/text/visible.ts';
import type { ToolOutcome } from '../protocol/tools.ts';

/** A block of an answer; its fields depend on the type. */
interface ContentBlock {
  readonly type: string;
  readonly text?: string | undefined;
  readonly data?: string | undefined;
  readonly mimeType?: string | undefined;
  readonly uri?: string | undefined;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly resource?:
    | {
        readonly uri: string;
        readonly mimeType?: string | undefined;
        readonly text?: string;
        readonly blob?: string;
      }
    | undefined;
}

export interface CallResult {
  readonly content: readonly unknown[];
  readonly structuredContent?: unknown;
  readonly isError?: boolean | undefined;
}

const MAX_IMAGES = 10;

interface OutcomeOptions {
  readonly title: string;
  /** The name of an image, without its number. */
  readonly name: string;
  /** True if the model is known to see images. */
  readonly seesImages: boolean;
}

/** Converts blocks to text, and collects their images. */
export function contentOf(
  content: readonly unknown[],
  options: Pick<OutcomeOptions, 'name' | 'seesImages'>,
): {
  readonly text: string;
  readonly images: readonly { readonly path: string; readonly image: ImagePart }[];
} {
  const images: { path: string; image: ImagePart }[] = [];
  const parts = (content as readonly ContentBlock[]).map((block) => blockText(block, images, options));
  return { text: parts.filter((part) => part !== '').join('\n\n'), images };
}

/**
 * Builds the tool result. Structured content is only used if there is no text: servers that send both repeat it as
 * text.
 */
export function outcomeOf(
  { content, structuredContent, isError }: CallResult,
  options: OutcomeOptions,
): ToolOutcome {
  const shown = contentOf(content, options);
  const { images } = shown;
  const hasText = (content as readonly ContentBlock[]).some(
    ({ type }) => type === 'text' || type === 'resource',
  );
  const structured =
    hasText || structuredContent === undefined ? '' : visibleText(printJson(structuredContent));
  const text = [shown.text, structured].filter((part) => part !== '').join('\n\n');
  return {
    status: isError === true ? 'error' : 'ok',
    text: text === '' ? '(The tool returned nothing.)' : text,
    kind: 'text',
    display: { title: options.title, summary: isError === true ? 'failed' : summaryOf(text, images.length) },
    ...(images.length > 0 && { images }),
    response: () => (content.length === 0 && structuredContent !== undefined ? structuredContent : content),
  };
}

function summaryOf(text: string, images: number): string {
  const lines = text === '' ? 0 : text.split('\n').length;
  const counted = `${lines} ${lines === 1 ? 'line' : 'lines'}`;
  return images === 0 ? counted : `${counted}, ${images} ${images === 1 ? 'image' : 'images'}`;
}

function blockText(
  block: ContentBlock,
  images: { path: string; image: ImagePart }[],
  options: Pick<OutcomeOptions, 'name' | 'seesImages'>,
): string {
  switch (block.type) {
    case 'text':
      return visibleText(block.text ?? '');
    case 'image':
      return imageText(block.data ?? '', images, options);
    case 'audio':
      return `[Audio (${visibleLine(block.mimeType ?? 'of unknown type', 60)}), which cannot be shown.]`;
    case 'resource_link': {
      const about = [block.name, block.description].filter((one) => one !== undefined).join(': ');
      return `[Resource ${visibleLine(block.uri ?? '', 500)}${about === '' ? '' : ` (${visibleLine(about, 300)})`}]`;
    }
    case 'resource': {
      const { uri = '', text, blob = '', mimeType = 'of unknown type' } = block.resource ?? {};
      const head = `[Resource ${visibleLine(uri, 500)}]`;
      if (text !== undefined) return `${head}\n${visibleText(text)}`;
      if (mimeType.startsWith('image/')) return `${head}\n${imageText(blob, images, options)}`;
      return `${head}\n[Binary data (${visibleLine(mimeType, 60)}), which cannot be shown.]`;
    }
    default:
      return `[Content of an unknown type: ${visibleLine(block.type, 60)}.]`;
  }
}

/** Identifies an image by its bytes, never by the server's declared type. */
function imageText(
  data: string,
  images: { path: string; image: ImagePart }[],
  { name, seesImages }: Pick<OutcomeOptions, 'name' | 'seesImages'>,
): string {
  const bytes = Buffer.from(data, 'base64');
  const header = readImageHeader(bytes);
  if (header === undefined) return '[An image in an unsupported format.]';
  const facts = describeImage(header);
  if (!seesImages) return `[An image (${facts}); this model may not support images, so it is not shown.]`;
  if (bytes.length > MAX_IMAGE_BYTES || images.length === MAX_IMAGES)
    return `[An image (${facts}) that is not shown: the limit is ${MAX_IMAGES} images of ${MAX_IMAGE_BYTES / 2 ** 20} MB each.]`;
  const path = `${name} ${images.length + 1}`;
  images.push({
    path,
    image: { type: 'image', mediaType: header.mediaType, data: bytes.toString('base64') },
  });
  return `[An image (${facts}), which follows as a separate message: ${path}.]`;
}
