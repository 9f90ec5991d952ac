/**
 * The session on screen, from when it is attached until another replaces it: its store, its images, and the output
 * above the live area. Messages are printed even before the first session. Loaded after the first frame, because it
 * pulls in the entry types and their schemas.
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
  /** Prints if there is a session; otherwise does nothing. */
  print(...prints: readonly Print[]): void;
  showNotice: Controller['showNotice'];
  /** Replaces and closes the session on screen. `at`: show the conversation around this entry instead of its end. */
  attach(session: UiSession, at: number | undefined): Promise<void>;
  /** Prints the conversation around an entry. */
  showAround(at: number): Promise<void>;
  redraw(): void;
  /** Prints which background tasks end with the session. */
  announceEndingTasks(): void;
  dispose(): void;
}

interface ShownSessionPorts {
  readonly options: Pick<UiOptions, 'onReady' | 'now'>;
  readonly state: () => ControllerState;
  readonly screen: () => ScreenPorts | undefined;
  readonly send: (message: Message) => void;
  /** Called when the view has changed. */
  readonly changed: () => void;
}

export function createShownSession(ports: ShownSessionPorts): ShownSession {
  const { options, state, screen, send } = ports;
  const scrollback = createScrollback(() => ({ screen: screen(), state: state() }));
  let store: SessionStore | undefined;
  let images: Images | undefined;

  const showNotice: Controller['showNotice'] = (level, text) => {
    const notice = { type: 'notice', level, text } as const;
    if (store === undefined) scrollback.print(notice);
    else store.print(notice);
  };
  const announceEndingTasks = (): void => {
    const text = endingText(state().session?.agent.state().tasks ?? []);
    if (text !== undefined) showNotice('info', text);
  };
  /** Removes an open dialog first, because printing above it would push it out of sight. */
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
    showNotice,
    async attach(session, at) {
      const { agent } = session;
      const past = at === undefined ? replay(agent.liveEntries()) : await replayAround(agent, at);
      announceEndingTasks();
      await state().session?.agent.close(session.resumed ? 'resume' : 'clear');
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
      images = createImages({ port: () => state().services?.images, agent, showNotice });
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
