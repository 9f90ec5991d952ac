/** The dialogs before and between sessions: trust, onboarding, session and model pickers, lists. */

import { configDialog } from '../config/configDialogs.ts';
import type { Controller, Snapshot } from '../controller/types.ts';
import { ItemsDialog } from '../items/ItemsDialog.tsx';
import { KeysDialog } from '../keys/KeysDialog.tsx';
import type { Keymap } from '../keys/keymap.ts';
import { Onboarding } from '../onboarding/Onboarding.tsx';
import { RewindDialog } from '../rewind/RewindDialog.tsx';
import { refusalDialog } from '../sessions/refusal.ts';
import { SessionPicker } from '../sessions/SessionPicker.tsx';
import { TasksDialog } from '../tasks/TasksDialog.tsx';
import { ThemePicker } from '../theme/ThemePicker.tsx';
import { DialogView } from './DialogView.tsx';
import { confirmDialog, modelsDialog, serverDialog, stepAfter, trustDialog } from './phaseDialogs.ts';

export interface PhaseDialogProps {
  readonly snapshot: Snapshot;
  readonly controller: Controller;
  readonly columns: number;
  readonly rows: number;
  readonly now: () => number;
  readonly keymap: Keymap;
}

/** Renders the dialog of the current phase; nothing while the session is on screen. */
export function PhaseDialog({ snapshot, controller, columns, rows, now, keymap }: PhaseDialogProps) {
  const { phase, theme, session } = snapshot;
  const room = { width: columns, rows, theme };
  switch (phase.type) {
    case 'trust':
      return (
        <DialogView
          {...room}
          dialog={trustDialog(phase.question)}
          onAnswer={(trusted) => controller.advance(stepAfter(trusted, phase))}
        />
      );
    case 'server':
      return (
        <DialogView
          {...room}
          dialog={serverDialog(phase.question)}
          onAnswer={(approved) => controller.advance(stepAfter(approved, phase))}
        />
      );
    case 'onboarding':
      return (
        <Onboarding
          {...room}
          setup={phase.setup}
          message={phase.message}
          canReread={phase.canReread}
          onDone={(result) => controller.advance(phase.answer(result))}
        />
      );
    case 'picking':
      return <SessionPicker {...room} picker={phase.picker} now={() => new Date(now())} />;
    case 'refused':
      return (
        <DialogView
          {...room}
          dialog={refusalDialog(phase, new Date(now()))}
          onAnswer={(answer) => controller.answerRefusal(answer)}
        />
      );
    case 'models':
      return (
        <DialogView
          {...room}
          dialog={modelsDialog(phase, session?.agent.state().model.id)}
          onAnswer={(picked) => controller.pickModel(picked?.id, picked?.effort)}
        />
      );
    case 'themes':
      return (
        <ThemePicker
          {...room}
          markdown={snapshot.markdown}
          onPick={(setting) => controller.pickTheme(setting)}
          onCancel={() => controller.pickTheme(undefined)}
        />
      );
    case 'items':
      if (session === undefined) return null;
      return <ItemsDialog {...room} agent={session.agent} onClose={() => controller.closeDialog()} />;
    case 'keys':
      return <KeysDialog {...room} keymap={keymap} onClose={() => controller.closeDialog()} />;
    case 'confirm':
      return (
        <DialogView
          {...room}
          dialog={confirmDialog(phase.question)}
          onAnswer={(yes) => controller.confirm(yes)}
        />
      );
    case 'config':
      return (
        <DialogView
          {...room}
          dialog={configDialog(phase.step, phase.settings)}
          onAnswer={(answer) => controller.configure(answer)}
        />
      );
    case 'tasks':
      if (session === undefined) return null;
      return (
        <TasksDialog {...room} agent={session.agent} now={now} onClose={() => controller.closeDialog()} />
      );
    case 'rewind':
      if (session === undefined) return null;
      return (
        <RewindDialog
          {...room}
          agent={session.agent}
          turn={phase.turn}
          now={() => new Date(now())}
          onFork={(turn) => controller.forkBefore(turn)}
          onClose={() => controller.closeDialog()}
        />
      );
    case 'booting':
    case 'session':
    case 'leaving':
      return null;
  }
}
