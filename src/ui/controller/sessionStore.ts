/**
 * One session as the screen sees it: folds events into the view, hands what is finished to the scrollback and
 * tells React at most once a frame. No React in here, so that a burst of deltas costs one render.
 */
import type { Agent } from '../../agent/types.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { createReadFold, type ReadFold } from '../print/readFold.ts';
import { splitFinished } from '../print/streaming.ts';
import type { UiSession } from '../types.ts';
import { createPrintQueue, PIECE } from './printQueue.ts';
import type { ScreenPorts } from './types.ts';
import { emptyView, flushTail, type Print, reduce, type View } from './view.ts';

export interface SessionStore {
  getView(): View;
  subscribe(listener: () => void): () => void;
  /** Prints something that is not an event of the agent: a command's answer, a replayed entry. */
  print(...prints: readonly Print[]): void;
  /** Says that a summary is being written beside the work, or no longer. */
  setDrafting(isDrafting: boolean): void;
  dispose(): void;
}

interface SessionStorePorts {
  /** Writes above the live area; of much that is finished a piece at a time, with room for keys between. */
  readonly print: (prints: readonly Print[]) => void;
  readonly split: (markdown: string) => { finished: string; rest: string };
  /** True when the unfinished reply no longer fits into the live area. */
  readonly tooTall: (tail: string) => boolean;
  readonly now: () => number;
  /** Folds reads and searches into one line; absent where each is told by itself. */
  readonly fold?: ReadFold | undefined;
}

/** Milliseconds between two updates of the screen. */
export const FRAME_MS = 33;
/**
 * The same while blocks of a reply are finished faster than anybody reads: printing draws the whole live area anew,
 * so half as often is half of what goes to the terminal, which may be at the far end of a network.
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
  /** What is held back is printed, since nothing may follow it for a while. */
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
  /** The first event after a pause is drawn at once, the rest of a burst with the next frame. */
  const schedule = (): void => {
    timer ??= setTimeout(frame, Math.max(0, frameMs - (ports.now() - lastFrame)));
  };

  const unsubscribe = agent.subscribe((event) => {
    // A long reply that came within a frame is finished now: as one entry it would be drawn in one go.
    if (event.type === 'entry' && event.entry.type === 'assistant' && view.tail.length > PIECE)
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

/** Puts an opened session on screen: its store, what was said in it before, and what the user should hear first. */
export function attachSession(
  { agent, notices, onAssumedWindow }: UiSession,
  screen: ScreenPorts | undefined,
  print: (...prints: readonly Print[]) => void,
  now: () => number,
  showsReasoning: () => boolean,
  past: readonly Print[] = [],
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
    // After an interrupt, what was queued goes back where it was typed.
    if (event.type !== 'queue_returned') return;
    screen?.composer()?.prependText(event.prompts.map((prompt) => prompt.text).join('\n'));
  });
  const unwatch = watchDraft(agent, store.setDrafting);
  const said = notices.map((text): Print => ({ type: 'notice', level: 'warning', text }));
  store.print(...past, ...said);
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

/** A cheap upper estimate of wrapped rows: exact enough to decide when the live area is full. */
function isTallerThan(text: string, columns: number, rows: number): boolean {
  let height = 0;
  for (const line of text.split('\n')) {
    height += Math.max(1, Math.ceil(line.length / columns));
    if (height > rows) return true;
  }
  return false;
}

// Whether a summary is being written beside the work. Nothing tells of it, so it is asked for where it can change.

/** Milliseconds between two looks while one is being written. */
const LOOK_MS = 1000;

/** Calls `onChange` whenever the answer changes; returns what ends it. */
export function watchDraft(
  agent: Pick<Agent, 'draft' | 'state' | 'subscribe'>,
  onChange: (isDrafting: boolean) => void,
): () => void {
  let isDrafting = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (): void => {
    timer = undefined;
    // A session that is being left has nothing to tell.
    const now = agent.state().sessionId !== '' && agent.draft() === 'running';
    if (now !== isDrafting) onChange(now);
    isDrafting = now;
    if (now) timer = setTimeout(look, LOOK_MS);
  };
  const unsubscribe = agent.subscribe((event) => {
    if (timer === undefined && mayChange(event)) timer = setTimeout(look, 0);
  });
  return () => {
    unsubscribe();
    clearTimeout(timer);
  };
}

/** Drafts begin between two steps, and end in an entry of what they cost. */
function mayChange(event: AgentEvent): boolean {
  if (event.type === 'entry')
    return event.entry.subtype === 'usage' || event.entry.subtype === 'summary_failed';
  return event.type === 'step_started' || event.type === 'turn_ended';
}
