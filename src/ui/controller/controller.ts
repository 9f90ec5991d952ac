/**
 * The imperative shell around the reducer: holds its state, dispatches messages, and wires up the effects
 * (`effects.ts`), the session on screen and the session switch. Contains no React; `App` renders its snapshots.
 */
import { loadMarkdown, warmingUp } from '../print/markdown.ts';
import type { Boot, UiExit, UiOptions } from '../types.ts';
import { createEffects } from './effects.ts';
import { type Facts, type Message, reduce, startState } from './reduce.ts';
import { createSessionSwitch } from './sessionSwitch.ts';
import type { ShownSession } from './shownSession.ts';
import type { Controller, ScreenPorts, Snapshot } from './types.ts';
import { emptyView } from './view.ts';

/** Creates the controller; it starts booting when `begin` is called. `onExit` receives how the screen was closed. */
export function createController(options: UiOptions, onExit: (how: UiExit) => void): Controller {
  const listeners = new Set<() => void>();
  let state = startState(options.theme, options.prompt);
  let screen: ScreenPorts | undefined;
  let shown: ShownSession | undefined;
  let cached: Snapshot = { ...state, view: emptyView };
  const facts: Facts = {
    options,
    agent: () => state.session?.agent.state(),
    draft: () => screen?.composer()?.text() ?? '',
  };
  const changed = (): void => {
    cached = { ...state, view: shown?.view() ?? emptyView };
    for (const listener of [...listeners]) listener();
  };
  const dispatch = async (message: Message): Promise<void> => {
    const reduced = reduce(state, message, facts);
    const isChanged = Object.entries(reduced.state).some(
      ([key, value]) => value !== state[key as keyof typeof state],
    );
    state = reduced.state;
    if (isChanged) changed();
    await Promise.all(reduced.effects.map(runEffect));
  };
  const send = (message: Message): void => void dispatch(message);

  const ports = { options, state: () => state, snapshot: () => cached, screen: () => screen };
  const showNotice: Controller['showNotice'] = (level, text) => shown?.showNotice(level, text);
  const switcher = createSessionSwitch({
    services: () => state.services,
    session: () => state.session,
    phase: (phase) => send({ type: 'phase', phase }),
    showNotice,
    attach: async (session, at) => shown?.attach(session, at),
    show: async (at) => shown?.showAround(at),
    opened: () => send({ type: 'opened' }),
    isLeaving: () => state.isLeaving,
    leave: (code) => send({ type: 'leave', code }),
  });
  const runEffect = createEffects({ ...ports, shown: () => shown, showNotice, switcher, dispatch, onExit });
  /** Loads modules that are not needed for the first frame. */
  const load = async (screenPorts: ScreenPorts): Promise<void> => {
    const [{ createShownSession }] = await Promise.all([
      import('./shownSession.ts'),
      screenPorts.loadDialogs?.(),
    ]);
    shown = createShownSession({ ...ports, send, changed });
  };
  let loaded: Promise<void> = Promise.resolve();
  const bootOutcome = (next: Promise<Boot>): Promise<Message> =>
    next.then(
      (boot) => ({ type: 'booted', boot }),
      (error: unknown) => ({ type: 'boot_failed', error }),
    );
  const advance = async (next: Promise<Boot>): Promise<void> => {
    const [outcome] = await Promise.all([bootOutcome(next), loaded]);
    send(outcome);
  };

  return {
    snapshot: () => cached,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    begin(screenPorts) {
      screen = screenPorts;
      loaded = load(screenPorts);
      void advance(options.boot());
      void options.keys?.follow(
        (problems) => void loaded.then(() => showNotice('warning', problems.join('\n'))),
      );
      void loadMarkdown().then((markdown) =>
        send({ type: 'markdown_loaded', markdown: warmingUp(markdown, state.theme) }),
      );
    },
    advance: (next) => void advance(next),
    services: () => state.services,
    showNotice,
    draftEdited() {
      if (state.hint !== undefined) send({ type: 'hint_over' });
    },
    attachImages: (pasted) => shown?.images()?.attach(pasted),
    popQueued: () => state.session?.agent.popQueued()?.text,
    answerRefusal: (answer) => switcher.answer(answer),
    submit: (draft) => send({ type: 'submitted', draft }),
    intent: (intent, { empty }) => send({ type: 'key', intent, empty }),
    answer: (id, answer) => send({ type: 'answered', id, answer }),
    configure: (answer) => send({ type: 'configured', answer }),
    confirm: (yes) => send({ type: 'confirmed', yes }),
    forkBefore: (turn) => send({ type: 'fork_picked', turn }),
    leave: () => send({ type: 'leave', code: 0 }),
    adjust: (change) => send({ type: 'adjusted', change }),
    pickTheme: (setting) => send({ type: 'theme_picked', setting }),
    closeDialog: () => send({ type: 'dialog_closed' }),
    pickModel: (id, effort) => send({ type: 'model_picked', id, ...(effort && { effort }) }),
  };
}
