/** The lines that a driving program writes to our standard input: parsed and checked, nothing acted on. */
import * as z from 'zod';
import { controlResponseSchema } from '../../protocol/controlMessages.ts';
import { type ImagePart, imageLabel, MAX_IMAGE_BYTES, readImageHeader } from '../../protocol/files/images.ts';
import { MAX_PROMPT_BYTES } from '../joinPrompt.ts';

/** A prompt from the driver. */
export interface DriverPrompt {
  /** The driver's own id of the message. */
  readonly uuid?: string;
  /** The message as it came, for `--replay-user-messages`. */
  readonly message: object;
  readonly text: string;
  readonly images: readonly ImagePart[];
  /** Not interpreted as a slash command. */
  readonly isVerbatim: boolean;
  /** Why it cannot be sent, ready to show; the turn then fails. */
  readonly problem?: string;
}

/** A request that the driver wants answered. */
export interface DriverRequest {
  readonly id: string;
  readonly subtype: string;
  /** All fields of the request; unchecked. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** The driver's answer to one of our requests. */
export interface DriverResponse {
  readonly id: string;
  readonly result:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: string };
}

export type DriverMessage =
  | { readonly type: 'prompt'; readonly prompt: DriverPrompt }
  | { readonly type: 'request'; readonly request: DriverRequest }
  | { readonly type: 'response'; readonly response: DriverResponse }
  /** Has no meaning here; `notice` says so, and is absent for messages that never need a reaction. */
  | { readonly type: 'ignored'; readonly notice?: string }
  /** The two sides no longer understand each other: nothing after it is read. `problem` is ready to show. */
  | { readonly type: 'malformed'; readonly problem: string };

const head = z.looseObject({ type: z.string() });

const block = z.looseObject({ type: z.string() });
const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const imageBlock = z.looseObject({
  type: z.literal('image'),
  source: z.looseObject({ type: z.literal('base64'), data: z.string() }),
});

const userMessage = z.looseObject({
  uuid: z.string().min(1).max(128).optional(),
  message: z.looseObject({
    role: z.literal('user', { error: 'message.role must be "user"' }),
    content: z.union([z.string(), z.array(block)], {
      error: 'message.content must be a string or a list of content blocks',
    }),
  }),
  client_composed: z.boolean().optional(),
});

const controlRequest = z.looseObject({
  request_id: z.string().min(1).max(200),
  request: z.looseObject({ subtype: z.string() }),
});

/** Parses one line. */
export function parseDriverLine(line: InputLine): DriverMessage {
  if (line.type === 'too_long')
    return { type: 'malformed', problem: 'a line of standard input is longer than 64 MB.' };
  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'malformed', problem: `a line of standard input is not JSON: ${why.slice(0, 300)}.` };
  }
  const parsed = head.safeParse(value);
  if (!parsed.success)
    return { type: 'malformed', problem: 'a line of standard input is not an object with a "type".' };
  return byType(parsed.data);
}

function byType(value: z.infer<typeof head>): DriverMessage {
  switch (value.type) {
    case 'user': {
      const parsed = userMessage.safeParse(value);
      if (!parsed.success) return malformed('a "user" line', parsed.error);
      return { type: 'prompt', prompt: promptOf(parsed.data) };
    }
    case 'control_request': {
      const parsed = controlRequest.safeParse(value);
      if (!parsed.success) return malformed('a "control_request" line', parsed.error);
      const { request_id, request } = parsed.data;
      return { type: 'request', request: { id: request_id, subtype: request.subtype, fields: request } };
    }
    case 'control_response': {
      const parsed = controlResponseSchema.safeParse(value);
      if (!parsed.success) return malformed('a "control_response" line', parsed.error);
      const { response } = parsed.data;
      const result =
        response.subtype === 'success'
          ? ({ ok: true, value: response.response } as const)
          : ({ ok: false, error: response.error } as const);
      return { type: 'response', response: { id: response.request_id, result } };
    }
    // A request of ours is settled by its response; the driver's requests are answered at once.
    case 'control_cancel_request':
    case 'keep_alive':
      return { type: 'ignored' };
    default: {
      const type = JSON.stringify(value.type.slice(0, 60));
      return { type: 'ignored', notice: `a line of type ${type} on standard input was ignored.` };
    }
  }
}

