import { configDialog } from '../config/configDialogs.ts';
import type { Snapshot } from '../controller/types.ts';
import { confirmDialog, modelsDialog, serverDialog, trustDialog } from '../dialog/phaseDialogs.ts';
import { refusalDialog } from '../sessions/refusal.ts';
import { type DialoguePorts, dialogueOf } from './askDialog.ts';
import { items, pick, rewind, tasks } from './askLists.ts';
import { onboarding } from './askOnboarding.ts';

/** Asks the question for which the full screen would show a dialog. Called once per phase. */
export function askPhase({ phase, session }: Snapshot, ports: DialoguePorts): void {
  switch (phase.type) {
    case 'trust':
      ports.ask(
        dialogueOf(trustDialog(phase.question), (isTrusted) =>
          ports.controller.advance(phase.answer(isTrusted)),
        ),
      );
      return;
    case 'server':
      ports.ask(
        dialogueOf(serverDialog(phase.question), (isApproved) =>
          ports.controller.advance(phase.answer(isApproved)),
        ),
      );
      return;
    case 'onboarding':
      onboarding(phase, ports);
      return;
    case 'picking':
      pick(phase.picker, ports);
      return;
    case 'refused':
      ports.ask(
        dialogueOf(refusalDialog(phase, new Date(ports.now())), (answer) =>
          ports.controller.answerRefusal(answer),
        ),
      );
      return;
    case 'models': {
      const dialog = modelsDialog(phase, session?.agent.state().model.id);
      const answer = (picked?: { readonly id: string }): void => ports.controller.pickModel(picked?.id);
      if (dialog.items.length > 0) ports.ask(dialogueOf(dialog, answer));
      else {
        ports.tell(`${dialog.empty} /model and a name switches to it.`);
        answer(undefined);
      }
      return;
    }
    case 'items':
      if (session !== undefined) ports.ask(items(session.agent, ports));
      return;
    case 'confirm':
      ports.ask(dialogueOf(confirmDialog(phase.question), (yes) => ports.controller.confirm(yes)));
      return;
    case 'config': {
      const dialog = configDialog(phase.step, phase.settings);
      if (dialog.type === 'wait') ports.tell(dialog.plainText);
      else ports.ask(dialogueOf(dialog, (answer) => ports.controller.configure(answer)));
      return;
    }
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
    case 'themes':
    case 'keys':
      ports.tell('This only applies to the full-screen interface.');
      ports.controller.closeDialog();
      return;
    default:
      phase satisfies never;
  }
}
