/**
 * A plain list of messages as a session's log would show it, brought into a budget and a window of rounds: for
 * `ContextBuilder`, where there is no session.
 */
import { type ContextSettings, contextSettingsSchema } from '../../protocol/contextSettings.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { Message, ToolSchema } from '../../protocol/messages.ts';
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
  /** Tokens of everything together. */
  readonly totalBudget: number;
  /** Newest rounds that are shown at most. */
  readonly slidingWindowSize: number;
  readonly enableSummary: boolean;
  readonly enableMemoryRetrieval: boolean;
  readonly enableToolResultCompression: boolean;
  readonly enableInstructionPinning: boolean;
}

/** S2's figures. A session takes the model's window and shows every round unless the settings say otherwise. */
export const DEFAULT_CONTEXT_CONFIG: ContextBuilderConfig = {
  totalBudget: 48_000,
  slidingWindowSize: 20,
  enableSummary: true,
  enableMemoryRetrieval: true,
  enableToolResultCompression: true,
  enableInstructionPinning: true,
};

/** The same for a session: what its settings and its window make of S2's figures. */
export function configOf(settings: ContextSettings, totalBudget: number): ContextBuilderConfig {
  return {
    totalBudget,
    slidingWindowSize: settings.slidingWindowSize ?? Number.POSITIVE_INFINITY,
    enableSummary: settings.compact.auto,
    enableMemoryRetrieval: settings.memory.enabled,
    enableToolResultCompression: settings.toolResultCompression,
    enableInstructionPinning: settings.instructionPinning,
  };
}

/** What a conversation has before this request; all of it optional. */
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
  /** Adds the prompt at the end, also where the thread has it already. */
  readonly includeCurrentInput?: boolean;
}

/** The view of what has room. The prompt is always in it; `addsInput`: at the end, as the thread did not have it there. */
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

/** S2's headings, in the language of what they head. */
function headed(english: string, chinese: string, text: string): string {
  return `${getChineseRatio(text) > 0.2 ? chinese : english}\n${text}`;
}

/** Tokens of a tool result in a context built from messages; a session bounds them when they arrive. */
const RESULT_TOKENS = 1000;
/** Around a message. */
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

/** As a log would have them; nothing refers to their places. */
function entriesOf(entries: readonly NewEntry[]): JSONLEntry[] {
  return entries.map((entry, seq) => ({
    ...{ v: 1, seq, uuid: `${seq}`, parentUuid: null, sessionId: '', timestamp: '', cwd: '', version: '' },
    ...entry,
  }));
}
