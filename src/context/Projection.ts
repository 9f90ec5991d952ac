/**
 * One session's log as a request: messages, measures, and what the log teaches about the model (true window,
 * calibration) and the files. All of it is derived from the entries, so a resumed session has the same.
 */
import type { JSONLEntry } from '../protocol/entries.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import type { Message, ToolSchema } from '../protocol/messages.ts';
import { type ProjectionPolicy, renderView } from './ContextBuilder.ts';
import { lastCompaction, reductionSchema, type View, viewOf } from './history/view.ts';
import { measureRequest, sizeOfView } from './measure.ts';
import type { SessionLog } from './storage/index.ts';
import { TokenCounter } from './TokenCounter.ts';
import { type WindowBudget, windowBudget } from './tokens/budgets.ts';
import { TokenBudgetTracker } from './tokens/TokenBudgetTracker.ts';
import type { ContextManagerDeps } from './types.ts';

export class Projection {
  readonly counter = new TokenCounter();
  /** Messages that were found valid. */
  readonly checked = new WeakSet<Message>();
  /** What the last request was counted as, uncalibrated; undefined before the first. */
  lastCounted: number | undefined;
  readonly #log: SessionLog;
  readonly #deps: Pick<ContextManagerDeps, 'model' | 'settings'>;
  readonly #snippets = new Map<string, string>();
  readonly #windows = new Map<string, number>();
  readonly #files = new Map<string, string>();
  #viewed: { readonly entries: readonly JSONLEntry[]; readonly view: View } | undefined;
  #memo = new WeakMap<JSONLEntry, Message>();
  #memoReasoning: boolean | undefined;

  constructor(log: SessionLog, deps: Pick<ContextManagerDeps, 'model' | 'settings'>) {
    this.#log = log;
    this.#deps = deps;
  }

  /** Learns from the whole log and reads the snippets that its last compaction quotes. */
  async load(): Promise<void> {
    const entries = this.#log.entries();
    for (const entry of entries) this.learn(entry);
    const at = lastCompaction(entries);
    for (const { hash } of entries[at]?.compactMetadata?.snippets ?? []) {
      const bytes = await this.#log.blobs.read({ hash }).catch(() => undefined);
      if (bytes !== undefined) this.#snippets.set(hash, bytes.toString());
    }
  }

  /** Takes in what one entry says, in log order. */
  learn(entry: JSONLEntry): void {
    const { usage } = entry.message;
    const { countedTokens, requestModel } = entry.data ?? {};
    if (usage !== undefined && typeof countedTokens === 'number' && typeof requestModel === 'string') {
      this.counter.observe(requestModel, countedTokens, usage.input_tokens);
    }
    if (entry.subtype === 'reduction') {
      const { data } = reductionSchema.safeParse(entry.data);
      if (data?.kind === 'window' && data.model !== undefined && data.windowTokens !== undefined) {
        this.#windows.set(data.model, data.windowTokens);
        // What the server found too long has more than that; a smaller ratio would be no news.
        if (data.windowTokens / data.preTokens > this.counter.ratio(data.model)) {
          this.counter.observe(data.model, data.preTokens, data.windowTokens);
        }
      }
    }
    for (const { path, hash } of entry.toolResult?.filesRead ?? []) this.#files.set(path, hash);
    for (const { path, hash, kind } of entry.toolResult?.filesChanged ?? []) {
      if (kind === 'deleted' || hash === undefined) this.#files.delete(path);
      else this.#files.set(path, hash);
    }
  }

  /** Makes the bytes of new snippets known, before the summary that quotes them is appended. */
  addSnippets(texts: ReadonlyMap<string, string>): void {
    for (const [hash, text] of texts) this.#snippets.set(hash, text);
  }

  fileReads(path: string): string | undefined {
    return this.#files.get(path);
  }

  /** The view of the log as it is now; built anew only when something was appended. */
  view(): View {
    const entries = this.#log.entries();
    if (this.#viewed?.entries !== entries) this.#viewed = { entries, view: viewOf(entries) };
    return this.#viewed.view;
  }

  messages(): Message[] {
    return renderView(this.view(), this.policy());
  }

  policy(): ProjectionPolicy {
    const returnsReasoning = this.#deps.model().returnsReasoning === true;
    if (returnsReasoning !== this.#memoReasoning) {
      this.#memo = new WeakMap();
      this.#memoReasoning = returnsReasoning;
    }
    return { returnsReasoning, snippets: this.#snippets, memo: this.#memo };
  }

  budget(): WindowBudget {
    const model = this.#deps.model();
    return windowBudget(model, this.#deps.settings, this.#windows.get(model.id));
  }

  measure(tools: readonly ToolSchema[]): ContextMeasure {
    const model = this.#deps.model();
    const sizes = sizeOfView(this.view(), tools, this.counter, this.policy());
    return measureRequest(sizes, model, this.budget(), this.counter.ratio(model.id));
  }

  /** True when a request of this measure may be sent. */
  fits(measure: ContextMeasure): boolean {
    const tracker = new TokenBudgetTracker(this.budget().limit);
    return measure.parts.every(({ name, tokens }) => tracker.allocate(name, tokens));
  }

  /** Remembers what the request that now goes out is counted as, for its usage to be compared with. */
  noteRequest(tools: readonly ToolSchema[]): number {
    this.lastCounted = sizeOfView(this.view(), tools, this.counter, this.policy()).total;
    return this.lastCounted;
  }
}
