/**
 * Runs the effects that the reducer returned. The composer belongs to the screen; effects reach it through a handle.
 */
import { promptOf } from '../../agent/prompts/promptQueue.ts';
import { type SettingEdit, screenPreferences } from '../../protocol/settings/settings.ts';
import { themeSettings } from '../../protocol/settings/themeNames.ts';
import type { Draft } from '../input/composerState.ts';
import { type Images, mayNameImages } from '../input/images.ts';
import { keepTheme } from '../theme/describeTheme.ts';
import { withSetting } from '../theme/theme.ts';
import type { UiExit, UiOptions } from '../types.ts';
import type { ControllerState, Effect, Message } from './reduce.ts';
import { unbrokenEntries } from './replay.ts';
import { runInput, waitsForEnter } from './runInput.ts';
import type { SessionSwitch } from './sessionSwitch.ts';
import type { ShownSession } from './shownSession.ts';
import type { Controller, ScreenPorts, Snapshot } from './types.ts';

/**
 * How long a hint stays visible, in ms. A second Ctrl+C (exit) or Esc (clear the line) only counts during that time.
 */
const HINT_MS = 2000;

interface EffectPorts {
  readonly options: UiOptions;
  readonly state: () => ControllerState;
  readonly snapshot: () => Snapshot;
  readonly screen: () => ScreenPorts | undefined;
  /** Undefined until `shownSession.ts` is loaded. */
  readonly shown: () => ShownSession | undefined;
  readonly showNotice: Controller['showNotice'];
  readonly switcher: SessionSwitch;
  /** Resolves when all effects of the message are done. */
  readonly dispatch: (message: Message) => Promise<void>;
  readonly onExit: (how: UiExit) => void;
}

/** Returns the function that runs an effect. For asynchronous effects its promise resolves when the effect is done. */
export function createEffects(ports: EffectPorts): (effect: Effect) => void | Promise<void> {
  const { options, state, screen, shown, showNotice, switcher, dispatch } = ports;
  const send = (message: Message): void => void dispatch(message);
  const terminal = {
    options,
    snapshot: ports.snapshot,
    images: () => shown()?.images(),
    screen,
    showNotice,
    showHint: (text: string) => send({ type: 'hint', text }),
  };
  let hintTimer: ReturnType<typeof setTimeout> | undefined;

  return (effect) => {
    switch (effect.type) {
      case 'submit':
        state().session?.agent.submit(effect.op);
        return;
      case 'notice':
        return showNotice(effect.level, effect.text);
      case 'print':
        return shown()?.print(effect.print);
      case 'time_hint':
        clearTimeout(hintTimer);
        if (effect.isShown) hintTimer = setTimeout(() => send({ type: 'hint_over' }), HINT_MS);
        return;
      case 'run_draft':
        return runDraft(effect.draft, ports);
      case 'send_waiting':
        return sendInOrder(effect.messages, ports);
      case 'open_session':
        return switcher.open(effect.target);
      case 'fork_session':
        return switcher.fork(effect.uptoSeq);
      case 'fork_before':
        return forkBefore(effect.turn, ports);
      case 'pick_session':
        return switcher.pick();
      case 'list_models':
        return listModels(ports);
      case 'keep_theme':
        return keepTheme(
          {
            snapshot: ports.snapshot,
            services: () => state().services,
            adjust: (change) => send({ type: 'adjusted', change }),
            showNotice,
          },
          effect.setting,
        );
      case 'save_vim':
        return saveVim(effect.vim, ports);
      case 'save_setting':
        return changeSetting(effect, ports);
      case 'confirm':
        return confirm(effect, ports);
      case 'apply_setting':
        return applySetting(effect.edit, ports);
      case 'clear_composer':
        screen()?.composer()?.clear();
        return;
      case 'edit_draft':
        return editDraft(terminal);
      case 'paste_image':
        return pasteImage(terminal);
      case 'suspend':
        return suspend(terminal);
      case 'show_transcript':
        return showTranscript(terminal);
      case 'redraw':
        return shown()?.redraw();
      case 'leave':
        return leave(effect.code, ports);
      default:
        effect satisfies never;
    }
  };
}

