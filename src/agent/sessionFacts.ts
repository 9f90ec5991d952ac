/** Facts about a session, computed from its log by pure functions. */
import { foldLog, usageOfSession } from '../context/index.ts';
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { Usage } from '../protocol/messages.ts';
import { type Effort, efforts } from '../protocol/models/wires.ts';
import { type PermissionMode, permissionModes } from '../protocol/permissions.ts';

/** Returns the last permission mode in the log; undefined if it was never changed. */
export function lastMode(entries: readonly JSONLEntry[]): PermissionMode | undefined {
  return createModeTracker()(entries);
}

/** Like `lastMode`, for a log that grows: reads only new entries. */
export function createModeTracker(): (entries: readonly JSONLEntry[]) => PermissionMode | undefined {
  return foldLog<PermissionMode | undefined>(undefined, (mode, entry) => modeOf(entry) ?? mode);
}

/** The modes before plan mode. They differ if the user cycled through a mode to reach plan mode. */
interface ModesBeforePlan {
  /** The last one in which the conversation continued. */
  readonly used: PermissionMode | undefined;
  /** The last one selected. */
  readonly last: PermissionMode | undefined;
}

/** Returns a function for these modes of a growing log, after the entry with this `seq`. Reads only new entries. */
export function createPlanTracker(after = -1): (entries: readonly JSONLEntry[]) => ModesBeforePlan {
  const none: ModesBeforePlan & { readonly current?: PermissionMode } = { used: undefined, last: undefined };
  const read = foldLog(none, (known, entry) => {
    if (entry.seq <= after) return known;
    const mode = modeOf(entry);
    if (mode !== undefined) return { ...known, current: mode, ...(mode !== 'plan' && { last: mode }) };
    const { current } = known;
    const isWork = entry.type !== 'system' && current !== 'plan';
    return isWork && known.used !== current ? { ...known, used: current } : known;
  });
  return (entries) => {
    const { used, last } = read(entries);
    return { used, last };
  };
}

/** A model by its full name, and the provider in that name; undefined for the default endpoint. */
interface UsedModel {
  readonly model: string;
  readonly provider?: string;
}

/** Returns the model chosen last, or the one that the session started with. */
export function lastModel(entries: readonly JSONLEntry[]): UsedModel | undefined {
  const chosen = entries.findLast((one) => one.subtype === 'model')?.data;
  const configuration = entries.find((one) => one.subtype === 'session_start')?.data?.configuration;
  return usedModel(chosen) ?? usedModel(configuration);
}

function usedModel(data: object | undefined): UsedModel | undefined {
  const { model, provider } = (data ?? {}) as { readonly model?: unknown; readonly provider?: unknown };
  if (typeof model !== 'string') return undefined;
  return { model, ...(typeof provider === 'string' ? { provider } : {}) };
}

/** Returns the effort chosen last; null for the model's own default, undefined if none was chosen in the session. */
export function lastEffort(entries: readonly JSONLEntry[]): Effort | null | undefined {
  const chosen = entries.findLast((one) => one.subtype === 'effort');
  if (chosen === undefined) return undefined;
  return efforts.find((level) => level === chosen.data?.effort) ?? null;
}

/** Returns the shell's last directory according to the live entries; undefined if there are none. */
export function lastCwd(entries: readonly JSONLEntry[]): string | undefined {
  return entries.findLast(hasReliableCwd)?.cwd;
}

/**
 * False for entries whose `cwd` may be wrong: results that a resume adds for interrupted calls, and entries of a rewind
 * or undo, which are written before the shell's directory changes.
 */
function hasReliableCwd({ toolResult, subtype }: JSONLEntry): boolean {
  return toolResult?.status !== 'interrupted' && subtype !== 'rewind' && subtype !== 'undo';
}

/**
 * Returns a function for the title of a growing log: the user's newest, else the model's newest, else the first line of
 * the first prompt. Reads only new entries.
 */
export function createTitleTracker(): (entries: readonly JSONLEntry[]) => string | undefined {
  const titles = foldLog<TitleSources>({}, addTitle);
  return (entries) => titles(entries).title;
}

/** The entries that a title may come from. */
interface TitleSources {
  readonly users?: JSONLEntry;
  readonly models?: JSONLEntry;
  readonly prompt?: JSONLEntry;
  readonly title?: string | undefined;
}

