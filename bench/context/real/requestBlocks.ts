/** From the messages of a real request to blocks: equal bytes have equal ids. */
import { createHash } from 'node:crypto';
import { TokenCounter } from '../../../src/context/index.ts';
import type { Message } from '../../../src/protocol/messages.ts';
import type { Sized } from '../cache.ts';

export class RequestBlocks {
  readonly counter = new TokenCounter();
  readonly #ids = new Map<string, number>();
  readonly #known = new WeakMap<Message, Sized>();

  of(messages: readonly Message[]): Sized[] {
    return messages.map((message) => this.#block(message));
  }

  #block(message: Message): Sized {
    const known = this.#known.get(message);
    if (known !== undefined) return known;
    const bytes = createHash('sha256').update(JSON.stringify(message)).digest('base64');
    const id = this.#ids.get(bytes) ?? this.#ids.size + 1;
    this.#ids.set(bytes, id);
    const block = { id, tokens: this.counter.countMessage(message) };
    this.#known.set(message, block);
    return block;
  }
}
