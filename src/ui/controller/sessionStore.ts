/**
 * State of one session on screen: folds events into the view, passes finished output to the scrollback and notifies
 * React at most once per frame. Contains no React, so that a burst of deltas costs one render.
 */

import type { Agent } from '../../agent/types.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { stacked } from '../input/paste.ts';
import { createReadFold, type ReadFold } from '../print/readFold.ts';
import { splitFinished } from '../print/streaming.ts';
import type { UiSession } from '../types.ts';
import { createPrintQueue, PIECE_CHARACTERS } from './printQueue.ts';
import type { ScreenPorts } from './types.ts';
import { emptyView, flushTail, type Print, reduce, type View } from './view.ts';

export interface SessionStore {
  getView(): View;
  subscribe(listener: () => void): () => void;
  /** Prints output that is not an agent event: a command's answer or a replayed entry. */
  print(...prints: readonly Print[]): void;
  /** Sets whether a summary is being written in the background. */
  setDrafting(isDrafting: boolean): void;
  dispose(): void;
}

interface SessionStorePorts {
  /** Writes above the live area; large output arrives in pieces, so that keys are handled in between. */
  readonly print: (prints: readonly Print[]) => void;
  readonly split: (markdown: string) => { finished: string; rest: string };
  /** True if the unfinished reply no longer fits into the live area. */
  readonly tooTall: (tail: string) => boolean;
  readonly now: () => number;
  /** Folds reads and searches into one line; absent if each is printed separately. */
  readonly fold?: ReadFold | undefined;
}

/** Minimum time between two screen updates, in ms. */
export const FRAME_MS = 33;
/**
 * The same while blocks of a reply finish faster than a user can read. Each print redraws the whole live area, so half
 * the rate halves the bytes sent to the terminal, which may be a slow remote connection.
 */
const BURST_FRAME_MS = 66;

export function createSessionStore(agent: Agent, ports: SessionStorePorts): SessionStore {
  const listeners = new Set<() => void>();
  let view: View = { ...emptyView, busy: agent.state().busy, questions: agent.state().questions };
  const prints = createPrintQueue(ports.split);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastFrame = 0;
  let frameMs = FRAME_MS;

  const { fold } = ports;
  const add = (more: readonly Print[]): void => {
    prints.add(...(fold?.add(more) ?? more));
    showHeld();
  };
  /** Prints the reads that the fold holds back, because nothing will follow for a while. */
  const release = (): void => {
    prints.add(...(fold?.rest() ?? []));
    showHeld();
  };
  const showHeld = (): void => {
    const reads = fold?.reads() ?? [];
    if (reads.length > 0 || view.reads.length > 0) view = { ...view, reads };
  };
  const flush = (isTime: (tail: string) => boolean): void => {
    const flushed = flushTail(view, ports.split, isTime);
    frameMs = flushed.prints.length > 0 ? BURST_FRAME_MS : FRAME_MS;
    view = flushed.view;
    add(flushed.prints);
  };
  const frame = (): void => {
    lastFrame = ports.now();
    flush(ports.tooTall);
    for (const listener of [...listeners]) listener();
    printPiece();
  };
  const printPiece = (): void => {
    const piece = prints.next();
    if (piece.length > 0) ports.print(piece);
    timer = prints.isEmpty() ? undefined : setTimeout(isFrameDue() ? frame : printPiece, 0);
  };
  const isFrameDue = (): boolean => ports.now() - lastFrame >= frameMs;
  /** Draws the first event after a pause at once, and the rest of a burst with the next frame. */
  const schedule = (): void => {
    timer ??= setTimeout(frame, Math.max(0, frameMs - (ports.now() - lastFrame)));
  };

  const unsubscribe = agent.subscribe((event) => {
    // Flush a long reply that arrived within one frame block by block; as a single entry it would be drawn in one go.
    if (event.type === 'entry' && event.entry.type === 'assistant' && view.tail.length > PIECE_CHARACTERS)
      flush(() => true);
    const step = reduce(view, event, ports.now());
    view = step.view;
    add(step.prints);
    if (event.type === 'turn_ended' || event.type === 'permission_question') release();
    schedule();
  });

  return {
    getView: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    print(...more) {
      add(more);
      if (!view.inTurn) release();
      schedule();
    },
    setDrafting(isDrafting) {
      view = { ...view, drafting: isDrafting };
      schedule();
    },
    dispose() {
      unsubscribe();
      if (timer === undefined) return;
      clearTimeout(timer);
      flush(ports.tooTall);
      release();
      for (const listener of [...listeners]) listener();
      const rest = prints.rest();
      if (rest.length > 0) ports.print(rest);
    },
  };
}

