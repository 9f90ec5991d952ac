/**
 * The screen's reducer: a pure function from a state and a message to the next state and a list of effects.
 * `controller.ts` runs the effects.
 */
import type { AgentState } from '../../agent/types.ts';
import type { ConfirmQuestion, ModelList } from '../../commands/types.ts';
import type { TurnRecord } from '../../protocol/checkpoints.ts';
import { type Effort, effortLevels } from '../../protocol/models/wires.ts';
import type { Op } from '../../protocol/ops.ts';
import type { PermissionAnswer, PermissionMode } from '../../protocol/permissions.ts';
import type { SettingEdit, SettingInfo } from '../../protocol/settings/settings.ts';
import { count } from '../../protocol/text/numbers.ts';
import type { ConfigAnswer } from '../config/configDialogs.ts';
import type { Draft } from '../input/composerState.ts';
import type { Intent } from '../keys/actions.ts';
import { type MarkdownRenderer, plainMarkdown } from '../print/markdown.ts';
import { toggledTodos } from '../print/todos.ts';
import { type Theme, type ThemeSetting, withSetting } from '../theme/theme.ts';
import {
  type AppServices,
  type Boot,
  defaultPreferences,
  type UiOptions,
  type UiPreferences,
  type UiSession,
} from '../types.ts';
import type { InputEffect } from './runInput.ts';
import type { Phase, Snapshot } from './types.ts';
import type { Print } from './view.ts';

export interface ControllerState extends Omit<Snapshot, 'view'> {
  /** Undefined until settings and model are known. */
  readonly services: AppServices | undefined;
  /** Messages that were submitted or pressed before a session was open, in order. */
  readonly waiting: readonly Message[];
  /** The exit hint, while it is shown: the next Ctrl+C (or Ctrl+D) exits. */
  readonly exitHint: string | undefined;
  readonly isLeaving: boolean;
}

export type Message =
  | { readonly type: 'booted'; readonly boot: Boot }
  | { readonly type: 'boot_failed'; readonly error: unknown }
  | { readonly type: 'submitted'; readonly draft: Draft }
  /** The result of interpreting a submitted line. */
  | { readonly type: 'interpreted'; readonly effect: InputEffect }
  /** A key that is not text; `empty`: the composer was empty. */
  | { readonly type: 'key'; readonly intent: Intent; readonly empty: boolean }
  | { readonly type: 'phase'; readonly phase: Phase }
  /** Hides a dialog before a session is drawn. */
  | { readonly type: 'dialog_hidden' }
  | { readonly type: 'attached'; readonly session: UiSession }
  /** The session is ready; waiting messages can be sent. */
  | { readonly type: 'opened' }
  | { readonly type: 'adjusted'; readonly change: Partial<Pick<Snapshot, 'theme' | 'statusText'>> }
  | { readonly type: 'markdown_loaded'; readonly markdown: MarkdownRenderer }
  | { readonly type: 'hint'; readonly text: string }
  | { readonly type: 'hint_over' }
  /** `problem`: why the setting could not be saved. */
  | { readonly type: 'vim_saved'; readonly vim: boolean; readonly problem?: string }
  | { readonly type: 'models_listed'; readonly list: ModelList }
  | { readonly type: 'answered'; readonly id: string; readonly answer: PermissionAnswer }
  | { readonly type: 'dialog_closed' }
  /** `effort`: the user's choice with it. */
  | { readonly type: 'model_picked'; readonly id: string | undefined; readonly effort?: Effort | 'default' }
  | { readonly type: 'theme_picked'; readonly setting: ThemeSetting | undefined }
  | { readonly type: 'configured'; readonly answer: ConfigAnswer }
  | { readonly type: 'confirmed'; readonly yes: boolean }
  /** The settings after a change; undefined closes the dialog. */
  | {
      readonly type: 'settings_listed';
      readonly settings: readonly SettingInfo[] | undefined;
      readonly last: string;
    }
  /** A setting that applies at once was saved. */
  | { readonly type: 'setting_applied'; readonly preferences: Partial<UiPreferences> }
  | { readonly type: 'fork_picked'; readonly turn: TurnRecord }
  | { readonly type: 'leave'; readonly code: number }
  /** Everything is closed. */
  | { readonly type: 'left' };

