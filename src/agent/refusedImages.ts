/**
 * A server that cannot read an image refuses every later request with it in the history: that must not end a session.
 * Models that take no images at all are the client's affair; here are images that one that sees could not read, and
 * refusals in words that the client does not know.
 */
import type { ModelError, ModelRequest } from '../protocol/model.ts';

/** Whether a request failed because of the images in it. */
export function refusesImages({ kind, message }: ModelError, { messages }: ModelRequest): boolean {
  if (kind !== 'bad_request' && kind !== 'server' && kind !== 'model_not_found') return false;
  return SIGNS.test(message) && messages.some(hasImage);
}

/** What servers say: "image input is not supported", "does not support vision", "content must be a string". */
const SIGNS =
  /image|vision|multi-?modal|modalit|mmproj|content (?:must|should) be a string|string_type|content.{0,40}(?:valid|expected).{0,10} string/i;

export function imagesRefused(model: string): string {
  return `${model} refused the images of this session: they are left out, and named in words instead. /model switches to one that sees.`;
}

function hasImage({ content }: ModelRequest['messages'][number]): boolean {
  return typeof content !== 'string' && content.some(({ type }) => type === 'image');
}