function addTitle(known: TitleSources, entry: JSONLEntry): TitleSources {
  const found = sourceIn(known, entry);
  if (found === undefined) return known;
  const { users, models, prompt } = { ...known, ...found };
  return { ...known, ...found, title: firstLine(users ?? models ?? prompt) };
}

function sourceIn({ prompt }: TitleSources, entry: JSONLEntry): TitleSources | undefined {
  if (entry.subtype === 'title') return entry.data?.source === 'model' ? { models: entry } : { users: entry };
  return entry.subtype === 'prompt' && prompt === undefined ? { prompt: entry } : undefined;
}

function firstLine(source: JSONLEntry | undefined): string | undefined {
  const content = source?.message.content;
  if (typeof content !== 'string') return undefined;
  const [line = ''] = content.trimStart().slice(0, 1000).split('\n');
  // Cuts between code points, never inside a surrogate pair.
  return [...line.trimEnd()].slice(0, 200).join('');
}

/** The entry that gives a session a title: the user's, which overrides the model's, or the model's. */
export function titleEntry(title: string, source: 'user' | 'model' = 'user'): NewEntry {
  return {
    type: 'system',
    subtype: 'title',
    message: { role: 'system', content: title },
    data: { source },
  };
}

function modeOf(entry: JSONLEntry): PermissionMode | undefined {
  const mode = entry.subtype === 'mode' ? entry.data?.mode : undefined;
  return permissionModes.find((known) => known === mode);
}

export interface Totals extends Usage {
  readonly cachedTokens: number;
  readonly requests: number;
  /** How many of the requests are estimated, because the server reported no tokens. */
  readonly estimated: number;
  /** US dollars; `undefined` as soon as one request had no known price. */
  readonly costUsd: number | undefined;
  /** US dollars of the requests whose price is known. */
  readonly knownUsd: number;
  /** How many of the requests have no known price. */
  readonly unpriced: number;
}

const noTotals: Totals = {
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  requests: 0,
  estimated: 0,
  costUsd: 0,
  knownUsd: 0,
  unpriced: 0,
};

/** The usage and cost of a session so far, when it is opened. */
export function totalsOf(
  entries: readonly JSONLEntry[],
  costUsd: (model: string, usage: Usage) => number | undefined,
): Totals {
  return usageOfSession(entries).reduce((totals, { model, requests, estimated = 0, ...usage }) => {
    const cost = costUsd(model, usage);
    return {
      inputTokens: totals.inputTokens + usage.inputTokens,
      outputTokens: totals.outputTokens + usage.outputTokens,
      cachedTokens: totals.cachedTokens + usage.cachedTokens,
      requests: totals.requests + requests,
      estimated: totals.estimated + estimated,
      ...withCost(totals, cost, requests),
    };
  }, noTotals);
}

function withCost(totals: Totals, cost: number | undefined, requests: number) {
  const knownUsd = totals.knownUsd + (cost ?? 0);
  const unpriced = totals.unpriced + (cost === undefined ? requests : 0);
  return { knownUsd, unpriced, costUsd: unpriced === 0 ? knownUsd : undefined };
}

/** Adds what one entry cost: replies, and `usage` entries (summaries). */
export function addEntry(
  totals: Totals,
  entry: JSONLEntry,
  costUsd: (model: string, usage: Usage) => number | undefined,
): Totals {
  const spent = entry.message.usage;
  if (spent === undefined) return totals;
  const usage: Usage = {
    inputTokens: spent.input_tokens,
    outputTokens: spent.output_tokens,
    ...(spent.cached_tokens === undefined ? {} : { cachedTokens: spent.cached_tokens }),
    ...(spent.cache_write_tokens === undefined ? {} : { cacheWriteTokens: spent.cache_write_tokens }),
  };
  const cost = costUsd(entry.message.model ?? '', usage);
  return {
    inputTokens: totals.inputTokens + usage.inputTokens,
    outputTokens: totals.outputTokens + usage.outputTokens,
    cachedTokens: totals.cachedTokens + (usage.cachedTokens ?? 0),
    requests: totals.requests + 1,
    estimated: totals.estimated + (spent.estimated === true ? 1 : 0),
    ...withCost(totals, cost, 1),
  };
}