async function runDraft(draft: Draft, ports: EffectPorts): Promise<void> {
  const { state, screen, shown, dispatch } = ports;
  const { session } = state();
  if (session === undefined) return;
  if (draft.isArgument === true && waitsForEnter(draft.text, session.host)) {
    screen()?.composer()?.prependText(draft.text);
    return ports.showNotice('info', 'The prompt on the command line is a command. Press Enter to run it.');
  }
  const images = shown()?.images();
  const named = images !== undefined && mayNameImages(draft.text) ? await images.of(draft.text) : [];
  if (named === 'hold') {
    screen()?.composer()?.prependText(draft.text);
    return;
  }
  const echo = (text: string): void => shown()?.print({ type: 'command', text });
  const effect = await runInput({ ...draft, images: named }, session.host, echo);
  await dispatch({ type: 'interpreted', effect });
}

async function confirm(
  { question, yes }: Extract<Effect, { type: 'confirm' }>,
  { showNotice }: EffectPorts,
): Promise<void> {
  try {
    const { text, level = 'info' } = await question.answer(yes);
    showNotice(level, text);
  } catch (error) {
    showNotice('error', `Failed: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function sendInOrder(messages: readonly Message[], { dispatch }: EffectPorts): Promise<void> {
  for (const message of messages) await dispatch(message);
}

async function listModels({ state, showNotice, dispatch }: EffectPorts): Promise<void> {
  try {
    const host = state().session?.host;
    if (host === undefined) return;
    const list = await host.listModels();
    const { modelDetails, modelEfforts } = await import('../../commands/model.ts');
    if (list.ids.length > 0 && list.problem !== undefined) showNotice('warning', list.problem);
    const facts = { details: modelDetails(host, list.ids), efforts: modelEfforts(host, list.ids) };
    void dispatch({ type: 'models_listed', list: { ...list, ...facts } });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    showNotice('error', `The models cannot be listed: ${why}`);
  }
}

async function saveVim(vim: boolean, { state, dispatch }: EffectPorts): Promise<void> {
  const saved = await state().services?.saveSetting(['vim'], vim);
  const problem = saved?.type === 'refused' ? { problem: saved.message } : {};
  void dispatch({ type: 'vim_saved', vim, ...problem });
}

/** Saves a setting, reports the outcome, and shows the list again. */
async function changeSetting(
  { edit, setting }: Extract<Effect, { type: 'save_setting' }>,
  ports: EffectPorts,
): Promise<void> {
  const { state, screen, showNotice, dispatch } = ports;
  const port = state().session?.host.config;
  if (port === undefined) return;
  // Loads the schema of the settings: not before the first frame.
  const { appliesAtOnce, saveSetting } = await import('../../commands/config.ts');
  const { isSaved, text } = await saveSetting(port, setting, edit, appliesAtOnce(edit.key));
  showNotice(isSaved ? 'info' : 'warning', text);
  const settings = await port.list();
  const now = settings.find(({ key }) => key === edit.key);
  if (isSaved && now !== undefined) await applySetting({ ...edit, value: now.value }, ports);
  // Plain mode would read the whole list out again.
  const isPlain = screen()?.plain !== undefined;
  void dispatch({ type: 'settings_listed', settings: isPlain ? undefined : settings, last: edit.key });
}

/** Applies a setting to this session if that is possible; `value` is the one in force. */
async function applySetting(
  { key, value }: SettingEdit,
  { state, snapshot, dispatch }: EffectPorts,
): Promise<void> {
  if (key === 'theme') {
    const setting = themeSettings.find((name) => name === value) ?? 'auto';
    await dispatch({ type: 'adjusted', change: { theme: withSetting(snapshot().theme, setting) } });
    return;
  }
  const preference = screenPreferences.find((name) => name === key);
  if (preference !== undefined && typeof value === 'boolean' && state().preferences[preference] !== value)
    await dispatch({ type: 'setting_applied', preferences: { [preference]: value } });
}

async function forkBefore(
  turn: Extract<Effect, { type: 'fork_before' }>['turn'],
  { state, switcher, screen }: EffectPorts,
): Promise<void> {
  const agent = state().session?.agent;
  if (agent === undefined) return;
  const page = agent.page(turn.seq + 1, 1).catch(() => []);
  await switcher.fork(turn.beforeSeq);
  const [prompt] = await page;
  const { session } = state();
  const isForked = session !== undefined && session.agent !== agent;
  if (isForked && prompt !== undefined) screen()?.composer()?.prependText(promptOf(prompt).text);
}

async function leave(code: number, { state, switcher, shown, onExit, dispatch }: EffectPorts): Promise<void> {
  switcher.dispose();
  const agent = state().session?.agent;
  shown()?.announceEndingTasks();
  onExit({
    sessionId: agent?.state().sessionId,
    empty: agent?.entries().every((entry) => entry.type === 'system') ?? true,
    code,
  });
  try {
    await agent?.close('prompt_input_exit');
  } finally {
    shown()?.dispose();
    void dispatch({ type: 'left' });
  }
}

// Actions that hand over the terminal or read the clipboard.

interface TerminalPorts {
  readonly options: UiOptions;
  snapshot(): Snapshot;
  screen(): ScreenPorts | undefined;
  /** Images of the open session. */
  images(): Images | undefined;
  readonly showNotice: Controller['showNotice'];
  /** Shows a hint in place of the status line, for a moment. */
  showHint(hint: string): void;
}

/** Opens the draft in the user's editor. The result replaces the draft; undo restores the old text. */
async function editDraft({ options, screen, showNotice, showHint }: TerminalPorts): Promise<void> {
  const ports = screen();
  const composer = ports?.composer();
  const { editText } = options;
  if (editText === undefined || ports === undefined || !composer) return showHint('No editor available.');
  const before = composer.text();
  let outcome: Awaited<ReturnType<typeof editText>> | undefined;
  await ports.suspend(async () => {
    outcome = await editText(before);
  });
  if (outcome?.type === 'failed') showNotice('error', outcome.message);
  else if (outcome?.type === 'edited' && outcome.text !== before) composer.setText(outcome.text);
}

/** Ctrl+Z: hands the terminal back to the shell until `fg`. Running work resumes with the program. */
async function suspend({ options, screen, showHint }: TerminalPorts): Promise<void> {
  const { stop } = options;
  let outcome: 'continued' | 'unsupported' = 'unsupported';
  if (stop !== undefined)
    await screen()?.suspend(async () => {
      outcome = await stop();
    });
  if (outcome === 'unsupported') showHint('Cannot suspend: there is no shell to resume from.');
}

/** Pastes the image from the clipboard into the composer. If there is none, a message explains why. */
async function pasteImage({ images, screen, showNotice }: TerminalPorts): Promise<void> {
  const pictures = images();
  if (pictures === undefined)
    return showNotice('info', 'Images can be pasted as soon as the session is open.');
  const label = await pictures.fromClipboard();
  if (label !== undefined) screen()?.composer()?.insertImage?.(label);
}

/** Ctrl+O: shows the whole session unfolded, until the user closes the transcript. */
async function showTranscript({ snapshot, screen, options, showNotice }: TerminalPorts): Promise<void> {
  const { session } = snapshot();
  const view = screen();
  if (session === undefined || view === undefined) return;
  const { agent, host } = session;
  const { openTranscript } = await import('../transcript/openTranscript.ts');
  await view
    .suspend(() => {
      options.onAlternateScreen?.(true);
      return openTranscript({
        stdin: options.stdin,
        stdout: options.stdout,
        agent,
        entries: unbrokenEntries(agent.entries()),
        theme: snapshot().theme,
        markdown: snapshot().markdown,
        reply: () => snapshot().view.reply,
        tools: () => snapshot().view.tools,
        readBlob: host.readBlob,
        now: options.now,
        keymap: options.keys?.current,
      }).finally(() => options.onAlternateScreen?.(false));
    })
    // The terminal is already handed over, or gone.
    .catch((error: unknown) => showNotice('error', error instanceof Error ? error.message : String(error)));
}
