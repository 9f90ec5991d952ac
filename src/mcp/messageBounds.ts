/** Limits the size and number of server messages over any transport. `protocol/text/boundedJson.ts` limits their shape. */
import { JsonBoundError } from '../protocol/text/boundedJson.ts';
import { grouped } from '../protocol/text/numbers.ts';

/** Maximum bytes of a message, decompressed. */
export const MAX_MESSAGE_BYTES = 10 * 2 ** 20;

/** The error for a message that is too large. */
export function messageTooLong(maxBytes = MAX_MESSAGE_BYTES): JsonBoundError {
  return new JsonBoundError(`It sent a message of more than ${maxBytes / 2 ** 20} MB.`);
}

/** Far more than any call reports. Handling so many small messages takes a few seconds. */
const MAX_INFLOW_MESSAGES = 50_000;
const MAX_INFLOW_BYTES = 100 * 2 ** 20;

/** Counts what a server sends on a stream. Each call of ours begins the count again. */
export class Inflow {
  #messages = 0;
  #bytes = 0;

  /** Call this with each message that we send. */
  sent({ method }: { readonly method?: unknown }): void {
    if (method === 'tools/call') [this.#messages, this.#bytes] = [0, 0];
  }

  /** Adds a message, or something in place of one. Throws `JsonBoundError` once it is too much. */
  add(bytes: number): void {
    this.#messages += 1;
    this.#bytes += bytes;
    if (this.#messages > MAX_INFLOW_MESSAGES)
      throw new JsonBoundError(
        `It sent more than ${grouped(MAX_INFLOW_MESSAGES)} messages since the last call.`,
      );
    if (this.#bytes > MAX_INFLOW_BYTES)
      throw new JsonBoundError(`It sent more than ${MAX_INFLOW_BYTES / 2 ** 20} MB since the last call.`);
  }
}

/** Tells `onerror` why a transport is about to close because of something that the server did. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault';
}
