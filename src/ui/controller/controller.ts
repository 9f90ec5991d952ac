/**
 * The shell around the reducer: holds what lives (the open session's store, printer and images, the session switch) and
 * carries effects out. Holds no React; `App` draws its snapshots. The composer belongs to the screen and is reached
 * through a handle.
 */
import { promptOf } from '../../agent/promptOf.ts';
import type { Draft } from '../input/composerState.ts';
import { createImages, type Images, mayNameImages } from '../input/images.ts';
import { loadMarkdown, warmingUp } from '../print/markdown.ts';
import { endingText } from '../tasks/tasks.ts';
import { keepTheme } from '../theme/describeTheme.ts';
import type { UiExit, UiOptions, UiSession } from '../types.ts';
import { type Effect, type Facts, type Message, reduce, startState } from './reduce.ts';
import { replay, replayAround } from './replay.ts';
import { runInput } from './runInput.ts';
import { afterRewind, createScrollback } from './scrollback.ts';
import { attachSession, FRAME_MS, type SessionStore } from './sessionStore.ts';
import { createSessionSwitch, type SessionSwitch } from './sessionSwitch.ts';
import { editDraft, pasteImage, showTranscript, suspend } from './terminalEffects.ts';
import type { Controller, ScreenPorts, Snapshot } from './types.ts';
import { emptyView } from './view.ts';

/** Milliseconds that a hint stands: as long as a second Ctrl+C (leave) or Esc (empty the line) counts. */
const HINT_MS = 2000;

