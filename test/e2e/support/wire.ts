import { expect } from 'vitest';
import type { WireMessage, WireRequest } from './server.ts';

/** Every call is answered exactly once, right after the reply that made it, in order; and no result stands alone. */
export function expectPairedCalls({ messages }: WireRequest): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === 'tool') {
      expect(message.tool_call_id).toBe(open[0]);
      open = open.slice(1);
      continue;
    }
    expect(open).toEqual([]);
    open = (message.tool_calls ?? []).map((call) => call.id);
  }
  expect(open).toEqual([]);
}

/** The text of a message, whatever its form on the wire. */
export function textOf(message: WireMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
}
