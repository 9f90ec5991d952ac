/** Every dialog with the user's own keys: they work, the line of keys names them, and Esc always closes. */
import type { ReactNode } from 'react';
import { expect, onTestFinished, test } from 'vitest';
import type { TurnRecord } from '../../../src/protocol/checkpoints.ts';
import type { ContextItem } from '../../../src/protocol/contextReport.ts';
import type { Op } from '../../../src/protocol/ops.ts';
import { DialogView } from '../../../src/ui/dialog/DialogView.tsx';
import { PermissionDialog } from '../../../src/ui/dialog/PermissionDialog.tsx';
import { trustDialog } from '../../../src/ui/dialog/phaseDialogs.ts';
import { SelectList } from '../../../src/ui/dialog/SelectList.tsx';
import { ItemsDialog } from '../../../src/ui/items/ItemsDialog.tsx';
import { KeysDialog } from '../../../src/ui/keys/KeysDialog.tsx';
import { KeymapContext } from '../../../src/ui/keys/useKeys.ts';
import { userKeys } from '../../../src/ui/keys/userBindings.ts';
import { createForm, type Form } from '../../../src/ui/onboarding/accessForm.ts';
import { AccessForm } from '../../../src/ui/onboarding/Onboarding.tsx';
import { RewindDialog } from '../../../src/ui/rewind/RewindDialog.tsx';
import { createPicker } from '../../../src/ui/sessions/picker.ts';
import { refusalDialog } from '../../../src/ui/sessions/refusal.ts';
import { SessionPicker } from '../../../src/ui/sessions/SessionPicker.tsx';
import { TasksDialog } from '../../../src/ui/tasks/TasksDialog.tsx';
import { measure, state } from '../../headless/scriptedAgent.ts';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';
import { madePort, madeSession, now } from '../sessions/made.ts';

const room = { width: 90, rows: 16, theme: plain };
const [f2, f3] = ['\u001BOQ', '\u001BOR'];
type Log = (what: string) => void;

const item: ContextItem = {
  uuid: 'u1',
  seq: 1,
  kind: 'reply',
  title: 'Part 1',
  tokens: 900,
  state: 'sent',
  isPinned: false,
};
const turn: TurnRecord = {
  uuid: 't1',
  seq: 10,
  beforeSeq: 9,
  text: 'a request',
  timestamp: '2030-01-02T11:30:00Z',
  steps: 2,
  files: 0,
  lines: { added: 0, removed: 0 },
};
const task = { id: 'b1', command: 'run', startedAtMs: 0, lastLine: '' };
const agentOf = (log: Log) => ({
  state: () => ({ ...state, tasks: [task] }),
  subscribe: () => () => undefined,
  submit: (op: Op) => log('edit' in op ? op.edit.action : op.type),
  items: () => [item],
  measure: async () => measure,
  turns: async () => [turn],
  canUndoRewind: () => true,
  planRewind: async () => ({ turn, plan: { steps: [] }, notes: [] }),
  taskOutput: () => ({ text: 'printed', missing: 0 }),
  watchTask: () => () => undefined,
});

interface Case {
  readonly file: unknown;
  /** In the line of keys, with this file. */
  readonly hint: string;
  readonly pressed: readonly string[];
  readonly done: readonly string[];
  /** The effect of Esc, pressed until the dialog closes. */
  readonly left: string;
  readonly open: (log: Log, clock: () => number) => ReactNode;
}

const moving = { Select: { 'ctrl+j': 'select:next', down: null, 'ctrl+n': null, f2: 'select:accept' } };
const answering = {
  Confirmation: { f2: 'confirm:accept', 'alt+j': 'confirm:next', down: null, 'ctrl+n': null },
};

