/** The dialogs that come before or between sessions: trust, onboarding, the pickers of sessions and of models, the list of items. */
import { ItemsDialog } from './components/ItemsDialog.tsx';
import { Onboarding } from './components/Onboarding.tsx';
import { SelectList } from './components/SelectList.tsx';
import { TrustDialog } from './components/TrustDialog.tsx';
import type { Controller, Snapshot } from './controllerTypes.ts';
import { KeysDialog } from './keys/KeysDialog.tsx';
import type { Keymap } from './keys/keymap.ts';
import { RewindDialog } from './rewind/RewindDialog.tsx';
import { RefusalDialog } from './sessions/RefusalDialog.tsx';
import { SessionPicker } from './sessions/SessionPicker.tsx';
import { TasksDialog } from './tasks/TasksDialog.tsx';
import { ThemePicker } from './themePicker/ThemePicker.tsx';

export interface BootDialogProps {
  readonly snapshot: Snapshot;
  readonly controller: Controller;
  readonly columns: number;
  readonly rows: number;
  readonly now: () => number;
  readonly keymap: Keymap;
}

export function BootDialog({ snapshot, controller, columns, rows, now, keymap }: BootDialogProps) {
  const { phase, theme, session } = snapshot;
  const room = { width: columns, rows, theme };
  switch (phase.type) {
    case 'trust':
      return (
        <TrustDialog
          {...room}
          question={phase.question}
          onAnswer={(trusted) => controller.advance(phase.answer(trusted))}
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
        <RefusalDialog
          {...room}
          {...phase}
          now={() => new Date(now())}
          onAnswer={(answer) => controller.answerRefusal(answer)}
        />
      );
    case 'models': {
      const used = session?.agent.state().model.id;
      return (
        <SelectList
          {...room}
          title="Model"
          // The one in use comes first, so that Enter changes nothing.
          items={phase.ids.toSorted((a, b) => Number(b === used) - Number(a === used))}
          textOf={(id) => (id === used ? `${id} · in use` : id)}
          empty={phase.problem ?? 'No model found.'}
          onPick={(id) => controller.pickModel(id)}
          onCancel={() => controller.pickModel(undefined)}
        />
      );
    }
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
