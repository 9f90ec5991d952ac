import type { Deed, DeedPorts } from './types.ts';

/**
 * Esc stops what runs. Where nothing does, twice empties the line, or goes back where it is empty; once only says
 * so, as a single Esc is easily hit. The second counts as long as that is still said.
 */
export const onEscape: Deed = (ports, { empty }) => {
  const agent = ports.snapshot().session?.agent;
  if (agent?.state().busy === true) agent.submit({ type: 'interrupt' });
  else if (!empty || agent !== undefined) twice(ports, empty);
};

function twice(ports: DeedPorts, empty: boolean): void {
  const hint = empty ? 'Esc again to rewind' : 'Esc again to clear';
  if (ports.snapshot().hint !== hint) {
    ports.showHint(hint);
    return;
  }
  ports.showHint(undefined);
  if (empty) ports.set({ phase: { type: 'rewind' } });
  else ports.screen()?.composer()?.clear();
}
