/** What happens on screen, as messages and effects: no screen, no agent, no clock. */
import { describe, expect, test } from 'vitest';
import type { AgentState } from '../../../src/agent/types.ts';
import {
  type ControllerState,
  type Effect,
  type Message,
  reduce,
  startState,
} from '../../../src/ui/controller/reduce.ts';
import type { Intent } from '../../../src/ui/keys/actions.ts';
import { endingText } from '../../../src/ui/tasks/tasks.ts';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import type { AppServices } from '../../../src/ui/types.ts';
import { commandHost } from '../../commands/commandHost.ts';
import { state as idle } from '../../headless/scriptedAgent.ts';

const theme = chooseTheme('plain', { noColor: true });
const host = commandHost();
const session = { agent: host.agent, host, resumed: false, notices: [] };
const booting = startState(theme, undefined);
const open: ControllerState = { ...booting, session, phase: { type: 'session' } };

const running = { id: 'b1', command: 'npm run\n dev', startedAtMs: 0, lastLine: '' };
const ended = { ...running, id: 'b2', end: { endedAtMs: 1, code: 0 } };
const todos = [{ content: 'one', status: 'pending' as const }];

interface Place {
  readonly from?: ControllerState;
  /** Of the agent. */
  readonly about?: Partial<AgentState>;
  readonly draft?: string;
  readonly options?: { readonly pickFirst: boolean };
}

/** Plays messages, and returns the last state and every effect. */
function play(messages: readonly Message[], place: Place = {}) {
  const { from = open, about = {}, draft = '', options = { pickFirst: false } } = place;
  let state = from;
  const effects: Effect[] = [];
  for (const message of messages) {
    const reduced = reduce(state, message, {
      options: { ...options, target: { type: 'new' } },
      agent: () => (state.session === undefined ? undefined : { ...idle, ...about }),
      draft: () => draft,
    });
    state = reduced.state;
    effects.push(...reduced.effects);
  }
  return { state, effects };
}

const key = (intent: Intent, empty = true): Message => ({ type: 'key', intent, empty });
const press = (intents: readonly Intent[], place?: Place) =>
  play(
    intents.map((intent) => key(intent)),
    place,
  );
const shown = { type: 'time_hint', isShown: true };
const hidden = { type: 'time_hint', isShown: false };

describe('Esc', () => {
  test('stops running work', () => {
    const { effects, state } = press(['escape'], { about: { busy: true } });
    expect([effects, state.hint]).toEqual([[{ type: 'submit', op: { type: 'interrupt' } }], undefined]);
  });

  test('twice rewinds if the line is empty, and clears it otherwise', () => {
    const once = press(['escape']);
    expect([once.state.hint, once.effects]).toEqual(['Esc again to rewind', [shown]]);
    const twice = press(['escape', 'escape']);
    expect([twice.state.phase, twice.state.hint]).toEqual([{ type: 'rewind' }, undefined]);
    const typed = play([key('escape', false), key('escape', false)]);
    expect(typed.effects).toEqual([shown, { type: 'clear_composer' }, hidden]);
  });

  test('does nothing before there is a session to rewind', () => {
    expect(press(['escape'], { from: booting }).effects).toEqual([]);
  });
});

describe('Ctrl+C and Ctrl+D', () => {
  test.each([
    [[], 'Press Ctrl+C again to exit'],
    [[ended], 'Press Ctrl+C again to exit'],
    [[running, ended], 'Press Ctrl+C again to exit and end 1 background task'],
  ])('the first Ctrl+C, with the tasks %j, says: %s', (tasks, hint) => {
    expect(press(['clear_or_exit'], { about: { tasks } }).state.hint).toBe(hint);
  });

  test('the second one quits, once', () => {
    const { state, effects } = press(['eof', 'eof', 'eof', 'eof']);
    expect(effects).toEqual([shown, hidden, { type: 'leave', code: 0 }]);
    expect(state.isLeaving).toBe(true);
  });

  test('the first one stops running work or clears the draft', () => {
    const busy = press(['clear_or_exit'], { about: { busy: true } });
    expect(busy.effects[0]).toEqual({ type: 'submit', op: { type: 'interrupt' } });
    expect(play([key('clear_or_exit', false)]).effects[0]).toEqual({ type: 'clear_composer' });
  });
});