/** `what` is invalid: `a "user" line`. */
export function malformed(what: string, error: z.ZodError): DriverMessage {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  const where = path === '' ? '' : ` at "${path}"`;
  return {
    type: 'malformed',
    problem: `${what} on standard input is invalid${where}: ${issue?.message ?? 'unknown reason'}.`,
  };
}

function promptOf({ uuid, message, client_composed }: z.infer<typeof userMessage>): DriverPrompt {
  const { content } = message;
  const read = typeof content === 'string' ? { text: content, images: [] } : readBlocks(content);
  const isTooLong = Buffer.byteLength(read.text) > MAX_PROMPT_BYTES;
  const problem = isTooLong
    ? `The prompt is longer than ${MAX_PROMPT_BYTES / 1024 / 1024} MB. Put it into a file and name the file in the prompt.`
    : (read.problem ?? (read.text.trim() === '' ? 'The message is empty.' : undefined));
  return {
    message,
    text: read.text,
    images: read.images,
    isVerbatim: client_composed === true,
    ...(uuid === undefined ? {} : { uuid }),
    ...(problem === undefined ? {} : { problem }),
  };
}

interface ReadBlocks {
  readonly text: string;
  readonly images: readonly ImagePart[];
  readonly problem?: string;
}

function readBlocks(blocks: readonly z.infer<typeof block>[]): ReadBlocks {
  const texts: string[] = [];
  const images: ImagePart[] = [];
  for (const one of blocks) {
    const text = textBlock.safeParse(one);
    const image = imageBlock.safeParse(one);
    if (text.success) texts.push(text.data.text);
    else if (image.success) {
      const read = readImage(image.data.source.data);
      if ('problem' in read) return { text: '', images: [], problem: read.problem };
      images.push(read);
    } else {
      const problem = `Content blocks of type ${JSON.stringify(one.type.slice(0, 60))} are not supported here: send text, or images in base64.`;
      return { text: '', images: [], problem };
    }
  }
  // A message needs some text: servers reject an empty text next to an image.
  const text = texts.join('\n') || images.map((_, index) => imageLabel(index + 1)).join(' ');
  return { text, images };
}

/** Reads an image in base64. Identifies it by its bytes; what the other side calls it does not matter. */
export function readImage(data: string): ImagePart | { readonly problem: string } {
  const bytes = Buffer.from(data, 'base64');
  if (bytes.length > MAX_IMAGE_BYTES)
    return { problem: `An image is larger than ${MAX_IMAGE_BYTES / 1024 / 1024} MB.` };
  const header = readImageHeader(bytes);
  if (header === undefined) return { problem: 'An image is not in PNG, JPEG, GIF or WebP format.' };
  return { type: 'image', mediaType: header.mediaType, data: bytes.toString('base64') };
}

/** Splits standard input into lines of bounded length. */

type InputLine =
  | { readonly type: 'line'; readonly text: string }
  /** The line is longer than allowed; nothing after it is read. */
  | { readonly type: 'too_long' };

/** Maximum bytes of one line: several images of the largest size that models accept, in base64. */
export const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** Yields each line without its ending, also the last one if it has none; skips blank lines. */
export async function* inputLines(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes = MAX_LINE_BYTES,
): AsyncGenerator<InputLine, void, undefined> {
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const take = (): InputLine | undefined => {
    const text = Buffer.concat(parts)
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trim();
    parts = [];
    bytes = 0;
    return text === '' ? undefined : { type: 'line', text };
  };
  for await (const chunk of chunks) {
    for (let from = 0; from < chunk.length; ) {
      const at = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, at === -1 ? chunk.length : at);
      bytes += part.length;
      if (bytes > maxBytes) return yield { type: 'too_long' };
      parts.push(part);
      from += part.length + 1;
      if (at === -1) break;
      const line = take();
      if (line !== undefined) yield line;
    }
  }
  const last = take();
  if (last !== undefined) yield last;
}

const LINE_FEED = 0x0a;
