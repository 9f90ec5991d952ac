/**
 * An agent that only shows its session, because another process is writing it or it belongs to another project. Ops
 * that would write to the session are answered with a notice; reading and forking work as usual.
 */
import type { Op } from '../protocol/ops.ts';
import { createEventHub } from './core.ts';
import type { Agent } from './types.ts';

/** `agent` has a session that was opened read-only. */
export function readOnlyAgent(agent: Agent, onError: (error: unknown) => void): Agent {
  const hub = createEventHub(agent.id, onError);
  agent.subscribe(hub.emit);
  return {
    ...agent,
    state: () => ({ ...agent.state(), readOnly: true }),
    subscribe: hub.subscribe,
    submit(op) {
      const text = refusalOf(op);
      if (text === undefined) agent.submit(op);
      else {
        hub.emit({ type: 'notice', level: 'warning', text });
        // Return the text to the composer.
        if (op.type === 'prompt') hub.emit({ type: 'queue_returned', prompts: [op] });
        if (op.type === 'use_skill')
          hub.emit({ type: 'queue_returned', prompts: [{ type: 'prompt', text: op.display }] });
        if (op.type === 'shell')
          hub.emit({ type: 'queue_returned', prompts: [{ type: 'prompt', text: `!${op.command}` }] });
      }
    },
  };
}

/** Returns why the op is refused; undefined if it would write nothing. */
function refusalOf(op: Op): string | undefined {
  switch (op.type) {
    case 'interrupt':
    case 'background':
    case 'stop_task':
    case 'answer':
      return undefined;
    case 'prompt':
    case 'use_skill':
    case 'shell':
      return 'This session is open read-only, so nothing was sent. /fork continues in a copy, /resume opens another session.';
    case 'compact':
    case 'uncompact':
    case 'edit_item':
    case 'set_mode':
    case 'set_model':
    case 'set_effort':
    case 'set_thinking':
    case 'set_title':
    case 'rewind':
    case 'undo_rewind':
      return 'This session is open read-only and cannot be changed. /fork continues in a copy.';
  }
}
