import type { AgentEvent } from '../../protocol/events.ts';
import { toolNames } from '../../protocol/toolNames.ts';

/** Milliseconds after a request was sent; a quick reply may already end the turn. */
const AFTER_MS = 100;

/**
 * Calls `prepare` once before the first shell command: while the model is thinking, or at the latest when it writes a
 * command. A turn that ends sooner costs nothing. Call `underway` when a request has been sent, and `hear` with each
 * event of the agent.
 */
export function warmUpCommands(prepare: () => void): {
  underway(): void;
  hear(event: AgentEvent): void;
} {
  let timer: NodeJS.Timeout | undefined;
  let isPrepared = false;
  const prepareOnce = (): void => {
    clearTimeout(timer);
    if (!isPrepared) prepare();
    isPrepared = true;
  };
  return {
    underway() {
      if (!isPrepared) timer ??= setTimeout(prepareOnce, AFTER_MS).unref();
    },
    hear(event) {
      if (event.type === 'tool_call_delta' && event.name === toolNames.bash) prepareOnce();
      else if (event.type === 'turn_ended') {
        clearTimeout(timer);
        timer = undefined;
      }
    },
  };
}
