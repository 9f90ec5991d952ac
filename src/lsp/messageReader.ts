/**
 * Splits a server's output into messages. The library's own reader searches everything that has arrived for the end of a
 * header again with each chunk, so a flood without one would block this program for seconds.
 */
import type { Readable } from 'node:stream';
import { AbstractMessageReader, type DataCallback, type Disposable } from 'vscode-jsonrpc/node';
import type { ServerProcess } from './serverProcess.ts';

const MAX_HEADER_BYTES = 4096;
const MAX_BODY_BYTES = 16 * 2 ** 20;
/** Bytes of output that handling a message is worth. */
const MESSAGE_COST = 2048;

export class BoundedMessageReader extends AbstractMessageReader {
  readonly #output: Readable;
  readonly #server: Pick<ServerProcess, 'charge' | 'stop'>;
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** Undefined while a header is read. */
  #bodyBytes: number | undefined;
  #hasFailed = false;

  constructor(server: Pick<ServerProcess, 'output' | 'charge' | 'stop'>) {
    super();
    this.#output = server.output;
    this.#server = server;
  }

  listen(callback: DataCallback): Disposable {
    const onData = (chunk: Buffer): void => {
      if (this.#hasFailed) return;
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
      try {
        this.#read(callback);
      } catch (error) {
        this.#hasFailed = true;
        this.#chunks = [];
        this.#server.stop((error as Error).message);
      }
    };
    this.#output.on('data', onData);
    return { dispose: () => void this.#output.off('data', onData) };
  }

  /** Handles the complete messages; the text of each is copied once. */
  #read(callback: DataCallback): void {
    while (this.#bytes >= (this.#bodyBytes ?? 1)) {
      const [only] = this.#chunks;
      const all = only !== undefined && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks);
      if (this.#bodyBytes === undefined) {
        const end = all.subarray(0, MAX_HEADER_BYTES).indexOf('\r\n\r\n');
        if (end === -1 && all.length >= MAX_HEADER_BYTES)
          throw new Error('It sent something that is no message.');
        this.#keep(all, end === -1 ? 0 : end + 4);
        if (end === -1) return;
        this.#bodyBytes = lengthIn(all.toString('latin1', 0, end));
      } else {
        const body = all.toString('utf8', 0, this.#bodyBytes);
        this.#keep(all, this.#bodyBytes);
        this.#bodyBytes = undefined;
        this.#server.charge(MESSAGE_COST);
        callback(JSON.parse(body));
      }
    }
  }

  #keep(all: Buffer, from: number): void {
    this.#chunks = [all.subarray(from)];
    this.#bytes = all.length - from;
  }
}

function lengthIn(header: string): number {
  const bytes = Number(/^content-length: *(\d{1,12})\s*$/im.exec(header)?.[1] ?? Number.NaN);
  if (!(bytes >= 0)) throw new Error('It sent something that is no message.');
  if (bytes > MAX_BODY_BYTES)
    throw new Error(`It sent a message of more than ${MAX_BODY_BYTES / 2 ** 20} MB.`);
  return bytes;
}
