import { expect } from 'vitest';
import type { WireMessage, WireRequest } from './server.ts';

/**
 * Checks that every call has exactly one result, right after its reply and in order, and that there are no other
 * results.
 */
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

/** The text of a message in any wire format. */
export function textOf(message: WireMessage | undefined): string {
  return typeof message?.content === 'string' ? message.content : JSON.stringify(message?.content ?? '');
}
