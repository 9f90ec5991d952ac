/**
 * Breaks down what sessions cost. Reads entry by entry, so that memory does not grow with a log. Tokens and dollars of
 * requests are exact, as far as the server reports them. The cost of a tool or file is a share: its part of every prompt
 * that contained it, by length, and the calls that the model wrote. Pure.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { localDay } from '../../protocol/text/localTime.ts';
import { createShares, type Shares } from './shares.ts';
import {
  addSpending,
  byCostDescending,
  createTable,
  inputSpending,
  noSpending,
  outputSpending,
  type Row,
  type Spending,
} from './spending.ts';

export interface CostReport {
  readonly total: Row;
  /** Requests whose tokens the server did not report. */
  readonly estimatedRequests: number;
  /** The conversation, summaries, titles … */
  readonly purposes: readonly Row[];
  readonly models: readonly Row[];
  /** By local date. */
  readonly days: readonly Row[];
  readonly subagents: readonly Row[];
  /** Shares of the conversation, by tool and other content. */
  readonly tools: readonly Row[];
  readonly files: readonly Row[];
  /** The most expensive turns. */
  readonly turns: readonly TurnRow[];
  /** The most expensive cache misses, and the total number of them. */
  readonly misses: readonly CacheMiss[];
  readonly missCount: number;
}

interface TurnRow extends Row {
  /** Position of the prompt. */
  readonly seq: number;
  readonly session: string;
}

interface CostReader {
  /** Begins another log. */
  begin(session: string): void;
  see(entry: JSONLEntry): void;
  /** Call once, at the end. */
  report(): CostReport;
}

type UsageEntry = NonNullable<JSONLEntry['message']['usage']>;

/** Turns and misses kept while reading, and included in a report. */
const KEPT = 200;
const REPORTED = 50;
/** Copies of a session have the same entries: each request counts once, up to this many. */
const MAX_KNOWN = 500_000;
const MAX_TITLE = 100;

export function createCostReader(
  priceOf: (model: string) => ModelInfo['price'],
  { isOverall = false }: { readonly isOverall?: boolean } = {},
): CostReader {
  const known = new Set<string>();
  const tables = {
    purposes: createTable(),
    models: createTable(),
    days: createTable(),
    subagents: createTable(),
  };
  const content = { tools: createTable(), files: createTable() };
  let total: Row = { name: 'total', requests: 0, ...noSpending };
  let estimatedRequests = 0;
  let turns: TurnRow[] = [];
  const misses = followMisses(priceOf);
  let [session, turn]: [string, TurnRow | undefined] = ['', undefined];
  let shares: Shares = createShares(content);
  /** The subagents of this log by id, and their names, which come later. */
  let agents = createTable();
  const names = new Map<string, string>();

  const endTurn = (): void => {
    if (turn !== undefined && turn.requests > 0) turns.push(turn);
    turn = undefined;
    if (turns.length > 2 * KEPT) turns = turns.toSorted(byCostDescending).slice(0, KEPT);
  };
  /** Across sessions, ids are meaningless. */
  const endAgents = (): void => {
    for (const { name: id, requests, ...spent } of agents.rows()) {
      const name = names.get(id) ?? '';
      tables.subagents.add(isOverall && name !== '' ? name : `${id} ${name}`.trimEnd(), spent, requests);
    }
    agents = createTable();
    names.clear();
  };
  const spend = (entry: JSONLEntry, usage: UsageEntry): Spending => {
    const model = entry.message.model ?? 'unknown';
    const spent = spendingOf(usage, priceOf(model));
    if (usage.estimated === true) estimatedRequests += 1;
    total = { ...total, ...addSpending(total, spent), requests: total.requests + 1 };
    const purpose = purposeOf(entry);
    tables.purposes.add(purpose, spent, 1);
    tables.models.add(model, spent, 1);
    tables.days.add(dayOf(entry.timestamp), spent, 1);
    const agent =
      entry.subtype === 'usage' ? /^subagent (\S+)/.exec(entry.data?.purpose ?? '')?.[1] : undefined;
    if (agent !== undefined) agents.add(agent, spent, 1);
    if (turn !== undefined) turn = { ...turn, ...addSpending(turn, spent), requests: turn.requests + 1 };
    return spent;
  };
  return {
    begin(name) {
      endTurn();
      session = name;
      misses.begin();
      shares = createShares(content);
      endAgents();
    },
    see(entry) {
      const { usage } = entry.message;
      if (entry.subtype === 'prompt') {
        endTurn();
        turn = {
          name: firstLine(entry.message.content),
          seq: entry.seq,
          session,
          requests: 0,
          ...noSpending,
        };
      }
      const agent = entry.toolResult?.display?.agent;
      if (agent !== undefined) names.set(agent.id, agent.name);
      const isCopy = usage !== undefined && known.has(entry.uuid);
      if (usage !== undefined && known.size < MAX_KNOWN) known.add(entry.uuid);
      if (usage !== undefined && !isCopy) spend(entry, usage);
      misses.see(entry);
      const price = entry.type === 'assistant' ? priceOf(entry.message.model ?? '') : undefined;
      shares.see(entry, price, isCopy);
      if (entry.type === 'assistant' && usage !== undefined && !isCopy) misses.answered(entry, usage);
    },
    report() {
      endTurn();
      endAgents();
      return {
        total,
        estimatedRequests,
        purposes: tables.purposes.rows(),
        models: tables.models.rows(),
        days: tables.days.rows().toSorted((a, b) => (a.name < b.name ? -1 : 1)),
        subagents: tables.subagents.rows(),
        tools: content.tools.rows(),
        files: content.files.rows(),
        turns: turns.toSorted(byCostDescending).slice(0, REPORTED),
        ...misses.report(),
      };
    },
  };
}

