import type { DriverPrompt } from './driverMessages.ts';

/** Prompts of the driver that have not started yet, oldest first. */
export interface PromptInbox {
  /** Returns false if too many are waiting. */
  add(prompt: DriverPrompt): boolean;
  /** Resolves to the next prompt; undefined after `end` once none is left. */
  next(): Promise<DriverPrompt | undefined>;
  /** Removes a waiting prompt; false if there is none with this id. */
  cancel(uuid: string): boolean;
  /** Removes all waiting prompts. */
  clear(): readonly DriverPrompt[];
  waiting(): readonly DriverPrompt[];
  /** No more prompts will be added. */
  end(): void;
}

/** More waiting prompts than any driver has; memory is bounded by it and by the size of a line. */
const MAX_WAITING = 1000;
const MAX_WAITING_CHARACTERS = 256 * 1024 * 1024;

export function createPromptInbox(): PromptInbox {
  let waiting: readonly DriverPrompt[] = [];
  let isEnded = false;
  let wake = (): void => {};
  const remove = (isKept: (prompt: DriverPrompt) => boolean): readonly DriverPrompt[] => {
    const removed = waiting.filter((prompt) => !isKept(prompt));
    waiting = waiting.filter(isKept);
    return removed;
  };
  return {
    add(prompt) {
      const characters = [...waiting, prompt].reduce((sum, one) => sum + sizeOf(one), 0);
      if (isEnded || waiting.length >= MAX_WAITING || characters > MAX_WAITING_CHARACTERS) return false;
      waiting = [...waiting, prompt];
      wake();
      return true;
    },
    async next() {
      while (waiting.length === 0 && !isEnded)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      const [first, ...rest] = waiting;
      waiting = rest;
      return first;
    },
    cancel: (uuid) => remove((prompt) => prompt.uuid !== uuid).length > 0,
    clear: () => remove(() => false),
    waiting: () => waiting,
    end() {
      isEnded = true;
      wake();
    },
  };
}

const sizeOf = ({ text, images }: DriverPrompt): number =>
  images.reduce((sum, { data }) => sum + data.length, text.length);