export type Effect =
  | { readonly type: 'submit'; readonly op: Op }
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string }
  | { readonly type: 'print'; readonly print: Print }
  /** Starts or clears the timer that hides the hint. */
  | { readonly type: 'time_hint'; readonly isShown: boolean }
  | { readonly type: 'run_draft'; readonly draft: Draft }
  | { readonly type: 'send_waiting'; readonly messages: readonly Message[] }
  | { readonly type: 'open_session'; readonly target: UiOptions['target'] }
  | { readonly type: 'fork_session'; readonly uptoSeq: number | undefined }
  | { readonly type: 'fork_before'; readonly turn: TurnRecord }
  | { readonly type: 'keep_theme'; readonly setting: ThemeSetting }
  | { readonly type: 'save_vim'; readonly vim: boolean }
  | { readonly type: 'confirm'; readonly question: ConfirmQuestion; readonly yes: boolean }
  | { readonly type: 'save_setting'; readonly edit: SettingEdit; readonly setting: SettingInfo }
  | { readonly type: 'apply_setting'; readonly edit: SettingEdit }
  | { readonly type: 'leave'; readonly code: number }
  | {
      readonly type:
        | 'clear_composer'
        | 'pick_session'
        | 'list_models'
        | 'edit_draft'
        | 'paste_image'
        | 'suspend'
        | 'show_transcript'
        | 'redraw';
    };

interface Reduced {
  readonly state: ControllerState;
  readonly effects: readonly Effect[];
}

/** Facts from outside the state, read on demand because each costs something to compute. */
export interface Facts {
  readonly options: Pick<UiOptions, 'pickFirst' | 'target'>;
  readonly agent: () => AgentState | undefined;
  /** The text in the composer. */
  readonly draft: () => string;
}

/** The initial state, when only the command line is known. */
export function startState(theme: Theme, prompt: string | undefined): ControllerState {
  const first: readonly Message[] =
    prompt === undefined
      ? []
      : [{ type: 'submitted', draft: { text: prompt, display: prompt, isArgument: true } }];
  return {
    phase: { type: 'booting' },
    theme,
    preferences: defaultPreferences,
    session: undefined,
    hint: undefined,
    todoView: 'auto',
    markdown: plainMarkdown,
    services: undefined,
    waiting: first,
    exitHint: undefined,
    isLeaving: false,
  };
}

export function reduce(state: ControllerState, message: Message, facts: Facts): Reduced {
  switch (message.type) {
    case 'booted':
      return booted(state, message.boot, facts);
    case 'boot_failed': {
      const { error } = message;
      const text = error instanceof Error ? error.message : String(error);
      return withEffects(leave(state, 1), { type: 'notice', level: 'error', text });
    }
    case 'submitted':
      return submitted(state, message);
    case 'interpreted':
      return interpreted(state, message.effect, facts);
    case 'key':
      return pressed(state, message, facts);
    case 'phase':
      return to(state, { phase: message.phase });
    case 'dialog_hidden':
      return to(state, { session: undefined, phase: { type: 'booting' } });
    case 'attached':
      return to(state, { session: message.session, phase: { type: 'session' }, todoView: 'auto' });
    case 'opened':
      return state.session === undefined
        ? { state, effects: [] }
        : to(state, { waiting: [] }, { type: 'send_waiting', messages: state.waiting });
    case 'adjusted':
      return to(state, message.change);
    case 'markdown_loaded':
      return to(state, { markdown: message.markdown });
    case 'hint':
      return hinted(state, message.text);
    case 'hint_over':
      return to(state, { hint: undefined });
    case 'vim_saved': {
      const { vim, problem } = message;
      if (problem === undefined)
        return hinted(state, vim ? 'Vim mode on: Esc for normal, i for insert' : 'Vim mode off');
      return showNotice(state, 'warning', `Vim mode is ${vim ? 'on' : 'off'} for this session. ${problem}`);
    }
    case 'models_listed':
      // Another dialog may have opened in the meantime.
      return state.phase.type === 'session'
        ? to(state, { phase: { type: 'models', ...message.list } })
        : { state, effects: [] };
    case 'answered': {
      const { id, answer } = message;
      // A plain denial ends the turn and returns control to the user. A denial with a comment goes to the model, and
      // the turn continues.
      const isBare = answer.behavior === 'deny' && (answer.comment ?? '').trim() === '';
      const given = isBare ? { ...answer, interrupt: true } : answer;
      return submit(state, { type: 'answer', id, answer: given });
    }
    case 'dialog_closed':
      return closed(state);
    case 'model_picked':
      return modelPicked(state, message, facts);
    case 'theme_picked':
      return message.setting === undefined
        ? closed(state)
        : closed(state, { type: 'keep_theme', setting: message.setting });
    case 'configured':
      return configured(state, message.answer);
    case 'confirmed':
      return state.phase.type === 'confirm'
        ? closed(state, { type: 'confirm', question: state.phase.question, yes: message.yes })
        : { state, effects: [] };
    case 'settings_listed': {
      const { settings, last } = message;
      if (state.phase.type !== 'config') return { state, effects: [] };
      return settings === undefined
        ? closed(state)
        : to(state, { phase: { type: 'config', settings, step: { type: 'list', last } } });
    }
    case 'setting_applied':
      return to(state, { preferences: { ...state.preferences, ...message.preferences } });
    case 'fork_picked':
      return closed(state, { type: 'fork_before', turn: message.turn });
    case 'leave':
      return leave(state, message.code);
    case 'left':
      return to(state, { phase: { type: 'leaving' } });
  }
}