/** Follows the requests of a session, and keeps those that found less in the cache than they should have. */
function followMisses(priceOf: (model: string) => ModelInfo['price']) {
  let misses: CacheMiss[] = [];
  let missCount = 0;
  let before: AnsweredRequest | undefined;
  let change: ReturnType<typeof prefixChange>;
  /** Models whose server reports cached tokens. */
  const caching = new Set<string>();
  return {
    begin(): void {
      [before, change] = [undefined, undefined];
    },
    see(entry: JSONLEntry): void {
      change = prefixChange(entry) ?? change;
    },
    answered(entry: JSONLEntry, usage: UsageEntry): void {
      const now = requestOf(entry, usage);
      if (usage.cached_tokens !== undefined) caching.add(now.model);
      const miss =
        before !== undefined && caching.has(now.model) && usage.estimated !== true
          ? missOf(before, now, change)
          : undefined;
      if (miss !== undefined) {
        const price = priceOf(now.model);
        const extra = price && (miss.tokens * ((price.cacheWrite ?? price.input) - price.cachedInput)) / 1e6;
        misses.push({ ...miss, costUsd: extra ?? null });
        missCount += 1;
        if (misses.length > 2 * KEPT) misses = costliestMisses(misses).slice(0, KEPT);
      }
      [before, change] = [now, undefined];
    },
    report: () => ({ misses: costliestMisses(misses).slice(0, REPORTED), missCount }),
  };
}

function costliestMisses(misses: readonly CacheMiss[]): CacheMiss[] {
  return misses.toSorted((a, b) => (b.costUsd ?? 0) - (a.costUsd ?? 0) || b.tokens - a.tokens);
}

function spendingOf(usage: UsageEntry, price: ModelInfo['price']): Spending {
  const { input_tokens: input, output_tokens: output, cached_tokens = 0, cache_write_tokens = 0 } = usage;
  const cached = Math.min(cached_tokens, input);
  const written = Math.min(cache_write_tokens, input - cached);
  return addSpending(inputSpending(input, cached, written, price), outputSpending(output, price));
}

/** Logs of earlier versions have neither the request nor the requested model. */
function requestOf(entry: JSONLEntry, usage: UsageEntry): AnsweredRequest {
  const request = entry.type === 'assistant' ? entry.data?.request : undefined;
  const { hash: _, ...options } = request?.sent.at(-1) ?? { hash: '' };
  return {
    seq: entry.seq,
    time: entry.timestamp,
    model: request?.model ?? entry.message.model ?? 'unknown',
    inputTokens: usage.input_tokens,
    cachedTokens: usage.cached_tokens ?? 0,
    tools: request?.tools,
    // The number of stable messages grows with the conversation.
    options: JSON.stringify({ ...options, stableMessages: 0 }),
  };
}

