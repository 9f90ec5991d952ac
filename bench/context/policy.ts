/** What a policy sees and gives: items of a request, before they are bytes. */
import type { Sized } from './cache.ts';
import type { Trace, TraceEvent } from './trace/types.ts';

export interface Block extends Sized {
  /** Written only where somebody looks for a fact in it. */
  readonly text: () => string;
}

export interface PromptItem {
  readonly kind: 'prompt';
  readonly block: Block;
}

/** One reply with its results: never parted. */
export interface StepItem {
  readonly kind: 'step';
  /** Index of the event in the trace; as a pointer `#<event>`. */
  readonly event: number;
  readonly step: Extract<TraceEvent, { type: 'step' }>;
  readonly reply: Block;
  readonly results: readonly Block[];
  readonly isMasked: boolean;
}

/** Something that a policy wrote: a summary, quoted files, a ledger. */
export interface MadeItem {
  readonly kind: 'summary' | 'files' | 'ledger';
  readonly block: Block;
  /** Steps that it stands for. */
  readonly covers: number;
  readonly facts?: Facts;
  /** Paths that were read and modified in the part that it stands for. */
  readonly files?: FileLists;
}

export interface FileLists {
  readonly read: readonly string[];
  readonly modified: readonly string[];
}

/** What a program knows for certain of the part that something stands for. */
export interface Facts {
  /** Edited, each once, newest last. */
  readonly paths: readonly string[];
  /** Sentences of the user that have to hold on. */
  readonly constraints: readonly Quote[];
  /** The model's own. */
  readonly decisions: readonly Quote[];
}

/** A sentence, looked for only where words matter; empty when there is none. */
export type Quote = () => string;

export type Item = PromptItem | StepItem | MadeItem;

export interface Moment {
  readonly trace: Pick<Trace, 'windowTokens' | 'fixedTokens'>;
  /** Tokens of the request as it would be sent. */
  readonly tokens: number;
  /** True when the provider's cache holds nothing of it, so that rewriting costs nothing extra. */
  readonly isCold: boolean;
  /** True right after a prompt. */
  readonly isPrompt: boolean;
  /** What a file says on disk now; absent where a trace has no files. */
  readonly readFile?: (path: string) => string | undefined;
}

/** One call to a model that writes a summary. */
export interface SummaryCall {
  /** Same system, tools and messages: served from the cache. Otherwise `inputTokens` are paid for. */
  readonly rides: boolean;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export interface Change {
  readonly items: readonly Item[];
  /** `summary` loses what the summary does not say; the others keep a pointer to all that they leave out. */
  readonly kind: 'mask' | 'summary';
  readonly calls: readonly SummaryCall[];
}

/** Decides before each request; remembers between calls what it likes. */
export type Reducer = (items: readonly Item[], moment: Moment, make: Maker) => Change | undefined;

export interface Policy {
  readonly name: string;
  /** A reducer for one session. */
  readonly start: () => Reducer;
}

/** Makes blocks with ids of their own. */
export interface Maker {
  block(tokens: number, text: () => string): Block;
  /** Tokens of a line, where texts are counted and not only planned. */
  readonly count?: (line: string) => number;
}

export function blocksOf(item: Item): readonly Block[] {
  return item.kind === 'step' ? [item.reply, ...item.results] : [item.block];
}

export function itemTokens(item: Item): number {
  let sum = 0;
  for (const { tokens } of blocksOf(item)) sum += tokens;
  return sum;
}

export function tokensOfItems(items: readonly Item[]): number {
  return items.reduce((sum, item) => sum + itemTokens(item), 0);
}

/** Index of the first item of the newest ones that fit into `tokens`; at least one fits always. */
export function tailStart(items: readonly Item[], tokens: number): number {
  let sum = 0;
  for (let index = items.length - 1; index >= 0; index--) {
    const item = items[index];
    if (item === undefined) break;
    sum += itemTokens(item);
    if (sum > tokens) return Math.min(index + 1, items.length - 1);
  }
  return 0;
}
