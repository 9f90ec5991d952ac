import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { PromptOp } from '../protocol/ops.ts';
import { skillEntry } from './skillUse.ts';

/** What was typed and is not sent yet. Each change is told as `queue_changed`. */
export interface PromptQueue {
  all(): readonly PromptOp[];
  add(prompt: PromptOp): void;
  /** Takes the newest back. */
  takeBack(): PromptOp | undefined;
  /** Takes all, oldest first, for the log. */
  takeAll(): readonly PromptOp[];
  /** Hands all back to whoever typed them. */
  giveBack(): void;
}

export function createPromptQueue(emit: (event: AgentEvent) => void): PromptQueue {
  let queue: readonly PromptOp[] = [];
  const set = (next: readonly PromptOp[]): void => {
    queue = next;
    emit({ type: 'queue_changed', queue });
  };
  const takeAll = (): readonly PromptOp[] => {
    const prompts = queue;
    if (prompts.length > 0) set([]);
    return prompts;
  };
  return {
    all: () => queue,
    add: (prompt) => set([...queue, prompt]),
    takeBack() {
      const last = queue.at(-1);
      if (last !== undefined) set(queue.slice(0, -1));
      return last;
    },
    takeAll,
    giveBack() {
      const prompts = takeAll();
      if (prompts.length > 0) emit({ type: 'queue_returned', prompts });
    },
  };
}

/** A prompt as the log keeps it, after the instructions of the skill that it uses. */
export function promptEntries({ text, display, typed, images, skill, commands }: PromptOp): NewEntry[] {
  const content =
    images === undefined || images.length === 0 ? text : [{ type: 'text' as const, text }, ...images];
  const data = {
    ...(display === undefined || display === text ? {} : { display }),
    ...(typed === undefined ? {} : { typed }),
    ...(commands === undefined ? {} : { commands: [...commands] }),
  };
  const prompt: NewEntry = {
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content },
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
  return skill === undefined ? [prompt] : [skillEntry(skill), prompt];
}
