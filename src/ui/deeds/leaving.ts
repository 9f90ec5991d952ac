import { count } from '../print/numbers.ts';
import type { DeedPorts } from './types.ts';

/** A hint stands for this time, in milliseconds; a second Ctrl+C (leave) or Esc (empty the line) counts meanwhile. */
export const AGAIN_WITHIN_MS = 2000;

/** Ctrl+C and Ctrl+D: stop what runs, empty the line, and the second time leave, also where it is still stopping. */
export function createStopOrLeave(): (ports: DeedPorts, empty: boolean, key: string) => void {
  let armed: string | undefined;
  return (ports, empty, key) => {
    const { session, hint } = ports.snapshot();
    const agent = session?.agent;
    if (empty && armed !== undefined && hint === armed) {
      ports.leave();
      return;
    }
    if (agent?.state().busy === true) agent.submit({ type: 'interrupt' });
    else if (!empty) ports.screen()?.composer()?.clear();
    const running = agent?.state().tasks.filter(({ end }) => end === undefined).length ?? 0;
    const tasks = running === 0 ? '' : ` and end ${count(running, 'background task')}`;
    armed = `Press ${key} again to exit${tasks}`;
    ports.showHint(armed);
  };
}
