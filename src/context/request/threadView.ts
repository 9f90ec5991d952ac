/**
 * Converts a plain list of messages to the view that a session's log would have, reduced to a budget and a number of
 * rounds. Lets `ContextBuilder` work without a session.
 */

import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { contextSettingsSchema } from '../../protocol/settings/contextSettings.ts';
import { groupAtoms, isPrompt } from '../history/atoms.ts';
import { newestRounds, tailStart } from '../history/rounds.ts';
import type { View } from '../history/view.ts';
import { reminderText } from '../memory/ActiveTaskService.ts';
import { messageEntry, toolResultEntry, toolUseEntry } from '../storage/newEntries.ts';
import type { TokenCounter } from '../TokenCounter.ts';
import { allocateBudget, type ContextBudget, TokenBudgetTracker } from '../tokens/budgets.ts';
import { getChineseRatio, HIGH } from '../tokens/estimate.ts';
import { truncateToTokens } from '../tokens/truncate.ts';
import { RequestSizer } from './RequestSizer.ts';
import { renderAtom } from './standardMessages.ts';
import { filterOrphanToolMessages } from './validateRequest.ts';

export interface ContextBuilderConfig {
  /** Total tokens. */
  readonly totalBudget: number;
  /** Maximum number of newest rounds. */
  readonly slidingWindowSize: number;
  readonly enableSummary: boolean;
  readonly enableMemoryRetrieval: boolean;
  readonly enableToolResultCompression: boolean;
  readonly enableInstructionPinning: boolean;
}

/** Defaults without a session. A session uses the model's window and, unless its settings limit them, all rounds. */
export const DEFAULT_CONTEXT_CONFIG: ContextBuilderConfig = {
  totalBudget: 48_000,
  slidingWindowSize: 20,
  enableSummary: true,
  enableMemoryRetrieval: true,
  enableToolResultCompression: true,
  enableInstructionPinning: true,
};

/** Content of a conversation before this request; all parts are optional. */
export interface Thread {
  readonly summary?: string;
  readonly memories?: readonly string[];
  readonly messages?: readonly Message[];
}

interface ThreadInput extends Thread {
  readonly prompt: string;
  readonly systemPrompt: string;
}

interface ThreadViewOptions {
  readonly config: ContextBuilderConfig;
  readonly counter: TokenCounter;
  readonly tools?: readonly ToolSchema[];
  /** Adds the prompt at the end even if the thread already contains it. */
  readonly includeCurrentInput?: boolean;
}

/** Selects the messages that fit. The prompt is always included; `addsInput`: it was added at the end. */
export function viewOfThread(
  { summary = '', memories = [], messages = [], prompt, systemPrompt }: ThreadInput,
  { config, counter, tools = [], includeCurrentInput }: ThreadViewOptions,
): { readonly view: View; readonly addsInput: boolean; readonly warnings: readonly string[] } {
  const caps = sharesOf(config);
  const history = filterOrphanToolMessages(messages).map((message) =>
    config.enableToolResultCompression ? shortened(message) : message,
  );
  const isThere = history.findLast(({ role }) => role === 'user')?.content === prompt;
  const addsInput = prompt !== '' && (includeCurrentInput === true || !isThere);
  const note = (subtype: 'memory' | 'reminder', text: string, cap: number): NewEntry[] =>
    text.trim() === ''
      ? []
      : [{ type: 'user', subtype, message: { role: 'user', content: within(text, cap) } }];
  const before = note(
    'memory',
    config.enableMemoryRetrieval && memories.length > 0
      ? headed('[Memories that may matter]', '[相关历史记忆]', memories.map((one) => `- ${one}`).join('\n'))
      : '',
    caps.retrieved,
  );
  const pins = config.enableInstructionPinning && prompt !== '' && history.length > 0;
  const input = addsInput ? [messageEntry('user', prompt)] : [];
  const after = [...input, ...note('reminder', pins ? reminderText(prompt, []) : '', caps.systemPrompt)];
  const bare = emptyView(systemPrompt, config.enableSummary ? within(summary, caps.summary) : '');
  const fixed = { ...bare, atoms: groupAtoms(entriesOf([...before, ...after])) };
  const tracker = new TokenBudgetTracker(config.totalBudget);
  tracker.allocate(
    'fixed',
    Math.min(config.totalBudget, new RequestSizer(counter).of(fixed, tools, {}).total),
  );
  const room = tracker.getRemaining();
  const atoms = groupAtoms(entriesOf(history.flatMap(newEntriesOf)));
  const sizeOf = (atom: (typeof atoms)[number]): number =>
    counter.countMessages(renderAtom(atom, { replacements: none }, {})) - counter.countMessages([]);
  const isNewest = atoms.findLastIndex(({ head }) => isPrompt(head));
  const byTokens = tailStart(atoms, { tokens: room, sizeOf, isRequired: (_, index) => index === isNewest });
  const rounds = { rounds: config.slidingWindowSize, tokens: Number.POSITIVE_INFINITY, sizeOf };
  const start = Math.max(byTokens, newestRounds(atoms, rounds) ?? 0);
  const view = {
    ...fixed,
    atoms: [...groupAtoms(entriesOf(before)), ...atoms.slice(start), ...groupAtoms(entriesOf(after))],
  };
  return { view, addsInput, warnings: headWarnings(systemPrompt, tools, counter, caps.systemPrompt) };
}

