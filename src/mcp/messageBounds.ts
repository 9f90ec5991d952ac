/** How large a message of a server may be, over any transport. How it may be shaped: `protocol/text/boundedJson.ts`. */
import { JsonBoundError } from '../protocol/text/boundedJson.ts';

/** Maximum bytes of a message, decompressed. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

/** The error for a message that exceeds the size. */
export function messageTooLong(maxBytes = MAX_MESSAGE_BYTES): JsonBoundError {
  return new JsonBoundError(`It sent a message of more than ${maxBytes / 2 ** 20} MB.`);
}

/** Reported to `onerror` before a transport closes because of what the server did: the reason. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}