/** Shows an opened session: creates its store, prints its past and its notices. */
export function attachSession(
  { agent, notices, onAssumedWindow }: UiSession,
  screen: ScreenPorts | undefined,
  print: (...prints: readonly Print[]) => void,
  now: () => number,
  showsReasoning: () => boolean,
  past: readonly Print[],
): SessionStore {
  const store = createSessionStore(agent, {
    print: (prints) => print(...prints),
    split: screen?.plain?.split ?? splitFinished,
    tooTall: (tail) => isTallerThan(tail, screen?.columns() ?? 80, screen?.liveRows() ?? 10),
    now,
    fold: screen?.plain === undefined ? createReadFold(showsReasoning) : undefined,
  });
  agent.subscribe((event) => {
    if (event.type === 'entry' && event.entry.subtype === 'summary_failed' && agent.report().breakerIsOpen)
      store.print({ type: 'notice', level: 'warning', text: BREAKER_IS_OPEN });
    // After an interrupt, queued prompts go back to the composer.
    if (event.type !== 'queue_returned') return;
    screen
      ?.composer()
      ?.prependText(event.prompts.map(({ text }) => text).reduce((above, below) => stacked(above, below)));
  });
  const unwatch = watchDraft(agent, store.setDrafting);
  const warnings = notices.map((text): Print => ({ type: 'notice', level: 'warning', text }));
  store.print(...past, ...warnings);
  const unhear = onAssumedWindow?.((text) => store.print({ type: 'notice', level: 'info', text }));
  return {
    ...store,
    dispose() {
      unwatch();
      unhear?.();
      store.dispose();
    },
  };
}

const BREAKER_IS_OPEN =
  'Summaries are paused after too many failures in a row. The session continues; older messages are dropped when the window fills (Recall still finds them). A successful /compact or a model switch resumes summaries.';

/** A cheap upper estimate of the wrapped rows; precise enough to detect that the live area is full. */
function isTallerThan(text: string, columns: number, rows: number): boolean {
  let height = 0;
  for (const line of text.split('\n')) {
    height += Math.max(1, Math.ceil(line.length / columns));
    if (height > rows) return true;
  }
  return false;
}

// Whether a summary is being written in the background. No event reports it, so it is polled when it can change.

/** Polling interval while a summary is being written, in ms. */
const POLL_MS = 1000;

/** Calls `onChange` whenever the state changes; returns the unsubscriber. */
export function watchDraft(
  agent: Pick<Agent, 'draft' | 'state' | 'subscribe'>,
  onChange: (isDrafting: boolean) => void,
): () => void {
  let isDrafting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const check = (): void => {
    timer = undefined;
    // The session is being closed.
    const now = agent.state().sessionId !== '' && agent.draft() === 'running';
    if (now !== isDrafting) onChange(now);
    isDrafting = now;
    if (now) timer = setTimeout(check, POLL_MS);
  };
  const unsubscribe = agent.subscribe((event) => {
    if (timer === undefined && mayChange(event)) timer = setTimeout(check, 0);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Background summaries start between two steps, and end with a usage or failure entry. */
function mayChange(event: AgentEvent): boolean {
  if (event.type === 'entry')
    return event.entry.subtype === 'usage' || event.entry.subtype === 'summary_failed';
  return event.type === 'step_started' || event.type === 'turn_ended';
}
