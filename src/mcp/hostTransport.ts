/** The transport to a server inside the program that drives this one. */
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import type { HostChannel } from '../protocol/extensions/mcp.ts';

export class HostTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #channel: HostChannel;
  /** Requests that wait for a reply, by their ids. */
  readonly #waiting = new Map<unknown, AbortController>();
  #isClosed = false;

  constructor(channel: HostChannel) {
    this.#channel = channel;
  }

  async start(): Promise<void> {
    this.#channel.receive((message) => this.#take(message));
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The connection was closed.');
    if ('method' in message && 'id' in message) return this.#request(message);
    // Nothing waits for answers to these, and some hosts send none.
    const sent = new AbortController();
    this.#channel.send(message, sent.signal).catch((error: Error) => this.onerror?.(error));
    if ('method' in message && message.method === 'notifications/cancelled')
      this.#waiting.get(message.params?.requestId)?.abort();
  }

  async #request(message: JSONRPCMessage & { readonly id: string | number }): Promise<void> {
    const { id } = message;
    const waiting = new AbortController();
    this.#waiting.set(id, waiting);
    try {
      const reply = await this.#channel.send(message, waiting.signal);
      const isReply = typeof reply === 'object' && reply !== null && 'id' in reply && reply.id === id;
      if (!isReply) throw new Error('The driving program sent no reply to the request.');
      this.#take(reply);
    } finally {
      this.#waiting.delete(id);
    }
  }

  #take(message: unknown): void {
    if (this.#isClosed || typeof message !== 'object' || message === null) return;
    this.onmessage?.(message as JSONRPCMessage);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.receive(undefined);
    for (const waiting of this.#waiting.values()) waiting.abort();
    this.onclose?.();
  }
}
