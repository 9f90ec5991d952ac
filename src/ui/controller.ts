/**
 * What happens on screen and in which order: boot, the open session, dialogs, keys that are not text. Holds
 * no React; `App` draws its snapshots. The composer belongs to the screen and is reached through a handle.
 */
import { promptOf } from '../agent/promptOf.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { attachSession } from './attachSession.ts';
import type { Controller, ScreenPorts, Snapshot } from './controllerTypes.ts';
import { createDeeds } from './deeds/createDeeds.ts';
import { AGAIN_WITHIN_MS } from './deeds/leaving.ts';
import type { DeedPorts } from './deeds/types.ts';
import { createImages, type Images, mayNameImages } from './images/images.ts';
import type { Draft } from './input/composerState.ts';
import { defaultPreferences } from './preferences.ts';
import { loadMarkdown, plainMarkdown } from './print/markdown.ts';
import { warmingUp } from './print/warmUp.ts';
import { createPrinter, type Printer } from './printer.ts';
import { withReadsFolded } from './readFold.ts';
import { replay, replayAround } from './replay.ts';
import { afterRewind } from './rewind/afterRewind.ts';
import { type InputEffect, runInput } from './runInput.ts';
import { FRAME_MS, type SessionStore } from './sessionStore.ts';
import { createSessionSwitch } from './sessions/sessionSwitch.ts';
import { endingText } from './tasks/endingText.ts';
import { withSetting } from './theme.ts';
import { keepTheme } from './themePicker/keepTheme.ts';
import type { Boot, UiExit, UiHouse, UiOptions } from './types.ts';
import { emptyView, type Print } from './view.ts';

/** Empties the visible part of the terminal; the scrollback stays. */
const CLEAR_VIEW = '\u001B[H\u001B[J';

