import { count } from '../print/numbers.ts';
import type { DeedPorts } from './types.ts';

/** A second Ctrl+C (leave) or Esc (empty the line) counts within this time, in milliseconds. */
export const AGAIN_WITHIN_MS = 2000;

/** Ctrl+C and Ctrl+D: stop what runs, empty the line, and the second time leave, also where it is still stopping. */
export function createStopOrLeave(): (ports: DeedPorts, empty: boolean, key: string) => void {
  let armedAt = Number.NEGATIVE_INFINITY;
  return (ports, empty, key) => {
    const { now } = ports.options;
    const agent = ports.snapshot().session?.agent;
    if (empty && now() - armedAt < AGAIN_WITHIN_MS) {
      ports.leave();
      return;
    }
    if (agent?.state().busy === true) agent.submit({ type: 'interrupt' });
    else if (!empty) ports.screen()?.composer()?.clear();
    armedAt = now();
    const running = agent?.state().tasks.filter(({ end }) => end === undefined).length ?? 0;
    const tasks = running === 0 ? '' : ` and end ${count(running, 'background task')}`;
    ports.showHint(`Press ${key} again to leave${tasks}`);
  };
}