function modelPicked(
  state: ControllerState,
  { id, effort }: Extract<Message, { type: 'model_picked' }>,
  { agent }: Facts,
): Reduced {
  if (id === undefined) return closed(state);
  const setModel: Effect = { type: 'submit', op: { type: 'set_model', model: id } };
  if (effort === undefined) return closed(state, setModel);
  const level = effort === 'default' ? {} : { effort };
  const setEffort: Effect = { type: 'submit', op: { type: 'set_effort', ...level } };
  return agent()?.model.id === id ? closed(state, setEffort) : closed(state, setModel, setEffort);
}

function booted(state: ControllerState, boot: Boot, { options }: Facts): Reduced {
  if (boot.type === 'quit') return leave(state, 0);
  if (boot.type !== 'ready') return to(state, { phase: boot });
  const { services, notices } = boot;
  return to(
    state,
    // Keeps what was detected about the terminal since the first frame.
    { services, theme: withSetting(state.theme, services.theme.setting), preferences: services.preferences },
    ...notices.map((text) => ({ type: 'notice', level: 'warning', text }) as const),
    options.pickFirst ? { type: 'pick_session' } : { type: 'open_session', target: options.target },
  );
}

function submitted(state: ControllerState, message: Extract<Message, { type: 'submitted' }>): Reduced {
  const { draft } = message;
  const unhinted = state.hint === undefined ? { state, effects: [] } : unhint(state);
  if (draft.text.trim() === '') return unhinted;
  if (state.session === undefined) return withState(unhinted, { waiting: [...state.waiting, message] });
  return withEffects(unhinted, { type: 'run_draft', draft });
}

