import { displayOf } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { contentText, isTextPart } from '../../protocol/messages.ts';
import type { Attachment, PromptOp } from '../../protocol/ops.ts';
import type { Job } from '../jobQueue.ts';
import { skillEntry } from './skillUse.ts';

/** What the user has entered while something else runs. Each change emits `queue_changed`. */
export interface PromptQueue {
  /** Prompts and, as they were typed, commands. */
  all(): readonly PromptOp[];
  /** Without commands. */
  prompts(): readonly PromptOp[];
  add(prompt: PromptOp): void;
  /** Adds a command that runs as a job of its own, after the current one. */
  addCommand(text: string, job: Job): void;
  /** Removes and returns the newest. */
  pop(): PromptOp | undefined;
  /** Removes and returns all prompts, oldest first, for the log. */
  drain(): readonly PromptOp[];
  /** Removes the oldest command and returns its job. */
  takeCommand(): Job | undefined;
  /** Removes all and returns them to the composer through `queue_returned`. */
  returnToComposer(): void;
}

interface Queued {
  readonly prompt: PromptOp;
  /** Only of a command. */
  readonly job?: Job;
}

export function createPromptQueue(emit: (event: AgentEvent) => void): PromptQueue {
  let queue: readonly Queued[] = [];
  const promptsOf = (queued: readonly Queued[]): PromptOp[] => queued.map(({ prompt }) => prompt);
  const set = (next: readonly Queued[]): void => {
    queue = next;
    emit({ type: 'queue_changed', queue: promptsOf(queue) });
  };
  const take = (isTaken: (queued: Queued) => boolean): readonly Queued[] => {
    const taken = queue.filter(isTaken);
    if (taken.length > 0) set(queue.filter((queued) => !taken.includes(queued)));
    return taken;
  };
  const isPrompt = ({ job }: Queued): boolean => job === undefined;
  return {
    all: () => promptsOf(queue),
    prompts: () => promptsOf(queue.filter(isPrompt)),
    add: (prompt) => set([...queue, { prompt }]),
    addCommand: (text, job) => set([...queue, { prompt: { type: 'prompt', text }, job }]),
    pop() {
      const last = queue.at(-1);
      return take((queued) => queued === last)[0]?.prompt;
    },
    drain: () => promptsOf(take(isPrompt)),
    takeCommand() {
      const first = queue.find((queued) => !isPrompt(queued));
      return take((queued) => queued === first)[0]?.job;
    },
    returnToComposer() {
      const prompts = promptsOf(take(() => true));
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
