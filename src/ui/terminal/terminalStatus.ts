/**
 * What the terminal shows outside the screen's own rows: colors that fit its background, the title, progress and
 * notifications. Follows the controller, is loaded after the first frame, and keeps no timer running while nothing
 * happens.
 */
import type { AgentState } from '../../agent/types.ts';
import type { Controller, Snapshot } from '../controller/types.ts';
import { type Background, type Theme, withBackground } from '../theme/theme.ts';
import type { UiSession } from '../types.ts';
import {
  isPlainConsole,
  notificationSequence,
  POP_TITLE,
  PUSH_TITLE,
  progressSequence,
  titleSequence,
} from './sequences.ts';
import { runStatusLine } from './statusLineCommand.ts';
import type { TerminalInput } from './terminalInput.ts';

interface TerminalStatusPorts {
  readonly controller: Controller;
  readonly input: TerminalInput;
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Receives the text that restores the terminal, for a process that has to exit at once. */
  readonly onRestore?: ((text: string) => void) | undefined;
}

/** Focus reports (xterm), and reports of a switch between dark and light (Contour, kitty, Ghostty, VTE). */
const MODES = [1004, 2031] as const;

/** Returns a function that restores everything. */
export function showTerminalStatus(ports: TerminalStatusPorts): () => void {
  const { controller, input, write, now } = ports;
  const ends: (() => void)[] = [];
  const first = controller.snapshot().theme;
  if (answersQuestions(first)) {
    ends.push(
      followBackground({
        input,
        theme: () => controller.snapshot().theme,
        setTheme: (theme) => controller.adjust({ theme }),
      }),
    );
    input.setModes(MODES);
  } else if (first.terminal.mayAnswer === true)
    controller.adjust({ theme: { ...first, terminal: { ...first.terminal, mayAnswer: false } } });

  let title: string | undefined;
  let isProgress = false;
  const restore = (): string =>
    (isProgress ? progressSequence(false) : '') + (title === undefined ? '' : POP_TITLE);
  const changed = (): void => ports.onRestore?.(restore());
  const putBack = (): void => {
    const text = restore();
    if (text === '') return;
    write(text);
    title = undefined;
    isProgress = false;
    changed();
  };
  const attention = () => controller.services()?.attention;
  const name = createSessionName();
  const notifier = createNotifier({
    now,
    lastKeyAt: input.lastKeyAt,
    call(message) {
      const wanted = attention();
      if (wanted === undefined) return;
      const session = name.of(controller.snapshot().session);
      if (wanted.notify !== undefined) wanted.notify(message, session);
      else if (wanted.notifications !== 'off')
        write(notificationSequence(wanted.notifications, `${session} ${message}`, wanted.multiplexer));
    },
  });
  const show = (): void => {
    const snapshot = controller.snapshot();
    const wanted = attention();
    if (wanted === undefined) return;
    const doing = terminalActivity(snapshot);
    notifier.update(doing);
    // A shell (Ctrl+Z) or an editor has the terminal: restore it until the screen is back.
    if (!input.isRead()) {
      putBack();
      return;
    }
    if (wanted.title) {
      const next = titleOf(doing, name.of(snapshot.session));
      if (next !== title) {
        write((title === undefined ? PUSH_TITLE : '') + titleSequence(next));
        title = next;
        changed();
      }
    }
    const progress = wanted.progress && doing === 'working' && !snapshot.preferences.reducedMotion;
    if (progress !== isProgress) {
      write(progressSequence(progress));
      isProgress = progress;
      changed();
    }
  };
  ends.push(
    controller.subscribe(show),
    input.onRead(show),
    input.onReply((reply) => {
      if (reply.type === 'focus') notifier.focus(reply.isFocused);
    }),
    () => notifier.dispose(),
    () => name.dispose(),
    runStatusLine(controller, now),
  );
  show();
  return () => {
    for (const end of ends) end();
    input.setModes([]);
    putBack();
  };
}

/** Lets the theme follow the terminal's background: queried once, and updated when the terminal reports a change. */
interface BackgroundPorts {
  readonly input: TerminalInput;
  theme(): Theme;
  setTheme(theme: Theme): void;
}

/** OSC 11 queries the background; DA1, which every terminal answers, ends the wait. */
const QUESTION = '\u001B]11;?\u001B\\\u001B[c';

/** Milliseconds that the theme waits; a later answer still applies. */
const PATIENCE_MS = 200;

