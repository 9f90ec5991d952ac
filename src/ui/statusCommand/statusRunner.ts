/** Runs a status line command when there is a reason, one at a time and not more often than it makes sense. */
import type { StatusInput } from './statusInput.ts';
import type { StatusCommand, StatusOutput } from './types.ts';

/** Milliseconds between two runs, as other agents have it. */
export const RUN_EVERY_MS = 300;

export interface StatusRunner {
  /** Something has changed. */
  wake(): void;
  dispose(): void;
}

export function createStatusRunner(
  command: StatusCommand,
  input: () => StatusInput | undefined,
  show: (output: StatusOutput) => void,
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
