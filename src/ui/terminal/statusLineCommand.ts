/** The user's own status line: when its command runs, and how its output is shown. */
import type { Controller } from '../controller/types.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import type { UiSession } from '../types.ts';
import {
  addEntry,
  noTotals,
  type StatusLineCommand,
  type StatusLineInput,
  type StatusLineOutput,
  statusLineInput,
} from './statusLineInput.ts';

/**
 * Keeps the user's own status line up to date; does nothing if none is configured. Returns a function that stops it.
 */
export function runStatusLine(controller: Controller, now: () => number): () => void {
  let runner: StatusRunner | undefined;
  let session: UiSession | undefined;
  let totals = noTotals;
  let unsubscribe = (): void => undefined;
  let seen: readonly unknown[] = [];
  /** The last failure shown: it is not repeated until the command has worked again. */
  let failure: string | undefined;

  const start = (): StatusRunner | undefined => {
    const command = controller.services()?.statusLine;
    if (command === undefined) return undefined;
    return createStatusRunner(
      command,
      () => session && statusLineInput(session.agent.state(), session.host.status(), totals, now()),
      (output) => {
        if (output.type === 'failed') {
          if (output.message !== failure) controller.showNotice('warning', output.message);
          failure = output.message;
          if (controller.snapshot().statusText !== undefined) controller.adjust({ statusText: undefined });
          return;
        }
        failure = undefined;
        const { theme, statusText: before } = controller.snapshot();
        const pad = ' '.repeat(command.padding);
        const lines = statusText(output.text, !theme.plain).map((line) => pad + line);
        if (lines.join('\n') !== before?.join('\n')) controller.adjust({ statusText: lines });
      },
      now,
    );
  };
  const update = (): void => {
    runner ??= start();
    if (runner === undefined) return;
    const current = controller.snapshot().session;
    if (current !== session) {
      unsubscribe();
      session = current;
      totals = (session?.agent.entries() ?? []).reduce(addEntry, noTotals);
      unsubscribe =
        session?.agent.subscribe((event) => {
          if (event.type === 'entry') totals = addEntry(totals, event.entry);
        }) ?? (() => undefined);
    }
    if (session === undefined) return;
    const { sessionId, title, model, mode, measure, usage, busy } = session.agent.state();
    const now = [sessionId, title, model.id, mode, measure, usage.requests, usage.costUsd, busy];
    if (now.every((value, index) => value === seen[index])) return;
    seen = now;
    runner.wake();
  };
  const unlisten = controller.subscribe(update);
  update();
  return () => {
    unlisten();
    unsubscribe();
    runner?.dispose();
  };
}

// Runs the command when something has changed: one run at a time, and not too often.

/** Minimum milliseconds between two runs; as in other agents. */
const RUN_EVERY_MS = 300;

interface StatusRunner {
  /** Call when something has changed. */
  wake(): void;
  dispose(): void;
}

export function createStatusRunner(
  command: StatusLineCommand,
  input: () => StatusLineInput | undefined,
  show: (output: StatusLineOutput) => void,
  now: () => number,
): StatusRunner {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isRunning = false;
  let isWanted = false;
  let isOver = false;
  let lastStart = Number.NEGATIVE_INFINITY;
  const run = async (): Promise<void> => {
    timer = undefined;
    const facts = input();
    if (facts === undefined) return;
    isRunning = true;
    isWanted = false;
    lastStart = now();
    const output = await command.run(facts);
    isRunning = false;
    if (isOver) return;
    show(output);
    if (isWanted) wake();
  };
  const wake = (): void => {
    isWanted = true;
    if (isRunning || isOver || timer !== undefined) return;
    timer = setTimeout(() => void run(), Math.max(0, RUN_EVERY_MS - (now() - lastStart)));
  };
  const clock = command.refreshMs === undefined ? undefined : setInterval(wake, command.refreshMs);
  return {
    wake,
    dispose() {
      isOver = true;
      clearTimeout(timer);
      clearInterval(clock);
    },
  };
}

// Turns the command's output into a few lines of text, with colors as the only escape sequences.

/** Maximum lines: the screen is for the conversation. */
const MAX_LINES = 3;
/** Maximum characters of a line, far beyond the width of any terminal. */
const MAX_CHARACTERS = 2000;

const sgr = /(\u001B\[[\d;:]{0,60}m)/;
const RESET = '\u001B[0m';

/** Every colored line ends with a reset. With `colors` false, the lines contain no escape sequences. */
export function statusText(printed: string, colors: boolean): readonly string[] {
  const lines = printed.replace(/\r\n?/g, '\n').trimEnd().split('\n').slice(0, MAX_LINES);
  return lines.map((line) => {
    const parts = line.slice(0, MAX_CHARACTERS).split(sgr);
    const isColored = colors && parts.length > 1;
    const text = parts
      .map((part, index) => (index % 2 === 0 ? sanitizeLine(part) : isColored ? part : ''))
      .join('');
    return isColored ? text + RESET : text;
  });
}