function interpreted(state: ControllerState, effect: InputEffect, facts: Facts): Reduced {
  switch (effect.type) {
    case 'none':
      return { state, effects: [] };
    case 'print':
      return to(state, {}, effect);
    case 'dialog':
      if (effect.dialog === 'items' || effect.dialog === 'tasks')
        return to(state, { phase: { type: effect.dialog } });
      return to(state, {}, { type: effect.dialog === 'resume' ? 'pick_session' : 'list_models' });
    case 'rewind': {
      const { turn } = effect;
      return to(state, { phase: { type: 'rewind', ...(turn === undefined ? {} : { turn }) } });
    }
    case 'confirm': {
      const { question, page } = effect;
      // The user has turned to something else in the meantime.
      if (state.phase.type !== 'session') return to(state, {}, { type: 'confirm', question, yes: false });
      return to(
        state,
        { phase: { type: 'confirm', question } },
        { type: 'print', print: { type: 'page', page } },
      );
    }
    case 'config':
      return to(state, { phase: { type: 'config', settings: effect.settings, step: { type: 'list' } } });
    case 'apply_setting':
      return to(
        state,
        {},
        { type: 'apply_setting', edit: effect.edit },
        { type: 'notice', level: 'info', text: effect.text },
      );
    case 'set_theme':
      return effect.setting === undefined
        ? to(state, { phase: { type: 'themes' } })
        : to(state, {}, { type: 'keep_theme', setting: effect.setting });
    case 'open_session': {
      const { target } = effect;
      return to(
        state,
        {},
        {
          type: 'open_session',
          target: target === 'new' ? { type: 'new' } : { type: 'id', id: target.id },
        },
      );
    }
    case 'fork_session':
      return to(state, {}, { type: 'fork_session', uptoSeq: effect.uptoSeq });
    case 'toggle_vim':
      return pressed(state, { type: 'key', intent: 'toggle_vim', empty: true }, facts);
    case 'exit':
      return leave(state, 0);
  }
}

function configured(state: ControllerState, answer: ConfigAnswer): Reduced {
  if (state.phase.type !== 'config') return { state, effects: [] };
  if (answer.type === 'close') return closed(state);
  const phase = { ...state.phase, step: answer };
  if (answer.type !== 'saving') return to(state, { phase });
  const { edit } = answer;
  const setting = phase.settings.find(({ key }) => key === edit.key);
  return setting === undefined
    ? closed(state)
    : to(state, { phase }, { type: 'save_setting', edit, setting });
}

type KeyMessage = Extract<Message, { type: 'key' }>;

function pressed(state: ControllerState, message: KeyMessage, facts: Facts): Reduced {
  const { intent, empty } = message;
  // Keys that need a session wait until it is open.
  if (state.phase.type === 'booting' && needSession.has(intent))
    return to(state, { waiting: [...state.waiting, message] });
  // Ignored if text has been typed in the meantime: the dialog would hide it.
  if (takesKeyboard.has(intent) && empty && facts.draft() !== '') return { state, effects: [] };
  const { session, phase, preferences } = state;
  switch (intent) {
    case 'escape':
      return escaped(state, empty, facts);
    case 'clear_or_exit':
      return stopOrLeave(state, empty, 'Ctrl+C', facts);
    case 'eof':
      return stopOrLeave(state, empty, 'Ctrl+D', facts);
    case 'cycle_mode': {
      const agent = facts.agent();
      return agent === undefined
        ? { state, effects: [] }
        : submit(state, { type: 'set_mode', mode: nextMode(agent.mode, agent.modes.cycle) });
    }
    case 'cycle_effort': {
      const model = facts.agent()?.model;
      if (model === undefined) return { state, effects: [] };
      const levels = [undefined, ...effortLevels(model.efforts)];
      const effort = levels[(levels.indexOf(model.effort) + 1) % levels.length];
      return submit(state, { type: 'set_effort', ...(effort && { effort }) });
    }
    case 'help':
      return phase.type === 'session' ? to(state, { phase: { type: 'keys' } }) : { state, effects: [] };
    case 'pick_model':
      return session === undefined ? { state, effects: [] } : to(state, {}, { type: 'list_models' });
    case 'transcript':
      return session === undefined || phase.type !== 'session'
        ? { state, effects: [] }
        : to(state, {}, { type: 'show_transcript' });
    // The agent reports it if there is nothing to move to the background.
    case 'background':
      return submit(state, { type: 'background' });
    case 'todos': {
      const agent = facts.agent();
      if (agent === undefined) return { state, effects: [] };
      if (agent.todos.length === 0)
        return showNotice(state, 'info', 'No todo list yet. The model makes one for longer work.');
      return to(state, { todoView: toggledTodos(state.todoView, agent.todos, agent.busy) });
    }
    case 'toggle_reasoning': {
      const showReasoning = !preferences.showReasoning;
      const changed = { ...state, preferences: { ...preferences, showReasoning } };
      return hinted(changed, showReasoning ? 'Reasoning shown' : 'Reasoning hidden');
    }
    case 'toggle_vim': {
      const vim = !preferences.vim;
      return to(state, { preferences: { ...preferences, vim } }, { type: 'save_vim', vim });
    }
    case 'edit_draft':
    case 'paste_image':
    case 'suspend':
    case 'redraw':
      return to(state, {}, { type: intent });
  }
}