export function createController(options: UiOptions, onExit: (how: UiExit) => void): Controller {
  const listeners = new Set<() => void>();
  let screen: ScreenPorts | undefined;
  let house: UiHouse | undefined;
  let store: SessionStore | undefined;
  let printer: Printer | undefined;
  let images: Images | undefined;
  let hintTimer: ReturnType<typeof setTimeout> | undefined;
  let leaving = false;
  /** What was submitted or pressed before a session was open. */
  const waiting: (() => void | Promise<void>)[] = [];
  const { prompt: first } = options;
  if (first !== undefined) waiting.push(() => run({ text: first, display: first }));
  let state: Omit<Snapshot, 'view'> = {
    phase: { type: 'booting' },
    theme: options.theme,
    preferences: defaultPreferences,
    session: undefined,
    hint: undefined,
    todoView: 'auto',
    markdown: plainMarkdown,
  };
  let cached: Snapshot = { ...state, view: emptyView };

  const changed = (): void => {
    cached = { ...state, view: store?.getView() ?? emptyView };
    for (const listener of [...listeners]) listener();
  };
  const set = (change: Partial<typeof state>): void => {
    state = { ...state, ...change };
    changed();
  };
  const print = (...prints: readonly Print[]): void => {
    const text = rendered(prints);
    if (text !== '') screen?.write(text);
  };
  const rendered = (prints: readonly Print[]): string => {
    printer ??= (screen?.plain?.createPrinter ?? createPrinter)({
      theme: state.theme,
      markdown: () => state.markdown,
      showReasoning: () => state.preferences.showReasoning,
      entries: () => state.session?.agent.entries() ?? [],
    });
    return printer.render(prints, screen?.columns() ?? 80);
  };
  const show = (entries: readonly JSONLEntry[]): void => {
    if (screen === undefined) return;
    const prints = replay(entries);
    if (screen.plain !== undefined) screen.write(rendered(prints));
    else screen.write(`${CLEAR_VIEW}${rendered(withReadsFolded(prints, state.preferences.showReasoning))}`);
  };
  const say = (level: 'info' | 'warning' | 'error', text: string): void => {
    if (store === undefined) print({ type: 'notice', level, text });
    else store.print({ type: 'notice', level, text });
  };

  /** A session takes its background tasks along. */
  const sayWhatEnds = (): void => {
    const text = endingText(state.session?.agent.state().tasks ?? []);
    if (text !== undefined) say('info', text);
  };

  const themePorts: Pick<Controller, 'snapshot' | 'house' | 'adjust' | 'say'> = {
    snapshot: () => cached,
    house: () => house,
    adjust(change) {
      if (change.theme !== undefined) printer = undefined;
      set(change);
    },
    say,
  };

  const leave = (code = 0): void => {
    if (leaving) return;
    leaving = true;
    clearTimeout(hintTimer);
    switcher.dispose();
    const agent = state.session?.agent;
    sayWhatEnds();
    onExit({
      sessionId: agent?.state().sessionId,
      empty: agent?.entries().every((entry) => entry.type === 'system') ?? true,
      code,
    });
    void (agent?.close() ?? Promise.resolve()).finally(() => {
      store?.dispose();
      set({ phase: { type: 'leaving' } });
    });
  };

  /** What is printed while a dialog stands below it is pushed out of sight: the dialog goes first. */
  const putAwayDialog = async (): Promise<void> => {
    if (state.phase.type === 'booting' || state.phase.type === 'session') return;
    set({ session: undefined, phase: { type: 'booting' } });
    await new Promise((drawn) => setTimeout(drawn, 2 * FRAME_MS));
  };

  const switcher = createSessionSwitch({
    house: () => house,
    session: () => state.session,
    phase: (phase) => set({ phase }),
    say,
    async attach(session, at) {
      const { agent } = session;
      const past = at === undefined ? replay(agent.liveEntries()) : await replayAround(agent, at);
      sayWhatEnds();
      await state.session?.agent.close();
      store?.dispose();
      options.onReady(() => session.agent.close());
      printer = undefined;
      await putAwayDialog();
      const showsReasoning = (): boolean => state.preferences.showReasoning;
      store = attachSession(session, screen, print, options.now, showsReasoning, session.resumed ? past : []);
      session.agent.subscribe((event) =>
        afterRewind(event, { agent: session.agent, show, composer: screen?.composer() }),
      );
      store.subscribe(changed);
      images = createImages({ port: () => house?.images, agent: session.agent, say });
      set({ session, phase: { type: 'session' }, todoView: 'auto' });
      void session.agent.measure().catch(() => undefined);
    },
    async show(at) {
      if (state.session !== undefined) store?.print(...(await replayAround(state.session.agent, at)));
    },
    opened: () => void runWaiting(),
    isLeaving: () => leaving,
    leave,
  });
  const runWaiting = async (): Promise<void> => {
    if (state.session !== undefined) for (const act of waiting.splice(0)) await act();
  };

  const echo = (text: string): void => store?.print({ type: 'command', text });

  const run = async (draft: Draft): Promise<void> => {
    const { session } = state;
    if (session === undefined) {
      waiting.push(() => run(draft));
      return;
    }
    const pictures = images;
    const shown = pictures !== undefined && mayNameImages(draft.text) ? await pictures.of(draft.text) : [];
    if (shown === 'hold') screen?.composer()?.prependText(draft.text);
    else act(await runInput({ ...draft, images: shown }, session.host, echo));
  };

  const act = (effect: InputEffect): void => {
    switch (effect.type) {
      case 'none':
        return;
      case 'print':
        store?.print(effect.print);
        return;
      case 'dialog':
        if (effect.dialog === 'items' || effect.dialog === 'tasks') set({ phase: { type: effect.dialog } });
        else if (effect.dialog === 'resume') switcher.pick();
        else
          void state.session?.host.listModels().then((list) => set({ phase: { type: 'models', ...list } }));
        return;
      case 'rewind': {
        const { turn } = effect;
        set({ phase: { type: 'rewind', ...(turn === undefined ? {} : { turn }) } });
        return;
      }
      case 'set_theme':
        if (effect.setting === undefined) set({ phase: { type: 'themes' } });
        else void keepTheme(themePorts, effect.setting);
        return;
      case 'open_session':
        void switcher.open(effect.target === 'new' ? { type: 'new' } : { type: 'id', id: effect.target.id });
        return;
      case 'fork_session':
        void switcher.fork(effect.uptoSeq);
        return;
      case 'toggle_vim':
        void deeds.toggle_vim(ports, { empty: true });
        return;
      case 'exit':
        leave();
        return;
    }
  };

  const advance = (next: Promise<Boot>): void => {
    next.then(
      async (boot) => {
        if (boot.type === 'quit') return leave();
        if (boot.type !== 'ready') return set({ phase: boot });
        house = boot.house;
        printer = undefined;
        // What the terminal has told of itself meanwhile stays.
        set({ theme: withSetting(state.theme, house.theme.setting), preferences: house.preferences });
        for (const notice of boot.notices) say('warning', notice);
        if (options.pickFirst) return switcher.pick();
        await switcher.open(options.target);
      },
      (error: unknown) => {
        say('error', error instanceof Error ? error.message : String(error));
        leave(1);
      },
    );
  };

  /** A hint is true only as long as the second key counts. */
  const showHint = (hint: string | undefined): void => {
    clearTimeout(hintTimer);
    set({ hint });
    if (hint !== undefined) hintTimer = setTimeout(() => set({ hint: undefined }), AGAIN_WITHIN_MS);
  };

  const deeds = createDeeds();
  const ports: DeedPorts = {
    options,
    snapshot: () => cached,
    house: () => house,
    images: () => images,
    screen: () => screen,
    set,
    say,
    print,
    show,
    showHint,
    whenOpen: (act) => void (state.phase.type === 'booting' ? waiting.push(act) : act()),
    leave,
  };

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    begin(ports) {
      screen = ports;
      advance(options.boot());
      void options.keys?.follow((problems) => say('warning', problems.join('\n')));
      void loadMarkdown().then((markdown) => set({ markdown: warmingUp(markdown, state.theme) }));
    },
    submit(draft) {
      if (state.hint !== undefined) showHint(undefined);
      if (draft.text.trim() !== '') void run(draft);
    },
    intent: (intent, at) => void deeds[intent](ports, at),
    attachImages: (pasted) => images?.attach(pasted),
    takeBackQueued: () => state.session?.agent.takeBackQueued()?.text,
    advance,
    answer(id, answer) {
      // A bare no ends the turn: the user has the word. A no with a comment goes to the model, which goes on.
      const bare = answer.behavior === 'deny' && (answer.comment ?? '').trim() === '';
      const given = bare ? { ...answer, interrupt: true } : answer;
      state.session?.agent.submit({ type: 'answer', id, answer: given });
    },
    answerRefusal: (answer) => switcher.answer(answer),
    forkBefore(turn) {
      set({ phase: { type: 'session' } });
      const agent = state.session?.agent;
      if (agent === undefined) return;
      const page = agent.page(turn.seq + 1, 1).catch(() => []);
      void switcher.fork(turn.beforeSeq).then(async () => {
        const [prompt] = await page;
        const isForked = state.session !== undefined && state.session.agent !== agent;
        if (isForked && prompt !== undefined) screen?.composer()?.prependText(promptOf(prompt).text);
      });
    },
    leave: () => leave(),
    ...themePorts,
    pickTheme(setting) {
      set({ phase: { type: 'session' } });
      if (setting !== undefined) void keepTheme(themePorts, setting);
    },
    closeDialog: () => set({ phase: { type: 'session' } }),
    pickModel(id) {
      set({ phase: { type: 'session' } });
      if (id !== undefined) state.session?.agent.submit({ type: 'set_model', model: id });
    },
  };
}
