import { displayOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { contentText, isTextPart } from '../../protocol/messages.ts';
import type { Attachment, PromptOp } from '../../protocol/ops.ts';
import { skillEntry } from './skillUse.ts';

/** Prompts that are not sent yet. Each change emits `queue_changed`. */
export interface PromptQueue {
  all(): readonly PromptOp[];
  add(prompt: PromptOp): void;
  /** Removes and returns the newest. */
  pop(): PromptOp | undefined;
  /** Removes and returns all, oldest first, for the log. */
  drain(): readonly PromptOp[];
  /** Removes all and returns them to the composer through `queue_returned`. */
  returnToComposer(): void;
}

export function createPromptQueue(emit: (event: AgentEvent) => void): PromptQueue {
  let queue: readonly PromptOp[] = [];
  const set = (next: readonly PromptOp[]): void => {
    queue = next;
    emit({ type: 'queue_changed', queue });
  };
  const drain = (): readonly PromptOp[] => {
    const prompts = queue;
    if (prompts.length > 0) set([]);
    return prompts;
  };
  return {
    all: () => queue,
    add: (prompt) => set([...queue, prompt]),
    pop() {
      const last = queue.at(-1);
      if (last !== undefined) set(queue.slice(0, -1));
      return last;
    },
    drain,
    returnToComposer() {
      const prompts = drain();
      if (prompts.length > 0) emit({ type: 'queue_returned', prompts });
    },
  };
}

/** Characters of base64. More than servers accept in a request; a line of the log may be a little longer. */
const MAX_IMAGES_LENGTH = 64 * 2 ** 20;

/** Why a prompt cannot be sent with these images; undefined if it can. */
export function imagesTooLarge({ images = [] }: PromptOp): string | undefined {
  const length = images.reduce((sum, { data }) => sum + data.length, 0);
  if (length <= MAX_IMAGES_LENGTH) return undefined;
  const megabytes = (Math.ceil(length * 0.75) / 2 ** 20).toFixed(0);
  return `The images of this prompt have ${megabytes} MB together, so it was not sent: at most ${(MAX_IMAGES_LENGTH * 0.75) / 2 ** 20} MB fit. Send fewer, or smaller copies.`;
}

/** Builds the log entries of a prompt: the instructions of its skill, if any, the prompt, and what it mentions. */
export function promptEntries(op: PromptOp): NewEntry[] {
  const { text, display, typed, images, skill, commands, attachments = [] } = op;
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
  return [...(skill === undefined ? [] : [skillEntry(skill)]), prompt, ...attachments.map(attachmentEntry)];
}

/** Builds the log entry of an attached file or folder. */
export function attachmentEntry({
  path,
  title,
  outcome,
  summary,
  text,
  filesRead,
  images,
}: Attachment): NewEntry {
  return {
    type: 'user',
    subtype: 'attachment',
    message: { role: 'user', content: images === undefined ? text : [{ type: 'text', text }, ...images] },
    data: { path, title, outcome, summary, ...(filesRead && { filesRead: [...filesRead] }) },
  };
}

// The text of the user's entries. Loaded before the first frame, so it must not import the context folder.

/** Returns the prompt of an entry, so that it can be edited and sent again. */
export function promptOf(entry: JSONLEntry): PromptOp {
  const display = displayOf(entry);
  const text = promptText(entry.message.content);
  return { type: 'prompt', text, ...(display === undefined ? {} : { display }) };
}

/** Returns the text of a prompt without its images. */
export function promptText(content: unknown): string {
  return contentText(Array.isArray(content) ? content.filter(isTextPart) : content);
}
