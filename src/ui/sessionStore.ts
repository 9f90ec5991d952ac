/**
 * One session as the screen sees it: folds events into the view, hands what is finished to the scrollback and
 * tells React at most once a frame. No React in here, so that a burst of deltas costs one render.
 */
import type { Agent } from '../agent/types.ts';
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

export interface SessionStorePorts {
  /** Writes above the live area; called once a frame at most, with all that is finished. */
  readonly print: (prints: readonly Print[]) => void;
  readonly split: (markdown: string) => { finished: string; rest: string };
  /** True when the unfinished reply no longer fits into the live area. */
  readonly tooTall: (tail: string) => boolean;
  readonly now: () => number;
}

/** Milliseconds between two updates of the screen. */
export const FRAME_MS = 33;

export function createSessionStore(agent: Agent, ports: SessionStorePorts): SessionStore {
  const listeners = new Set<() => void>();
  let view: View = { ...emptyView, busy: agent.state().busy, questions: agent.state().questions };
  let prints: Print[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let lastFrame = 0;

  const frame = (): void => {
    timer = undefined;
    lastFrame = ports.now();
    const flushed = flushTail(view, ports.split, ports.tooTall);
    view = flushed.view;
    const finished = [...prints, ...flushed.prints];
    prints = [];
    for (const listener of [...listeners]) listener();
    if (finished.length > 0) ports.print(finished);
  };
  /** The first event after a pause is drawn at once, the rest of a burst with the next frame. */
  const schedule = (): void => {
    timer ??= setTimeout(frame, Math.max(0, FRAME_MS - (ports.now() - lastFrame)));
  };

  const unsubscribe = agent.subscribe((event) => {
    const step = reduce(view, event, ports.now());
    view = step.view;
    prints.push(...step.prints);
    schedule();
  });

  return {
    getView: () => view,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    print(...more) {
      prints.push(...more);
      schedule();
    },
    setDrafting(isDrafting) {
      view = { ...view, drafting: isDrafting };
      schedule();
    },
    dispose() {
      unsubscribe();
      if (timer !== undefined) {
        clearTimeout(timer);
        frame();
      }
    },
  };
}
