/** Limits the size of server messages over any transport. `protocol/text/boundedJson.ts` limits their shape. */
import { JsonBoundError } from '../protocol/text/boundedJson.ts';

/** Maximum bytes of a message, decompressed. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

/** The error for a message that is too large. */
export function messageTooLong(maxBytes = MAX_MESSAGE_BYTES): JsonBoundError {
  return new JsonBoundError(`It sent a message of more than ${maxBytes / 2 ** 20} MB.`);
}

/** Tells `onerror` why a transport is about to close because of something that the server did. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}
