/**
 * The session on screen, from when it is attached until another replaces it: its store, its images, and the output
 * above the live area. Messages are printed even before the first session. Loaded after the first frame, because it
 * pulls in the entry types and their schemas.
 */

import type { Agent } from '../../agent/types.ts';
import { topicOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { ComposerHandle } from '../input/Composer.tsx';
import { createImages, type Images } from '../input/images.ts';
import { createPrinter, type Printer } from '../print/printer.ts';
import { withReadsFolded } from '../print/readFold.ts';
import { endingText } from '../tasks/tasks.ts';
import type { Theme } from '../theme/theme.ts';
import type { UiOptions, UiSession } from '../types.ts';
import type { ControllerState, Message } from './reduce.ts';
import { replay, replayAround } from './replay.ts';
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
  readonly options: Pick<UiOptions, 'home' | 'now' | 'onReady'>;
  readonly state: () => ControllerState;
  readonly screen: () => ScreenPorts | undefined;
  readonly send: (message: Message) => void;
  /** Called when the view has changed. */
  readonly changed: () => void;
}

export function createShownSession(ports: ShownSessionPorts): ShownSession {
  const { options, state, screen, send } = ports;
  const scrollback = createScrollback(() => ({ screen: screen(), state: state() }), options.home);
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
  /** Hides an open dialog first, because printing above it would push it out of sight. */
  const hideDialog = async (): Promise<void> => {
    const { type } = state().phase;
    if (type === 'booting' || type === 'session') return;
    send({ type: 'dialog_hidden' });
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
      await hideDialog();
      const showsReasoning = (): boolean => state().preferences.showReasoning;
      const shown = session.resumed ? past : [];
      store = attachSession(session, screen(), scrollback.print, options.now, showsReasoning, shown);
      agent.subscribe((event) =>
        afterRewind(event, { agent, show: scrollback.show, composer: screen()?.composer() }),
      );
      store.subscribe(ports.changed);
      images = createImages({ port: () => state().services?.images, agent, showNotice });
      send({ type: 'attached', session });
      const measure = (): void => void agent.measure().catch(() => undefined);
      measure();
      // The last measure is that of a request, without what was received for it.
      agent.subscribe(({ type }) => {
        if (type === 'turn_ended') measure();
      });
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

// Prints above the live area; owns the printer of the open session.

interface Scrollback {
  print(...prints: readonly Print[]): void;
  /** Prints the last entries again on an empty screen; the scrollback is kept. */
  show(entries: readonly JSONLEntry[]): void;
}

/** Clears the visible part of the terminal; the scrollback is kept. */
const CLEAR_VIEW = '\u001B[H\u001B[J';

function createScrollback(
  now: () => { readonly screen: ScreenPorts | undefined; readonly state: ControllerState },
  home: string | undefined,
): Scrollback {
  let made: { printer: Printer; theme: Theme; session: UiSession | undefined } | undefined;
  /** One printer per session and theme, because it remembers the tool calls that results belong to. */
  const printerOf = ({ screen, state }: ReturnType<typeof now>): Printer => {
    const { theme, session } = state;
    if (made === undefined || made.theme !== theme || made.session !== session) {
      const create = screen?.plain?.createPrinter ?? createPrinter;
      const printer = create({
        theme,
        markdown: () => now().state.markdown,
        showReasoning: () => now().state.preferences.showReasoning,
        entries: () => now().state.session?.agent.entries() ?? [],
        home,
        transcriptKey: () => now().screen?.transcriptKey?.(),
      });
      made = { printer, theme, session };
    }
    return made.printer;
  };
  const rendered = (prints: readonly Print[]): string => {
    const current = now();
    return printerOf(current).render(prints, current.screen?.columns() ?? 80);
  };
  return {
    print(...prints) {
      const text = rendered(prints);
      if (text !== '') now().screen?.write(text);
    },
    show(entries) {
      const { screen, state } = now();
      if (screen === undefined) return;
      const prints = replay(entries);
      if (screen.plain !== undefined) screen.write(rendered(prints));
      else screen.write(CLEAR_VIEW + rendered(withReadsFolded(prints, state.preferences.showReasoning)));
    },
  };
}

interface AfterRewindPorts {
  readonly agent: Pick<Agent, 'liveEntries'>;
  /** Clears the visible screen and prints the last of these entries. */
  readonly show: (entries: readonly JSONLEntry[]) => void;
  readonly composer: Pick<ComposerHandle, 'prependText'> | null | undefined;
}

/** After a rewind of the conversation, shows it as it is now and puts the rewound prompt back into the composer. */
function afterRewind(event: AgentEvent, { agent, show, composer }: AfterRewindPorts): void {
  if (event.type !== 'rewind_ended' || !event.report.conversation) return;
  const entries = agent.liveEntries();
  // The report of this rewind is printed after everything else.
  const last = entries.findLast(({ subtype }) => subtype === 'rewind' || subtype === 'undo');
  const isTold = (entry: JSONLEntry): boolean => entry.seq >= (last?.seq ?? 0) && topicOf(entry) === 'rewind';
  show(entries.filter((entry) => entry !== last && !isTold(entry)));
  const { prompt } = event.report;
  if (prompt !== undefined) composer?.prependText(prompt.text);
}