function purposeOf({ type, subtype, data }: JSONLEntry): string {
  if (type === 'assistant') return 'conversation';
  if (subtype === 'judgement') return 'judge';
  const purpose = subtype === 'usage' ? (data?.purpose ?? 'other') : 'other';
  return purpose.startsWith('subagent ') ? 'subagents' : purpose;
}

function dayOf(timestamp: string): string {
  const date = new Date(timestamp);
  return Number.isNaN(date.getTime()) ? 'unknown' : localDay(date);
}

function firstLine(content: unknown): string {
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const text = parts
    .map((part) => (typeof part === 'string' ? part : ((part as { text?: unknown } | null)?.text ?? '')))
    .join(' ');
  return (text.trimStart().split('\n', 1)[0] ?? '').slice(0, MAX_TITLE).toWellFormed();
}

// Why a request was not served from the provider's prompt cache, although the one before it had filled it. Pure.

type MissReason = 'model' | 'context' | 'tools' | 'options' | 'time' | 'server';

interface CacheMiss {
  /** Position of the reply. */
  readonly seq: number;
  readonly time: string;
  readonly reason: MissReason;
  /** What changed, in a few words. */
  readonly detail: string;
  /** The entry that changed the beginning of the prompt. */
  readonly entry?: number;
  /** Tokens that were read again at full price. */
  readonly tokens: number;
  readonly costUsd: number | null;
}

/** A request of the conversation that has been answered. */
interface AnsweredRequest {
  readonly seq: number;
  readonly time: string;
  readonly model: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  /** Hash of the tools, and what else decides the beginning of the body. */
  readonly tools: string | undefined;
  readonly options: string;
}

/** Milliseconds: the providers keep a prompt for five to ten minutes after its last use. */
const CACHE_LIFE_MS = 5 * 60_000;
/** Shorter prompts are not cached by any provider. */
const MIN_TOKENS = 2048;

/** An entry that changes what comes before it in the prompt, in a few words; undefined for all others. */
function prefixChange({ seq, subtype, data }: JSONLEntry): { seq: number; what: string } | undefined {
  switch (subtype) {
    case 'compact_boundary':
      return { seq, what: 'compaction' };
    case 'reduction':
      return data?.kind === 'window' ? undefined : { seq, what: `reduction (${String(data?.kind ?? '?')})` };
    case 'rewind':
      return data?.scope === 'files' ? undefined : { seq, what: 'rewind' };
    case 'undo':
      return { seq, what: 'undo' };
    default:
      return undefined;
  }
}

/** The miss of `now`; undefined if at least half of the previous prompt came from the cache, or none could. */
function missOf(
  before: AnsweredRequest,
  now: AnsweredRequest,
  change: ReturnType<typeof prefixChange>,
): Omit<CacheMiss, 'costUsd'> | undefined {
  const held = Math.min(before.inputTokens, now.inputTokens);
  if (held < MIN_TOKENS || now.cachedTokens * 2 >= held) return undefined;
  const { seq, time } = now;
  return { seq, time, ...causeOf(before, now, change), tokens: held - now.cachedTokens };
}

function causeOf(
  before: AnsweredRequest,
  now: AnsweredRequest,
  change: ReturnType<typeof prefixChange>,
): Pick<CacheMiss, 'reason' | 'detail' | 'entry'> {
  if (before.model !== now.model) return { reason: 'model', detail: `from ${before.model} to ${now.model}` };
  if (change !== undefined) return { reason: 'context', detail: change.what, entry: change.seq };
  if (before.tools !== now.tools) return { reason: 'tools', detail: 'other tools were offered' };
  if (before.options !== now.options)
    return { reason: 'options', detail: 'effort or another option changed' };
  const gap = Date.parse(now.time) - Date.parse(before.time);
  if (gap >= CACHE_LIFE_MS) return { reason: 'time', detail: `${shortAge(gap)} after the last request` };
  return { reason: 'server', detail: '' };
}

function shortAge(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}
