/** Whether a summary is being written beside the work. Nothing tells of it, so it is asked for where it can change. */
import type { Agent } from '../agent/types.ts';
import type { AgentEvent } from '../protocol/events.ts';

/** Milliseconds between two looks while one is being written. */
const LOOK_MS = 1000;

/** Calls `onChange` whenever the answer changes; returns what ends it. */
export function watchDraft(
  agent: Pick<Agent, 'draft' | 'state' | 'subscribe'>,
  onChange: (isDrafting: boolean) => void,
): () => void {
  let isDrafting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    timer = undefined;
    // A session that is being left has nothing to tell.
    const now = agent.state().sessionId !== '' && agent.draft() === 'running';
    if (now !== isDrafting) onChange(now);
    isDrafting = now;
    if (now) timer = setTimeout(look, LOOK_MS);
  };
  const unsubscribe = agent.subscribe((event) => {
    if (timer === undefined && mayChange(event)) timer = setTimeout(look, 0);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Drafts begin between two steps, and end in an entry of what they cost. */
function mayChange(event: AgentEvent): boolean {
  if (event.type === 'entry')
    return event.entry.subtype === 'usage' || event.entry.subtype === 'summary_failed';
  return event.type === 'step_started' || event.type === 'turn_ended';
}
