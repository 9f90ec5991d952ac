import { useEffect, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';
import type { AgentEvent } from '../../protocol/events.ts';

/** Milliseconds between two looks at the items; a long conversation is looked at less often than that. */
const PAUSE_MS = 100;
/** A look may take this share of the time. */
const SHARE = 0.1;

/** Calls `onItems` soon after anything that may have changed them, and `onNotice` with what the agent says. */
export function useItemChanges(
  agent: Pick<Agent, 'subscribe'>,
  refresh: () => void,
  onEvent: (event: AgentEvent) => void,
): void {
  const latest = useRef({ refresh, onEvent });
  latest.current = { refresh, onEvent };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = PAUSE_MS;
    const look = (): void => {
      timer = undefined;
      const before = performance.now();
      latest.current.refresh();
      pause = Math.max(PAUSE_MS, (performance.now() - before) / SHARE);
    };
    const unsubscribe = agent.subscribe((event) => {
      latest.current.onEvent(event);
      if (event.type === 'entry' || event.type === 'context_measured') timer ??= setTimeout(look, pause);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [agent]);
}