test('a second Esc or Ctrl+C counts only while the hint of the first is on screen', () => {
  for (const intent of ['escape', 'clear_or_exit'] as const) {
    // A message in between removes the hint, and with it the first key.
    for (const between of [{ type: 'hint_over' }, { type: 'submitted', draft: { text: '', display: '' } }])
      expect(play([key(intent), between as Message, key(intent)]).state).toMatchObject({
        phase: { type: 'session' },
        isLeaving: false,
      });
  }
});

describe('before a session is open', () => {
  test('prompts and commands that need a session wait in order, and are sent once', () => {
    const draft = { text: 'first', display: 'first' };
    const waiting: Message[] = [{ type: 'submitted', draft }, key('cycle_mode'), key('help')];
    const { state, effects } = play(waiting, { from: booting });
    expect([state.waiting, effects]).toEqual([waiting, []]);
    const attached: Message[] = [{ type: 'attached', session }, { type: 'opened' }, { type: 'opened' }];
    expect(play(attached, { from: state }).effects).toEqual([
      { type: 'send_waiting', messages: waiting },
      { type: 'send_waiting', messages: [] },
    ]);
  });

  test('the prompt of the command line is the first', () => {
    const draft = { text: 'do it', display: 'do it', isArgument: true };
    expect(startState(theme, 'do it').waiting).toEqual([{ type: 'submitted', draft }]);
  });

  test('a requested dialog does not open over text typed since', () => {
    expect(press(['help'], { draft: 'typed' }).state.phase).toEqual({ type: 'session' });
    expect(press(['help']).state.phase).toEqual({ type: 'keys' });
  });
});

describe('keys', () => {
  test('dialogs open only over the session', () => {
    expect(press(['help', 'transcript', 'help']).state.phase).toEqual({ type: 'keys' });
    expect(press(['help', 'transcript']).effects).toEqual([]);
    expect(press(['transcript', 'pick_model']).effects).toEqual([
      { type: 'show_transcript' },
      { type: 'list_models' },
    ]);
    const list = { ids: ['gpt-4.1'] };
    expect(play([{ type: 'models_listed', list }]).state.phase).toEqual({ type: 'models', ...list });
    expect(play([key('help'), { type: 'models_listed', list }]).state.phase).toEqual({ type: 'keys' });
  });

  test('Shift+Tab cycles through the modes, starting over from any mode outside the cycle', () => {
    const modes = { ...idle.modes, cycle: ['default', 'acceptEdits', 'plan'] as const };
    const next = (mode: AgentState['mode']) =>
      press(['cycle_mode'], { about: { mode, modes } }).effects[0] as Extract<Effect, { type: 'submit' }>;
    expect(next('default').op).toEqual({ type: 'set_mode', mode: 'acceptEdits' });
    expect(next('plan').op).toEqual({ type: 'set_mode', mode: 'default' });
    expect(next('bypassPermissions').op).toEqual({ type: 'set_mode', mode: 'default' });
  });

  test('Ctrl+B asks the agent to move running commands', () => {
    expect(press(['background']).effects).toEqual([{ type: 'submit', op: { type: 'background' } }]);
  });

  test('Ctrl+T shows and hides the list, and says if there is none', () => {
    const views = [1, 2, 3].map(
      (many) => press(Array<Intent>(many).fill('todos'), { about: { todos } }).state.todoView,
    );
    expect(views).toEqual(['all', 'none', 'all']);
    const text = 'No todo list yet. The model makes one for longer work.';
    expect(press(['todos']).effects).toEqual([{ type: 'notice', level: 'info', text }]);
  });

  test('reasoning is shown and hidden', () => {
    const once = press(['toggle_reasoning']).state;
    expect([once.preferences.showReasoning, once.hint]).toEqual([true, 'Reasoning shown']);
    expect(press(['toggle_reasoning', 'toggle_reasoning']).state.preferences.showReasoning).toBe(false);
  });

  test('vim keys are switched and saved; if saving fails, they apply to this session only', () => {
    const { state, effects } = press(['toggle_vim', 'toggle_vim']);
    expect(state.preferences.vim).toBe(false);
    expect(effects).toEqual([
      { type: 'save_vim', vim: true },
      { type: 'save_vim', vim: false },
    ]);
    expect(play([{ type: 'vim_saved', vim: true }]).state.hint).toBe(
      'Vim mode on: Esc for normal, i for insert',
    );
    const problem = 'It is read only.';
    const failed = play([key('toggle_vim'), { type: 'vim_saved', vim: true, problem }]);
    expect(failed.state.preferences.vim).toBe(true);
    const text = 'Vim mode is on for this session. It is read only.';
    expect(failed.effects.at(-1)).toEqual({ type: 'notice', level: 'warning', text });
  });
});