function headWarnings(
  systemPrompt: string,
  tools: readonly ToolSchema[],
  counter: TokenCounter,
  cap: number,
): readonly string[] {
  const head = counter.countTools(tools) + counter.countText(systemPrompt);
  return head > cap ? [`Tools and system prompt take ${head} tokens, more than their share of ${cap}.`] : [];
}

const none: ReadonlyMap<string, string> = new Map();

function sharesOf({ totalBudget }: ContextBuilderConfig): ContextBudget {
  return allocateBudget(totalBudget, contextSettingsSchema.parse({}).budget);
}

/** Adds a heading in the language of the text. */
function headed(english: string, chinese: string, text: string): string {
  return `${getChineseRatio(text) > 0.2 ? chinese : english}\n${text}`;
}

/** Maximum tokens of a tool result here; a session shortens results when they arrive. */
const RESULT_TOKENS = 1000;
/** Tokens of the frame around a message. */
const MESSAGE = 4;

function within(text: string, maxTokens: number): string {
  return truncateToTokens(text.trim(), Math.max(0, maxTokens - MESSAGE), '…', HIGH);
}

function shortened(message: Message): Message {
  if (message.role !== 'tool') return message;
  return { ...message, content: truncateToTokens(message.content, RESULT_TOKENS, '\n... (cut)', HIGH) };
}

function emptyView(systemPrompt: string, summary: string): View {
  const text = headed('[Background of the conversation]', '[对话背景摘要]', summary);
  const [entry] = summary === '' ? [] : entriesOf([messageEntry('user', text)]);
  return {
    systemPrompt,
    instructions: [],
    summary: entry,
    userMessages: [],
    atoms: [],
    replacements: none,
    pinned: new Set(),
  };
}

function newEntriesOf(message: Message): NewEntry[] {
  switch (message.role) {
    case 'assistant':
      return [messageEntry('assistant', message.content), ...message.toolCalls.map(toolUseEntry)];
    case 'tool': {
      const { toolCallId: id, name, content: output, isError } = message;
      return [toolResultEntry({ id, name, output, status: isError ? 'error' : 'ok' })];
    }
    default:
      return [messageEntry(message.role, message.content)];
  }
}

/** Numbers the entries like a log; nothing refers to the numbers. */
function entriesOf(entries: readonly NewEntry[]): JSONLEntry[] {
  return entries.map((entry, seq) => ({
    ...{ v: 1, seq, uuid: `${seq}`, parentUuid: null, sessionId: '', timestamp: '', cwd: '', version: '' },
    ...entry,
  }));
}