const cases: Readonly<Record<string, Case>> = {
  'a list with a filter': {
    file: moving,
    hint: '↑ Ctrl+J Enter · type to filter · Esc closes',
    pressed: [keys.down, keys.ctrl('j'), f2],
    done: ['two'],
    left: 'left',
    open: (log) => (
      <SelectList
        {...room}
        title="T"
        items={['one', 'two', 'three']}
        textOf={(text) => text}
        onPick={log}
        onCancel={() => log('left')}
      />
    ),
  },
  'the items of the context': {
    file: { Items: { f2: 'items:pin', p: null, 'alt+d': 'items:drop' } },
    hint: 'F2 pin · d drop · r restore · / filter · Esc closes',
    pressed: ['p', f2, keys.alt('d')],
    done: ['pin', 'drop'],
    left: 'left',
    open: (log) => <ItemsDialog {...room} agent={agentOf(log)} onClose={() => log('left')} />,
  },
  'background tasks': {
    file: { Tasks: { x: null, k: null, f3: 'tasks:stop' }, Confirmation: { y: null, f2: 'confirm:yes' } },
    hint: 'Enter shows its output · F3 stops it · they stop on exit · Esc closes',
    pressed: ['x', f3, 'y', f3, f2],
    done: ['stop_task'],
    left: 'left',
    open: (log) => (
      <TasksDialog {...room} agent={agentOf(log)} now={() => 1000} onClose={() => log('left')} />
    ),
  },
  'the turns to go back to': {
    file: { Rewind: { u: null, f3: 'rewind:undo' }, Confirmation: { n: null, f2: 'confirm:no' } },
    hint: '↑↓ Enter · F3 undoes the last rewind · Esc closes',
    pressed: ['u', f3],
    done: ['undo_rewind', 'left'],
    left: 'left',
    open: (log, clock) => (
      <RewindDialog
        {...room}
        agent={agentOf(log)}
        now={() => now}
        clock={clock}
        onFork={() => log('fork')}
        onClose={() => log('left')}
      />
    ),
  },
  'what goes back': {
    file: answering,
    hint: '↑ Alt+J Enter · Esc goes back to the list',
    pressed: [keys.down, keys.alt('j'), f2],
    done: ['fork'],
    left: 'left',
    open: (log, clock) => (
      <RewindDialog
        {...room}
        agent={agentOf(log)}
        turn={turn}
        now={() => now}
        clock={clock}
        onFork={() => log('fork')}
        onClose={() => log('left')}
      />
    ),
  },
  'the list of sessions': {
    file: {
      Sessions: { 'ctrl+r': null, f2: 'sessions:rename', '?': null, 'ctrl+g': null, f3: 'sessions:fork' },
    },
    hint: 'Enter opens · Tab all projects · / search · Ctrl+O preview · F2 rename · Esc new session',
    pressed: [keys.ctrl('g'), keys.ctrl('r'), f3],
    done: ['fork a'],
    left: 'left',
    open: (log) => {
      const picker = createPicker(madePort([madeSession('a')]), {
        current: undefined,
        onPick: ({ session, mode }) => log(`${mode} ${session.id}`),
        onCancel: () => log('left'),
      });
      onTestFinished(() => picker.dispose());
      return <SessionPicker {...room} width={100} picker={picker} now={() => now} />;
    },
  },
  'a session that cannot be opened': {
    file: answering,
    hint: '↑ Alt+J Enter · Esc goes back',
    pressed: [keys.down, keys.alt('j'), f2],
    done: ['fork'],
    left: 'back',
    open: (log, clock) => (
      <DialogView
        {...room}
        dialog={refusalDialog(
          { refusal: { why: 'locked', holder: undefined, canRead: true }, id: 'a', title: 'T', back: 'list' },
          new Date(0),
        )}
        now={clock}
        onAnswer={log}
      />
    ),
  },
  'a tool that asks': {
    file: { Confirmation: { f2: 'confirm:yes', y: null, tab: null, f3: 'confirm:comment' } },
    hint: '↑↓ Enter · F2/n · Esc no · F3 no, with a comment',
    pressed: ['y', f2, f3, 'x', keys.enter],
    done: ['allow', 'deny x'],
    left: 'deny',
    open: (log, clock) => (
      <PermissionDialog
        {...room}
        question={{
          id: 'q',
          agentId: 'main',
          callId: 'c',
          tool: 'Bash',
          title: 'ls',
          input: {},
          preview: { type: 'command', command: 'ls', cwd: '/' },
          reason: '',
        }}
        now={clock}
        onAnswer={(answer) =>
          log([answer.behavior, 'comment' in answer ? answer.comment : ''].join(' ').trim())
        }
      />
    ),
  },
  'a folder that is not trusted yet': {
    file: { Confirmation: { y: null, f2: 'confirm:yes' } },
    hint: '❯ 1. Yes, I trust this folder',
    // Its effect lasts, so its key only selects it.
    pressed: [keys.down, 'y', f2, keys.enter],
    done: ['true'],
    left: 'false',
    open: (log, clock) => (
      <DialogView
        {...room}
        dialog={trustDialog({ folder: '/f', effects: [] })}
        now={clock}
        onAnswer={(isTrusted) => log(String(isTrusted))}
      />
    ),
  },
  'the choices of the first minute': {
    file: answering,
    hint: '↑ Alt+J Enter, a digit or b · Esc closes',
    pressed: [keys.down, keys.alt('j'), f2, 'b', '1'],
    done: ['B', 'B', 'A'],
    left: 'left',
    open: (log, clock) => (
      <DialogView
        {...room}
        dialog={{
          type: 'choices',
          id: 'T',
          title: 'T',
          body: [],
          choices: [
            { label: 'A', answer: 'A' },
            { label: 'B', letter: 'b', answer: 'B' },
          ],
          hint: { escape: 'Esc closes', hasLetters: true },
          cancel: 'left',
          quit: 'quit',
        }}
        now={clock}
        onAnswer={log}
      />
    ),
  },
  'a form': {
    file: {
      Form: { tab: null, down: null, f2: 'form:next', f3: 'form:submit' },
      Chat: { 'alt+l': 'edit:killLineStart' },
    },
    hint: 'Enter continues · Ctrl+N next field · Esc goes back',
    pressed: ['k', keys.tab, f2, keys.alt('l'), 'localhost:1', f3],
    done: ['k at localhost:1'],
    left: 'left',
    open: (log) => {
      let form: Form = createForm();
      return (
        <AccessForm
          {...room}
          title="T"
          latest={() => form}
          savedTo="~"
          onChange={(next) => {
            form = next;
          }}
          onSubmit={({ fields }) =>
            log(`${fields.apiKey.units.join('')} at ${fields.baseUrl.units.join('')}`)
          }
          onBack={() => log('left')}
          onQuit={() => log('quit')}
        />
      );
    },
  },
};

