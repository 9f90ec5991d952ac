import { AGAIN_WITHIN_MS } from './leaving.ts';
import type { Deed, DeedPorts } from './types.ts';

/**
 * Esc stops what runs. Where nothing does, twice empties the line, or goes back where it is empty; once only says
 * so, as a single Esc is easily hit.
 */
export function createEscape(): Deed {
  let last = { empty: false, at: Number.NEGATIVE_INFINITY };
  const twice = (ports: DeedPorts, empty: boolean): void => {
    const now = ports.options.now();
    const again = last.empty === empty && now - last.at < AGAIN_WITHIN_MS;
    last = { empty, at: again ? Number.NEGATIVE_INFINITY : now };
    if (again && empty) ports.set({ phase: { type: 'rewind' } });
    else if (again) ports.screen()?.composer()?.clear();
    ports.showHint(
      again ? undefined : empty ? 'Esc again goes back to an earlier turn' : 'Esc again clears the line',
    );
  };
  return (ports, { empty }) => {
    const agent = ports.snapshot().session?.agent;
    if (agent?.state().busy === true) agent.submit({ type: 'interrupt' });
    else if (!empty || agent !== undefined) twice(ports, empty);
  };
}
