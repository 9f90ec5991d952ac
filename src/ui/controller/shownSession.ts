/**
 * The session on screen, from the moment it is attached until another replaces it: its store, its images, and what is
 * printed above the live area. Before the first session, messages are printed all the same. Loaded once the first frame
 * is drawn, as it brings the kinds of entries and their schemas along.
 */
import { createImages, type Images } from '../input/images.ts';
import { endingText } from '../tasks/tasks.ts';
import type { UiOptions, UiSession } from '../types.ts';
import type { ControllerState, Message } from './reduce.ts';
import { replay, replayAround } from './replay.ts';
import { afterRewind, createScrollback } from './scrollback.ts';
import { attachSession, FRAME_MS, type SessionStore } from './sessionStore.ts';
import type { Controller, ScreenPorts } from './types.ts';
import { emptyView, type Print, type View } from './view.ts';

export interface ShownSession {
  view(): View;
  images(): Images | undefined;
  /** Prints only if there is a session. */
  print(...prints: readonly Print[]): void;
  say: Controller['say'];
  /** Replaces the session on screen, which is closed. `at`: show the conversation around this entry, not its end. */
  attach(session: UiSession, at: number | undefined): Promise<void>;
  /** Prints the conversation around an entry. */
  showAround(at: number): Promise<void>;
  redraw(): void;
  /** Says which background tasks end with the session. */
  announceEndingTasks(): void;
  dispose(): void;
}

interface ShownSessionPorts {
  readonly options: Pick<UiOptions, 'onReady' | 'now'>;
  readonly state: () => ControllerState;
  readonly screen: () => ScreenPorts | undefined;
  readonly send: (message: Message) => void;
  /** The view has changed. */
  readonly changed: () => void;
}

export function createShownSession(ports: ShownSessionPorts): ShownSession {
  const { options, state, screen, send } = ports;
  const scrollback = createScrollback(() => ({ screen: screen(), state: state() }));
  let store: SessionStore | undefined;
  let images: Images | undefined;

  const say: Controller['say'] = (level, text) => {
    const notice = { type: 'notice', level, text } as const;
    if (store === undefined) scrollback.print(notice);
    else store.print(notice);
  };
  const announceEndingTasks = (): void => {
    const text = endingText(state().session?.agent.state().tasks ?? []);
    if (text !== undefined) say('info', text);
  };
  /** A dialog would push what is printed above it out of sight, so it goes first. */
  const putAwayDialog = async (): Promise<void> => {
    const { type } = state().phase;
    if (type === 'booting' || type === 'session') return;
    send({ type: 'dialog_put_away' });
    await new Promise((drawn) => setTimeout(drawn, 2 * FRAME_MS));
  };
  return {
    view: () => store?.getView() ?? emptyView,
    images: () => images,
    print: (...prints) => store?.print(...prints),
    say,
    async attach(session, at) {
      const { agent } = session;
      const past = at === undefined ? replay(agent.liveEntries()) : await replayAround(agent, at);
      announceEndingTasks();
      await state().session?.agent.close();
      store?.dispose();
      options.onReady(() => agent.close());
      await putAwayDialog();
      const showsReasoning = (): boolean => state().preferences.showReasoning;
      const shown = session.resumed ? past : [];
      store = attachSession(session, screen(), scrollback.print, options.now, showsReasoning, shown);
      agent.subscribe((event) =>
        afterRewind(event, { agent, show: scrollback.show, composer: screen()?.composer() }),
      );
      store.subscribe(ports.changed);
      images = createImages({ port: () => state().services?.images, agent, say });
      send({ type: 'attached', session });
      void agent.measure().catch(() => undefined);
    },
    async showAround(at) {
      const { session } = state();
      if (session !== undefined) store?.print(...(await replayAround(session.agent, at)));
    },
    redraw: () => scrollback.show(state().session?.agent.liveEntries() ?? []),
    announceEndingTasks,
    dispose: () => store?.dispose(),
  };
}
