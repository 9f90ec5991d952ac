import type { AgentEvent } from '../../protocol/events.ts';
import { toolNames } from '../../protocol/toolNames.ts';

/** Milliseconds after a request has gone out: a model that answers sooner may be done. */
const AFTER_MS = 100;

/**
 * Calls `prepare` once, before the first shell command: while the model is thinking, so that nothing waits for it, or at the
 * latest when the model writes a command. A turn that ends sooner costs nothing. `underway`: to be called when a request
 * has gone out, `hear` for each event of the agent.
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
