import type { Agent } from '../../agent/types.ts';
import { toolNames } from '../../protocol/toolNames.ts';

/** Milliseconds after a step has begun: its request is on its way by then, and the model is thinking. */
const AFTER_MS = 100;

/**
 * Calls `prepare` once, before the first shell command: while the model is thinking, so that nothing waits for it, or at the
 * latest when the model writes a command. A turn that ends sooner costs nothing.
 */
export function warmUpCommands(agent: Pick<Agent, 'subscribe'>, prepare: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  let isPrepared = false;
  const prepareOnce = (): void => {
    clearTimeout(timer);
    if (!isPrepared) prepare();
    isPrepared = true;
  };
  agent.subscribe((event) => {
    if (isPrepared) return;
    if (event.type === 'step_started') timer ??= setTimeout(prepareOnce, AFTER_MS).unref();
    else if (event.type === 'tool_call_delta' && event.name === toolNames.bash) prepareOnce();
    else if (event.type === 'turn_ended') {
      clearTimeout(timer);
      timer = undefined;
    }
  });
}