/** Returns a function that stops it. */
export function followBackground({ input, theme, setTheme }: BackgroundPorts): () => void {
  const adopt = (background: Background | undefined): void => {
    const { terminal } = theme();
    if (terminal.mayAnswer === true || background !== terminal.background)
      setTheme(withBackground(theme(), background));
  };
  const stopWaiting = (): void => {
    clearTimeout(timer);
    if (theme().terminal.mayAnswer === true) adopt(undefined);
  };
  const timer = setTimeout(stopWaiting, PATIENCE_MS);
  const unsubscribe = input.onReply((reply) => {
    if (reply.type === 'background' || reply.type === 'scheme') adopt(reply.background);
    else if (reply.type === 'attributes') stopWaiting();
  });
  input.ask(QUESTION);
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

/** True if a query is worthwhile: the terminal shows colors and does not print unknown sequences. */
export function answersQuestions({ plain, terminal }: Theme): boolean {
  return !plain && !isPlainConsole(terminal.term);
}

/** The display name of the open session, cached: an agent's state is read again only after its log has grown. */
interface SessionName {
  of(session: UiSession | undefined): string;
  dispose(): void;
}

export function createSessionName(): SessionName {
  let known: UiSession | undefined;
  let name: string | undefined;
  let unsubscribe = (): void => undefined;
  return {
    of(session) {
      if (session !== known) {
        unsubscribe();
        known = session;
        name = undefined;
        unsubscribe =
          session?.agent.subscribe((event) => {
            if (event.type === 'entry') name = undefined;
          }) ?? (() => undefined);
      }
      name ??= nameOf(session?.agent.state());
      return name;
    },
    dispose: () => unsubscribe(),
  };
}

/** `waiting` means waiting for the user: a question of the agent's, or a dialog before there is a session. */
export function terminalActivity({ view, phase }: Pick<Snapshot, 'view' | 'phase'>): Doing {
  if (view.questions.length > 0 || ['trust', 'server', 'onboarding'].includes(phase.type)) return 'waiting';
  return view.busy ? 'working' : 'idle';
}

const marks: Readonly<Record<Doing, string>> = { working: '✳ ', waiting: '? ', idle: '' };

/** Returns a one-line name for a session: its title, or its folder until it has one. */
function nameOf(state: Pick<AgentState, 'title' | 'root'> | undefined): string {
  const folder = state?.root.split(/[\\/]/).findLast((part) => part !== '');
  return state?.title ?? (folder === undefined ? 'ClawdCode' : `ClawdCode · ${folder}`);
}

export function titleOf(doing: Doing, name: string): string {
  return marks[doing] + name;
}

/**
 * Decides when to notify a user who is away. Pure except for one timer that waits until the keyboard has been quiet.
 */

/** The session's activity, for the title and notifications. */
type Doing = 'working' | 'waiting' | 'idle';

/**
 * Milliseconds. A user who has typed nothing for this long counts as away; the end of a shorter turn needs no
 * notification.
 */
const AWAY_MS = 10_000;

interface NotifierPorts {
  readonly now: () => number;
  readonly lastKeyAt: () => number;
  readonly call: (message: string) => void;
}

interface Notifier {
  /** Sets the current state; repeating it has no effect. */
  update(doing: Doing): void;
  /** Reports the terminal's focus. Until the first report, the keyboard decides who is away. */
  focus(isFocused: boolean): void;
  dispose(): void;
}

const WAITING = 'is waiting for your answer';
const DONE = 'is done';

export function createNotifier({ now, lastKeyAt, call }: NotifierPorts): Notifier {
  let doing: Doing = 'idle';
  let busySince: number | undefined;
  let isFocused: boolean | undefined;
  /** The notification to send once the user is away. */
  let pending: string | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const check = (): void => {
    clearTimeout(timer);
    if (pending === undefined) return;
    if (isFocused === true) {
      // A user who sees the question needs no notification, but does after switching to another window.
      if (doing !== 'waiting') pending = undefined;
      return;
    }
    const quietFor = now() - lastKeyAt();
    if (isFocused === undefined && quietFor < AWAY_MS) {
      timer = setTimeout(check, AWAY_MS - quietFor);
      return;
    }
    const message = pending;
    pending = undefined;
    call(message);
  };
  return {
    update(next) {
      if (next === doing) return;
      const before = doing;
      doing = next;
      pending = undefined;
      clearTimeout(timer);
      if (next === 'working') busySince ??= now();
      if (next === 'waiting') pending = WAITING;
      if (next === 'idle') {
        const wasLong = busySince !== undefined && now() - busySince >= AWAY_MS;
        busySince = undefined;
        // A user who has just answered, typed or stopped the turn is present.
        if (before === 'working' && wasLong && now() - lastKeyAt() >= AWAY_MS) pending = DONE;
      }
      check();
    },
    focus(isNow) {
      isFocused = isNow;
      check();
    },
    dispose: () => clearTimeout(timer),
  };
}
