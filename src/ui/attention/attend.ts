/**
 * What the terminal shows outside of the screen's own rows: colours that fit its background, title, progress and a
 * call when somebody is needed. Watches the controller, is loaded after the first frame, and has no timer when
 * nothing happens.
 */
import type { Controller } from '../controller/types.ts';
import { attendStatusLine } from '../statusCommand/attendStatusLine.ts';
import { answersQuestions, followBackground } from './background.ts';
import { createNotifier } from './notifier.ts';
import { notificationSequence, POP_TITLE, PUSH_TITLE, progressSequence, titleSequence } from './sequences.ts';
import { createSessionName } from './sessionName.ts';
import { doingOf, titleOf } from './state.ts';
import type { TerminalInput } from './terminalInput.ts';

export interface AttendPorts {
  readonly controller: Controller;
  readonly input: TerminalInput;
  readonly write: (text: string) => void;
  readonly now: () => number;
  /** Told what undoes everything, for whoever has to end the program in a hurry. */
  readonly onRestore?: ((text: string) => void) | undefined;
}

/** Focus reports (xterm), and word of a change between dark and light (Contour, kitty, Ghostty, VTE). */
const MODES = [1004, 2031] as const;

/** Returns what puts everything back. */
export function attend(ports: AttendPorts): () => void {
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
        write(
          notificationSequence(
            wanted.notifications,
            'ClawdCode',
            `${session} ${message}`,
            wanted.multiplexer,
          ),
        );
    },
  });
  const show = (): void => {
    const snapshot = controller.snapshot();
    const wanted = attention();
    if (wanted === undefined) return;
    const doing = doingOf(snapshot);
    notifier.update(doing);
    // A shell (Ctrl+Z) or an editor has the terminal: it is as it was, until it comes back.
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
    attendStatusLine(controller, now),
  );
  show();
  return () => {
    for (const end of ends) end();
    input.setModes([]);
    putBack();
  };
}
