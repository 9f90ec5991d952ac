/**
 * The catalogue's facts about a session, folded over its entries. The state is plain data, so the fold can be
 * interrupted and continued later.
 */
import type { JSONLEntry } from '../../../protocol/entries.ts';
import type { SessionRecord } from '../../../protocol/sessions.ts';
import { firstLineOf, isPrompt, messageLine, titleText } from '../sessionSummary.ts';

interface ModelTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
  /** Absent = nothing was written to a cache with a separate price. */
  readonly written?: number;
}

export interface SessionFacts {
  /** Seq of the last entry plus one. */
  readonly entries: number;
  readonly prompts: number;
  readonly root?: string;
  readonly gitRemote?: string;
  readonly forkedFrom?: string;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number;
  readonly updatedAt?: number;
  readonly gitBranch?: string;
  readonly model?: string;
  readonly titles: { readonly [source in SessionRecord['titleSource']]?: string };
  readonly usage: Readonly<Record<string, ModelTokens>>;
  readonly lastLines: readonly string[];
  /** Present if something could not be read: after damage or the size limit of an archive, or a line that is too long. */
  readonly isPartial?: true;
}

export const noFacts: SessionFacts = { entries: 0, prompts: 0, titles: {}, usage: {}, lastLines: [] };

const maxLastLines = 6;

/** Adds one entry to the facts. A repeated line counts once. */
export function addFacts(facts: SessionFacts, entry: JSONLEntry): SessionFacts {
  if (entry.seq < facts.entries) return facts;
  const time = Date.parse(entry.timestamp);
  const line = messageLine(entry);
  return {
    ...facts,
    ...startFacts(entry),
    ...(entry.gitBranch === undefined ? {} : { gitBranch: entry.gitBranch }),
    ...(Number.isNaN(time) ? {} : { createdAt: facts.createdAt ?? time }),
    // A renamed session does not count as used, so it keeps its place in the list.
    ...(Number.isNaN(time) || isTitled(facts, entry) ? {} : { updatedAt: time }),
    ...(entry.subtype === 'model' && typeof entry.data?.model === 'string'
      ? { model: entry.data.model }
      : {}),
    entries: entry.seq + 1,
    prompts: facts.prompts + (isPrompt(entry) ? 1 : 0),
    titles: addTitle(facts.titles, entry),
    usage: addUsage(facts.usage, entry),
    lastLines: line === undefined ? facts.lastLines : [...facts.lastLines, line].slice(-maxLastLines),
  };
}

function isTitled(facts: SessionFacts, { subtype }: JSONLEntry): boolean {
  return subtype === 'title' && facts.updatedAt !== undefined;
}

/** The user's title takes precedence over the generated one, and both over the first prompt. */
export function bestTitle({ titles }: SessionFacts): Pick<SessionRecord, 'title' | 'titleSource'> {
  for (const source of ['user', 'model', 'prompt'] as const) {
    const title = titles[source];
    if (title !== undefined) return { title, titleSource: source };
  }
  return { title: '', titleSource: 'prompt' };
}

function startFacts(entry: JSONLEntry): Partial<SessionFacts> {
  if (entry.subtype !== 'session_start') return {};
  const { environment, configuration, forkedFrom } = entry.data ?? {};
  const remote = fieldOf(environment, 'gitRemote');
  const model = fieldOf(configuration, 'model');
  return {
    root: entry.cwd,
    ...(remote === undefined ? {} : { gitRemote: remote }),
    ...(model === undefined ? {} : { model }),
    ...(typeof forkedFrom === 'string' ? { forkedFrom } : {}),
  };
}

function addTitle(titles: SessionFacts['titles'], entry: JSONLEntry): SessionFacts['titles'] {
  const isTitle = entry.subtype === 'title';
  if (!isTitle && (titles.prompt !== undefined || !isPrompt(entry))) return titles;
  const text = firstLineOf(titleText(entry));
  if (text === '') return titles;
  const source = isTitle ? (entry.data?.source === 'model' ? 'model' : 'user') : 'prompt';
  return { ...titles, [source]: text };
}

function addUsage(usage: SessionFacts['usage'], { message }: JSONLEntry): SessionFacts['usage'] {
  const spent = message.usage;
  if (spent === undefined) return usage;
  const model = message.model ?? '';
  const known: Partial<ModelTokens> = Object.hasOwn(usage, model) ? (usage[model] ?? {}) : {};
  const { input = 0, output = 0, cached = 0 } = known;
  const written = (known.written ?? 0) + (spent.cache_write_tokens ?? 0);
  return {
    ...usage,
    [model]: {
      input: input + spent.input_tokens,
      output: output + spent.output_tokens,
      cached: cached + (spent.cached_tokens ?? 0),
      ...(written === 0 ? {} : { written }),
    },
  };
}

function fieldOf(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  const field: unknown = Reflect.get(value, name);
  return typeof field === 'string' && field !== '' ? field : undefined;
}
