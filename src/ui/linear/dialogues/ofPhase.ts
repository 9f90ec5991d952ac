import type { Snapshot } from '../../controllerTypes.ts';
import { items } from './items.ts';
import { models } from './models.ts';
import { onboarding } from './onboarding.ts';
import { rewind } from './rewind.ts';
import { pick, refused } from './sessions.ts';
import { tasks } from './tasks.ts';
import { trust } from './trust.ts';
import type { DialoguePorts } from './types.ts';

/** Asks what the screen would show a dialog for. Called once for each phase. */
export function askPhase({ phase, session }: Snapshot, ports: DialoguePorts): void {
  switch (phase.type) {
    case 'trust':
      ports.ask(trust(phase, ports));
      return;
    case 'onboarding':
      void onboarding(phase, ports);
      return;
    case 'picking':
      pick(phase.picker, ports);
      return;
    case 'refused':
      ports.ask(refused(phase, ports));
      return;
    case 'models': {
      const asked = models(phase, ports);
      if (asked !== undefined) ports.ask(asked);
      return;
    }
    case 'items':
      if (session !== undefined) ports.ask(items(session.agent, ports));
      return;
    case 'tasks': {
      const asked = session && tasks(session.agent, ports);
      if (asked !== undefined) ports.ask(asked);
      return;
    }
    case 'rewind':
      if (session !== undefined) void rewind(session.agent, phase.turn, ports);
      return;
    case 'booting':
    case 'session':
    case 'leaving':
      return;
    default:
      // Colours and keys of the screen; nobody is left waiting in a dialog that cannot be told.
      ports.tell('This only applies to the full-screen interface.');
      ports.controller.closeDialog();
  }
}