const needSession: ReadonlySet<Intent> = new Set(['cycle_mode', 'help', 'pick_model', 'transcript']);
const takesKeyboard: ReadonlySet<Intent> = new Set(['help', 'pick_model', 'transcript']);

/** The next mode for Shift+Tab; the first of the cycle if the current mode is not part of it. */
function nextMode(mode: PermissionMode, cycle: readonly PermissionMode[]): PermissionMode {
  return cycle[(cycle.indexOf(mode) + 1) % cycle.length] ?? 'default';
}

/**
 * Esc interrupts a running turn. If nothing is running, Esc twice clears the line, or opens the rewind dialog if the
 * line is empty. The first press only shows a hint, because Esc is easily pressed by accident; the second counts while
 * the hint is visible.
 */
function escaped(state: ControllerState, empty: boolean, facts: Facts): Reduced {
  if (facts.agent()?.busy === true) return submit(state, { type: 'interrupt' });
  if (empty && state.session === undefined) return { state, effects: [] };
  const hint = empty ? 'Esc again to rewind' : 'Esc again to clear';
  if (state.hint !== hint) return hinted(state, hint);
  const unhinted = unhint(state);
  return empty
    ? withState(unhinted, { phase: { type: 'rewind' } })
    : withEffects(unhinted, { type: 'clear_composer' });
}

/**
 * Ctrl+C and Ctrl+D: interrupt, clear the line, and exit on the second press, even if the interrupt is still in
 * progress.
 */
function stopOrLeave(state: ControllerState, empty: boolean, key: string, facts: Facts): Reduced {
  if (empty && state.exitHint !== undefined && state.hint === state.exitHint) return leave(state, 0);
  const agent = facts.agent();
  const running = agent?.tasks.filter(({ end }) => end === undefined).length ?? 0;
  const tasks = running === 0 ? '' : ` and end ${count(running, 'background task')}`;
  const hint = `Press ${key} again to exit${tasks}`;
  const first: readonly Effect[] =
    agent?.busy === true
      ? [{ type: 'submit', op: { type: 'interrupt' } }]
      : empty
        ? []
        : [{ type: 'clear_composer' }];
  return withEffects(hinted({ ...state, exitHint: hint }, hint), ...first);
}

function leave(state: ControllerState, code: number): Reduced {
  if (state.isLeaving) return { state, effects: [] };
  return to(state, { isLeaving: true }, { type: 'time_hint', isShown: false }, { type: 'leave', code });
}

/** Shows a hint for `HINT_MS`; a second key only counts while it is visible. */
function hinted(state: ControllerState, hint: string): Reduced {
  return to(state, { hint }, { type: 'time_hint', isShown: true });
}

function unhint(state: ControllerState): Reduced {
  return to(state, { hint: undefined }, { type: 'time_hint', isShown: false });
}

/** Closes a dialog and returns to the session. */
function closed(state: ControllerState, ...effects: readonly Effect[]): Reduced {
  return to(state, { phase: { type: 'session' } }, ...effects);
}

function submit(state: ControllerState, op: Op): Reduced {
  return to(state, {}, { type: 'submit', op });
}

function showNotice(state: ControllerState, level: 'info' | 'warning', text: string): Reduced {
  return to(state, {}, { type: 'notice', level, text });
}

function to(
  state: ControllerState,
  change: Partial<ControllerState>,
  ...effects: readonly Effect[]
): Reduced {
  return { state: { ...state, ...change }, effects };
}

function withState({ state, effects }: Reduced, change: Partial<ControllerState>): Reduced {
  return { state: { ...state, ...change }, effects };
}

/** Prepends effects. */
function withEffects({ state, effects }: Reduced, ...more: readonly Effect[]): Reduced {
  return { state, effects: [...more, ...effects] };
}
