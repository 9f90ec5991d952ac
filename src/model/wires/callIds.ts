/**
 * Ids of calls in the form that a wire accepts, unique in the whole conversation: some servers number the calls of each
 * reply from 0, and a session may have begun on another wire. Pure; the same messages give the same ids.
 */
import { createHash } from 'node:crypto';
import type { AssistantMessage } from '../../protocol/messages.ts';

interface CallIds {
  /** Ids of the calls of the next reply, in order. */
  next(message: AssistantMessage): readonly string[];
  /** The id for the result of a call of the last reply. */
  ofResult(toolCallId: string): string;
}

/** Both wires accept letters, digits, `_` and `-`; OpenAI at most 64 of them. */
const valid = /^[a-zA-Z0-9_-]{1,64}$/;

export function createCallIds(): CallIds {
  const used = new Set<string>();
  let current = new Map<string, string>();

  function unique(id: string): string {
    const base = valid.test(id) ? id : `call_${createHash('sha256').update(id).digest('hex').slice(0, 24)}`;
    let found = base;
    for (let count = 2; used.has(found); count += 1) found = `${base.slice(0, 56)}-${count}`;
    used.add(found);
    return found;
  }

  return {
    next({ toolCalls }) {
      current = new Map(toolCalls.map(({ id }) => [id, unique(id)]));
      return toolCalls.map(({ id }) => current.get(id) ?? id);
    },
    ofResult: (toolCallId) => current.get(toolCallId) ?? toolCallId,
  };
}