describe('booting', () => {
  const services = {
    theme,
    preferences: { reducedMotion: true, showReasoning: true, vim: false },
  } as unknown as AppServices;
  const ready: Message = { type: 'booted', boot: { type: 'ready', services, notices: ['Careful.'] } };

  test('shows notices, then opens the session or the session list', () => {
    const said = { type: 'notice', level: 'warning', text: 'Careful.' };
    const { state, effects } = play([ready], { from: booting });
    expect(state.preferences).toBe(services.preferences);
    expect(effects).toEqual([said, { type: 'open_session', target: { type: 'new' } }]);
    const picking = play([ready], { from: booting, options: { pickFirst: true } });
    expect(picking.effects).toEqual([said, { type: 'pick_session' }]);
  });

  test('that fails says why and exits with an error', () => {
    const { effects } = play([{ type: 'boot_failed', error: new Error('EIO') }], { from: booting });
    expect(effects).toEqual([
      { type: 'notice', level: 'error', text: 'EIO' },
      hidden,
      { type: 'leave', code: 1 },
    ]);
  });
});

describe('dialogs', () => {
  test.each([
    [
      { type: 'model_picked', id: 'm' },
      { type: 'submit', op: { type: 'set_model', model: 'm' } },
    ],
    [
      { type: 'model_picked', id: 'm', effort: 'high' },
      { type: 'submit', op: { type: 'set_model', model: 'm' } },
      { type: 'submit', op: { type: 'set_effort', effort: 'high' } },
    ],
    [
      { type: 'model_picked', id: 'm', effort: 'default' },
      { type: 'submit', op: { type: 'set_model', model: 'm' } },
      { type: 'submit', op: { type: 'set_effort' } },
    ],
    [{ type: 'model_picked', id: undefined }],
    [
      { type: 'theme_picked', setting: 'dark' },
      { type: 'keep_theme', setting: 'dark' },
    ],
    [{ type: 'theme_picked', setting: undefined }],
    [{ type: 'dialog_closed' }],
  ] satisfies [Message, ...Effect[]][])('%j closes the dialog', (message, ...expected) => {
    const { state, effects } = play([key('help'), message]);
    expect(state.phase).toEqual({ type: 'session' });
    expect(effects).toEqual(expected);
  });

  test('a plain no ends the turn, a no with a comment does not', () => {
    const answer = (comment?: string): unknown => {
      const given = { behavior: 'deny', ...(comment === undefined ? {} : { comment }) } as const;
      return play([{ type: 'answered', id: 'q', answer: given }]).effects[0];
    };
    expect(answer()).toMatchObject({ op: { answer: { behavior: 'deny', interrupt: true } } });
    expect(answer('rather so')).toEqual({
      type: 'submit',
      op: { type: 'answer', id: 'q', answer: { behavior: 'deny', comment: 'rather so' } },
    });
  });
});

test.each([
  [{ type: 'dialog', dialog: 'items' }, { type: 'items' }, []],
  [{ type: 'dialog', dialog: 'resume' }, { type: 'session' }, [{ type: 'pick_session' }]],
  [{ type: 'dialog', dialog: 'model' }, { type: 'session' }, [{ type: 'list_models' }]],
  [{ type: 'rewind' }, { type: 'rewind' }, []],
  [{ type: 'set_theme' }, { type: 'themes' }, []],
  [{ type: 'set_theme', setting: 'dark' }, { type: 'session' }, [{ type: 'keep_theme', setting: 'dark' }]],
  [
    { type: 'open_session', target: { id: 'x' } },
    { type: 'session' },
    [{ type: 'open_session', target: { type: 'id', id: 'x' } }],
  ],
  [{ type: 'toggle_vim' }, { type: 'session' }, [{ type: 'save_vim', vim: true }]],
  [{ type: 'exit' }, { type: 'session' }, [hidden, { type: 'leave', code: 0 }]],
] as const)('a submitted line that became %j', (effect, phase, expected) => {
  const { state, effects } = play([{ type: 'interpreted', effect }]);
  expect([state.phase, effects]).toEqual([phase, expected]);
});

test.each([
  [[ended], undefined],
  [[running, ended], 'Background tasks stop with their session: b1 npm run dev'],
  [
    [{ ...running, command: 'x'.repeat(99) }],
    `Background tasks stop with their session: b1 ${'x'.repeat(59)}…`,
  ],
])('quitting with the tasks %j says: %s', (tasks, text) => {
  expect(endingText(tasks)).toBe(text);
});
