/** Why a request was not served from the provider's prompt cache, although the one before it had filled it. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';

type MissReason = 'model' | 'context' | 'tools' | 'options' | 'time' | 'server';

export interface CacheMiss {
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
export interface AnsweredRequest {
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
export function prefixChange({ seq, subtype, data }: JSONLEntry): { seq: number; what: string } | undefined {
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
export function missOf(
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
