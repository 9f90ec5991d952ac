import type { Agent } from '../agent/types.ts';
import type { DisplayLine } from '../protocol/entries/defineKind.ts';
import { displayLineOf, type JSONLEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import { contentText } from '../protocol/messages.ts';
import type { PermissionQuestion } from '../protocol/permissions.ts';
import type { Denial } from './denials.ts';

/** Token counts as in stream-json: cached input is not part of `input_tokens`. */
export interface UsageFigures {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly cache_creation_input_tokens: number;
  readonly cache_read_input_tokens: number;
}

/** Usage and results of this run so far; excludes the past of a resumed session. */
export interface Tally {
  add(event: AgentEvent): void;
  /** Called before each prompt: text, duration and denials are those of one turn; usage and cost add up. */
  startTurn(): void;
  /** The text of the last reply. */
  text(): string;
  finishReason(): string | undefined;
  lastError(): string | undefined;
  durationMs(): number;
  apiDurationMs(): number;
  usageByModel(): ReadonlyMap<string, UsageFigures>;
  /** US dollars; undefined if a price of this model or the tokens of one of its requests are unknown. */
  costOfModel(model: string): number | undefined;
  /** False if there were replies and the server reported no tokens for any of them. */
  isCounted(): boolean;
  /** US dollars; undefined if a price or the tokens are unknown. */
  costUsd(): number | undefined;
  denials(): readonly Denial[];
  question(callId: string): PermissionQuestion | undefined;
}

/** Starts counting now. */
export function createTally(agent: Agent, now: () => number): Tally {
  let startedAt = now();
  const before = agent.state().usage;
  const usage = new Map<string, UsageFigures>();
  const costs = new Map<string, number | undefined>();
  /** The totals up to the last entry. */
  let totals = before;
  const calls = new Map<string, { name: string; input: unknown }>();
  const questions = new Map<string, PermissionQuestion>();
  let denials: readonly Denial[] = [];
  let text = '';
  let finishReason: string | undefined;
  let lastError: string | undefined;
  let apiMs = 0;
  let replies = 0;
  const isCounted = (): boolean => replies === 0 || usage.size > 0;

  /** Calls of subagents are counted with their own prefix: call ids are unique only within an agent. */
  const addCall = ({ tool, toolResult }: JSONLEntry, of = ''): void => {
    if (tool !== undefined) calls.set(of + tool.id, { name: tool.name, input: tool.input });
    if (toolResult?.status !== 'denied') return;
    const call = calls.get(of + toolResult.id);
    const name = call?.name ?? toolResult.name ?? '';
    const denial = { tool_name: name, tool_use_id: toolResult.id, tool_input: call?.input ?? {} };
    denials = [...denials, denial];
  };
  const addEntry = (entry: JSONLEntry): void => {
    const { message } = entry;
    const last = totals;
    totals = agent.state().usage;
    if (message.usage !== undefined) {
      const model = message.model ?? agent.state().model.id;
      const isKnown = totals.unpriced === last.unpriced && message.usage.estimated !== true;
      const cost = costs.has(model) ? costs.get(model) : 0;
      costs.set(model, isKnown && cost !== undefined ? cost + totals.knownUsd - last.knownUsd : undefined);
      if (message.usage.estimated !== true) usage.set(model, sum(usage.get(model), figures(message.usage)));
    }
    if (entry.type === 'assistant') {
      replies++;
      text = messageText(entry);
      finishReason = message.finishReason;
      apiMs += message.durationMs ?? 0;
    }
    addCall(entry);
  };

  return {
    startTurn() {
      startedAt = now();
      denials = [];
      [text, finishReason, lastError] = ['', undefined, undefined];
    },
    add(event) {
      if (event.type === 'entry') addEntry(event.entry);
      else if (event.type === 'subagent_entry') addCall(event.entry, `${event.id} `);
      else if (event.type === 'step_started') [text, finishReason] = ['', undefined];
      else if (event.type === 'permission_question' && event.question.callId !== undefined)
        questions.set(event.question.callId, event.question);
      else if (event.type === 'notice' && event.level === 'error') lastError = event.text;
    },
    text: () => text,
    finishReason: () => finishReason,
    lastError: () => lastError,
    durationMs: () => now() - startedAt,
    apiDurationMs: () => apiMs,
    usageByModel: () => usage,
    costOfModel: (model) => costs.get(model),
    isCounted,
    costUsd() {
      if (!isCounted()) return undefined;
      const { knownUsd, unpriced } = agent.state().usage;
      return unpriced > before.unpriced ? undefined : knownUsd - before.knownUsd;
    },
    denials: () => denials,
    question: (callId) => questions.get(callId),
  };
}

/** Converts one reply's usage to figures. */
export function figures(usage: NonNullable<JSONLEntry['message']['usage']>): UsageFigures {
  const { cached_tokens: cached = 0, cache_write_tokens: written = 0 } = usage;
  return {
    input_tokens: Math.max(0, usage.input_tokens - cached - written),
    output_tokens: usage.output_tokens,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
  };
}

/** The sum of two sets of figures. */
export function sum(a: UsageFigures | undefined, b: UsageFigures): UsageFigures {
  if (a === undefined) return b;
  return {
    input_tokens: a.input_tokens + b.input_tokens,
    output_tokens: a.output_tokens + b.output_tokens,
    cache_creation_input_tokens: a.cache_creation_input_tokens + b.cache_creation_input_tokens,
    cache_read_input_tokens: a.cache_read_input_tokens + b.cache_read_input_tokens,
  };
}

/** The text of an entry's message, in either form of its content. */
export function messageText({ message: { content } }: JSONLEntry): string {
  return contentText(content, '');
}

/** The text of a tool result for the model. */
export function resultText({ toolResult }: JSONLEntry): string {
  const output = toolResult?.output;
  return typeof output === 'string' ? output : JSON.stringify(output ?? '');
}

const kindsWithContextLine: ReadonlySet<string | undefined> = new Set([
  'reduction',
  'summary_failed',
  'hook',
]);

/** The display line of a reduction of the context, a failed summary or a hook; undefined for other entries. */
export function contextLineOf(entry: JSONLEntry): DisplayLine | undefined {
  if (!kindsWithContextLine.has(entry.subtype)) return undefined;
  return displayLineOf(entry, { seqOf: () => undefined });
}
