/**
 * Has the model write a session title after the first turn: one background request without tools. Nothing waits for it,
 * and a failure is only written to the debug log.
 */
import { ContextBuilder, type ContextManager, usageOf } from '../context/index.ts';
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { Message, Usage } from '../protocol/messages.ts';
import { contentText } from '../protocol/messages.ts';
import type { ModelClient, ModelInfo } from '../protocol/models/model.ts';
import { withoutEscapes } from '../protocol/text/escapes.ts';
import { type Clock, streamReply } from './reply.ts';
import { titleEntry } from './sessionFacts.ts';

const maxRequestCharacters = 2000;
const maxReplyCharacters = 1000;
/** Fits on one line of the session list. */
const maxTitleCharacters = 60;

/** The start of every title request, by which it can be recognized. */
export const titleInstruction = 'You give titles to sessions of a coding assistant.';

/** Builds the request from the user's first prompt and the reply to it. */
function titlePrompt(request: string, reply: string): readonly Message[] {
  return new ContextBuilder().buildSimpleContext(
    `${titleInstruction} Answer with the title alone: three to seven words in the language of the ` +
      'request, that tell this session from others. Name the thing that is worked on. No quotes, no full stop.',
    `The request:\n${cut(request, maxRequestCharacters)}\n\nThe reply:\n${cut(reply, maxReplyCharacters)}`,
  );
}

/** Zero-width characters, tag characters included, can hide text. Joiners used by scripts and emoji are kept. */
const invisible =
  /[\u00AD\u061C\u180E\u200B\u200E\u200F\u2060-\u2065\u206A-\u206F\uFEFF\u{E0000}-\u{E0FFF}]/gu;

/** Returns the title in the model's answer on one line; undefined if there is none. */
export function cleanTitle(text: string): string | undefined {
  const bare = withoutEscapes(text).replace(/<think>[\s\S]*?(<\/think>|$)/g, '');
  const line = bare.split(/[\r\n\u2028\u2029]/).find((one) => /[\p{L}\p{N}]/u.test(one));
  if (line === undefined) return undefined;
  const plain = line
    .replace(/[\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/g, ' ')
    .replace(invisible, '')
    .replace(/\p{Surrogate}/gu, '\uFFFD')
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^(#+ |[*_]*title[*_]*: *)+/i, '')
    .replace(/^["'“”„«‹「『*_`]+|["'“”»›」』*_`.。]+$/g, '')
    .trim();
  return plain === '' ? undefined : shorten(plain);
}

function shorten(title: string): string {
  const characters = [...title];
  if (characters.length <= maxTitleCharacters) return title;
  const head = characters.slice(0, maxTitleCharacters - 1).join('');
  const space = head.lastIndexOf(' ');
  return `${space > maxTitleCharacters / 2 ? head.slice(0, space) : head}…`;
}

/** Cuts between code points, never inside a surrogate pair. */
function cut(text: string, length: number): string {
  const characters = [...text.slice(0, 2 * length)];
  return characters.length > length || text.length > 2 * length
    ? `${characters.slice(0, length).join('')} …`
    : text;
}

interface TitleJobPorts {
  readonly context: Pick<ContextManager, 'entries' | 'append' | 'recordRequest'>;
  readonly client: ModelClient;
  readonly clock: Clock;
  readonly model: () => ModelInfo;
  /** True while a turn runs or is about to start. */
  readonly isBusy: () => boolean;
  /** The `titles` setting. */
  readonly titles?: boolean;
  /** No titles in headless runs or for the demo model. */
  readonly interactive: boolean;
  readonly demo: boolean;
  /** Writes to the debug log. */
  readonly onError: (error: unknown) => void;
}

export interface TitleJob {
  /** Call with every event of the agent. */
  handle(event: AgentEvent): void;
  /** Aborts the running request; nothing is logged afterwards. */
  close(): Promise<void>;
}

/** Reasoning models need room to think; the title itself takes about a dozen tokens. */
const maxOutputTokens = 500;
/** Completed requests without a title after which no more are made. */
const maxTries = 2;

export function createTitleJob(ports: TitleJobPorts): TitleJob {
  let running: { readonly controller: AbortController; readonly done: Promise<void> } | undefined;
  let tries = 0;
  let isOver = ports.titles !== true || !ports.interactive || ports.demo;

  const start = (): void => {
    if (isOver || running !== undefined || tries >= maxTries) return;
    const words = firstWords(ports.context.entries());
    if (words === undefined) return;
    // If the server handles one request at a time, the next turn has priority.
    if (ports.model().hasOneSlot === true && ports.isBusy()) return;
    const controller = new AbortController();
    const done = ask(ports, words, controller.signal)
      .then((isAnswered) => {
        if (isAnswered) tries += 1;
      })
      .catch(ports.onError)
      .finally(() => {
        running = undefined;
      });
    running = { controller, done };
  };

  return {
    handle(event) {
      if (event.type === 'turn_started' && ports.model().hasOneSlot === true) running?.controller.abort();
      // The agent finishes the turn only after all subscribers have handled `turn_ended`.
      if (event.type === 'turn_ended' && event.outcome === 'done') setImmediate(start);
    },
    async close() {
      isOver = true;
      running?.controller.abort();
      await running?.done;
    },
  };
}

/** Returns the first prompt and its reply; undefined if the session has a title or its beginning is not loaded. */
function firstWords(
  entries: readonly JSONLEntry[],
): { readonly request: string; readonly reply: string } | undefined {
  const isWhole = entries.at(-1)?.seq === entries.length - 1;
  if (!isWhole || entries.some(({ subtype }) => subtype === 'title')) return undefined;
  const at = entries.findIndex(({ subtype }) => subtype === 'prompt');
  const request = contentText(entries[at]?.message.content);
  const end = entries.findIndex(({ subtype }, index) => index > at && subtype === 'turn_end');
  const reply = entries
    .slice(at, end === -1 ? undefined : end)
    .findLast((entry) => entry.type === 'assistant' && contentText(entry.message.content) !== '');
  return request.trim() === '' ? undefined : { request, reply: contentText(reply?.message.content) };
}

/** Returns false if the request was interrupted, which is not a try. */
async function ask(
  { client, clock, model, context }: TitleJobPorts,
  { request, reply }: { readonly request: string; readonly reply: string },
  signal: AbortSignal,
): Promise<boolean> {
  const { id } = model();
  const asked = { model: id, messages: titlePrompt(request, reply), tools: [], maxOutputTokens };
  const outcome = await streamReply(asked, { client, clock, signal, maxAttempts: 1, emit: () => {} });
  const end = outcome.type === 'failed' ? outcome.error.kind : outcome.type;
  await context.recordRequest({ purpose: 'title', outcome: end }, asked, outcome.sent);
  if (signal.aborted || outcome.type === 'interrupted') return false;
  if (outcome.type === 'failed') return true;
  const { message, usage, model: named } = outcome.reply;
  const title = cleanTitle(message.content);
  // The user may have set a title in the meantime.
  const isNamed = context.entries().some(({ subtype }) => subtype === 'title');
  const drafts = [
    ...(usage === undefined ? [] : [usageEntry(usage, named ?? id)]),
    ...(title === undefined || isNamed ? [] : [titleEntry(title, 'model')]),
  ];
  if (drafts.length > 0) await context.append(...drafts);
  return true;
}

function usageEntry(usage: Usage, model: string): NewEntry {
  return {
    type: 'system',
    subtype: 'usage',
    message: { role: 'system', content: '', model, usage: usageOf(usage) },
    data: { purpose: 'title' },
  };
}