export function createController(options: UiOptions, onExit: (how: UiExit) => void): Controller {
  const listeners = new Set<() => void>();
  let state = startState(options.theme, options.prompt);
  let screen: ScreenPorts | undefined;
  let store: SessionStore | undefined;
  let images: Images | undefined;
  let hintTimer: ReturnType<typeof setTimeout> | undefined;
  let cached: Snapshot = { ...state, view: emptyView };

  const facts: Facts = {
    options,
    agent: () => state.session?.agent.state(),
    draft: () => screen?.composer()?.text() ?? '',
  };
  const changed = (): void => {
    cached = { ...state, view: store?.getView() ?? emptyView };
    for (const listener of [...listeners]) listener();
  };
  /** Resolves when its effects are done. */
  const dispatch = async (message: Message): Promise<void> => {
    const reduced = reduce(state, message, facts);
    const isChanged = Object.entries(reduced.state).some(
      ([key, value]) => value !== state[key as keyof typeof state],
    );
    state = reduced.state;
    if (isChanged) changed();
    await Promise.all(reduced.effects.map(run));
  };
  const send = (message: Message): void => void dispatch(message);
  const scrollback = createScrollback(() => ({ screen, state }));
  const say: Controller['say'] = (level, text) => {
    const notice = { type: 'notice', level, text } as const;
    if (store === undefined) scrollback.print(notice);
    else store.print(notice);
  };

  const run = (effect: Effect): void | Promise<void> => {
    switch (effect.type) {
      case 'submit':
        state.session?.agent.submit(effect.op);
        return;
      case 'say':
        return say(effect.level, effect.text);
      case 'print':
        return store?.print(effect.print);
      case 'time_hint':
        clearTimeout(hintTimer);
        if (effect.isShown) hintTimer = setTimeout(() => send({ type: 'hint_over' }), HINT_MS);
        return;
      case 'run_draft':
        return runDraft(effect.draft);
      case 'send_waiting':
        return sendWaiting(effect.messages);
      case 'open_session':
        return switcher.open(effect.target);
      case 'fork_session':
        return switcher.fork(effect.uptoSeq);
      case 'fork_before':
        return forkBefore(effect.turn);
      case 'pick_session':
        return switcher.pick();
      case 'list_models':
        return listModels();
      case 'keep_theme':
        return keepTheme(controller, effect.setting);
      case 'save_vim':
        return saveVim(effect.vim);
      case 'clear_composer':
        screen?.composer()?.clear();
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
        return scrollback.show(state.session?.agent.liveEntries() ?? []);
      case 'leave':
        return leave(effect.code);
      default:
        effect satisfies never;
    }
  };

  const runDraft = async (draft: Draft): Promise<void> => {
    const { session } = state;
    if (session === undefined) return;
    const shown = images !== undefined && mayNameImages(draft.text) ? await images.of(draft.text) : [];
    if (shown === 'hold') screen?.composer()?.prependText(draft.text);
    else {
      const echo = (text: string): void => store?.print({ type: 'command', text });
      const effect = await runInput({ ...draft, images: shown }, session.host, echo);
      await dispatch({ type: 'interpreted', effect });
    }
  };
  /** One after the other, as they came. */
  const sendWaiting = async (messages: readonly Message[]): Promise<void> => {
    for (const message of messages) await dispatch(message);
  };
  const listModels = async (): Promise<void> => {
    try {
      const list = await state.session?.host.listModels();
      if (list !== undefined) send({ type: 'models_listed', list });
    } catch (error) {
      say('error', `The models cannot be listed: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const saveVim = async (vim: boolean): Promise<void> => {
    const saved = await state.services?.saveSetting(['vim'], vim);
    send({
      type: 'vim_saved',
      vim,
      ...(saved?.type === 'refused' ? { problem: saved.message } : {}),
    });
  };
  const forkBefore = async (turn: { readonly seq: number; readonly beforeSeq: number }): Promise<void> => {
    const agent = state.session?.agent;
    if (agent === undefined) return;
    const page = agent.page(turn.seq + 1, 1).catch(() => []);
    await switcher.fork(turn.beforeSeq);
    const [prompt] = await page;
    const isForked = state.session !== undefined && state.session.agent !== agent;
    if (isForked && prompt !== undefined) screen?.composer()?.prependText(promptOf(prompt).text);
  };
  /** A session takes its background tasks along. */
  const sayWhatEnds = (): void => {
    const text = endingText(state.session?.agent.state().tasks ?? []);
    if (text !== undefined) say('info', text);
  };
  const leave = async (code: number): Promise<void> => {
    switcher.dispose();
    const agent = state.session?.agent;
    sayWhatEnds();
    onExit({
      sessionId: agent?.state().sessionId,
      empty: agent?.entries().every((entry) => entry.type === 'system') ?? true,
      code,
    });
    try {
      await agent?.close();
    } finally {
      store?.dispose();
      send({ type: 'left' });
    }
  };
  /** What is printed while a dialog stands below it is pushed out of sight: the dialog goes first. */
  const putAwayDialog = async (): Promise<void> => {
    if (state.phase.type === 'booting' || state.phase.type === 'session') return;
    send({ type: 'dialog_put_away' });
    await new Promise((drawn) => setTimeout(drawn, 2 * FRAME_MS));
  };
  const attach = async (session: UiSession, at: number | undefined): Promise<void> => {
    const { agent } = session;
    const past = at === undefined ? replay(agent.liveEntries()) : await replayAround(agent, at);
    sayWhatEnds();
    await state.session?.agent.close();
    store?.dispose();
    options.onReady(() => agent.close());
    await putAwayDialog();
    const showsReasoning = (): boolean => state.preferences.showReasoning;
    const shown = session.resumed ? past : [];
    store = attachSession(session, screen, scrollback.print, options.now, showsReasoning, shown);
    agent.subscribe((event) =>
      afterRewind(event, { agent, show: scrollback.show, composer: screen?.composer() }),
    );
    store.subscribe(changed);
    images = createImages({ port: () => state.services?.images, agent, say });
    send({ type: 'attached', session });
    void agent.measure().catch(() => undefined);
  };
  const switcher: SessionSwitch = createSessionSwitch({
    services: () => state.services,
    session: () => state.session,
    phase: (phase) => send({ type: 'phase', phase }),
    say,
    attach,
    async show(at) {
      if (state.session !== undefined) store?.print(...(await replayAround(state.session.agent, at)));
    },
    opened: () => send({ type: 'opened' }),
    isLeaving: () => state.isLeaving,
    leave: (code) => send({ type: 'leave', code }),
  });
  const terminal = {
    options,
    snapshot: () => cached,
    images: () => images,
    screen: () => screen,
    say,
    showHint: (text: string) => send({ type: 'hint', text }),
  };

  const controller: Controller = {
    snapshot: () => cached,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    begin(ports) {
      screen = ports;
      controller.advance(options.boot());
      void options.keys?.follow((problems) => say('warning', problems.join('\n')));
      void loadMarkdown().then((markdown) =>
        send({ type: 'markdown_loaded', markdown: warmingUp(markdown, state.theme) }),
      );
    },
    advance: (next) =>
      void next.then(
        (boot) => send({ type: 'booted', boot }),
        (error: unknown) => send({ type: 'boot_failed', error }),
      ),
    services: () => state.services,
    say,
    attachImages: (pasted) => images?.attach(pasted),
    takeBackQueued: () => state.session?.agent.takeBackQueued()?.text,
    answerRefusal: (answer) => switcher.answer(answer),
    submit: (draft) => send({ type: 'submitted', draft }),
    intent: (intent, { empty }) => send({ type: 'key', intent, empty }),
    answer: (id, answer) => send({ type: 'answered', id, answer }),
    forkBefore: (turn) => send({ type: 'fork_picked', turn }),
    leave: () => send({ type: 'leave', code: 0 }),
    adjust: (change) => send({ type: 'adjusted', change }),
    pickTheme: (setting) => send({ type: 'theme_picked', setting }),
    closeDialog: () => send({ type: 'dialog_closed' }),
    pickModel: (id) => send({ type: 'model_picked', id }),
  };
  return controller;
}