test.each(Object.entries(cases))('%s', async (_name, { file, hint, pressed, done, left, open }) => {
  const { keymap, problems } = userKeys(file);
  expect(problems).toEqual([]);
  const clock = createClock();
  const log: string[] = [];
  const element = open((what) => log.push(what), clock.now);
  const { screen } = await mount(<KeymapContext value={keymap}>{element}</KeymapContext>, {
    columns: 100,
    rows: 20,
  });
  expect(screen.text().join('\n')).toContain(hint);
  clock.pass(1000);
  await screen.press(...pressed);
  expect(log).toEqual(done);
  for (let times = 0; times < 3 && log.at(-1) !== left; times++) await screen.press(keys.escape);
  expect(log.at(-1)).toBe(left);
});

test('the keys page scrolls with list keys, and any other key closes it', async () => {
  const { keymap } = userKeys({ Select: { down: null, 'ctrl+n': null, 'ctrl+j': 'select:next' } });
  let closed = 0;
  const { screen } = await mount(
    <KeymapContext value={keymap}>
      <KeysDialog {...room} keymap={keymap} onClose={() => closed++} />
    </KeymapContext>,
    { columns: 100, rows: 20 },
  );
  expect(screen.text().at(-1)).toMatch(/^1–14 of \d+ · ↑ Ctrl\+J · \/keys has all/);
  await screen.press(keys.ctrl('j'));
  expect(screen.text().at(-1)).toMatch(/^2–15 of/);
  expect(closed).toBe(0);
  await screen.press(keys.down);
  expect(closed).toBe(1);
});
