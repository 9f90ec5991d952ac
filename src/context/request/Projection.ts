/**
 * Turns a session's log into requests: builds messages, measures them, and tracks facts learned from the log about
 * models (true window, calibration) and files. All of this state is derived from the entries, so a resumed session has
 * the same.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { Todo } from '../../protocol/entries/fields.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Message, ToolSchema } from '../../protocol/messages.ts';
import { type BuiltContext, ContextBuilder } from '../ContextBuilder.ts';
import type { Atom } from '../history/atoms.ts';
import { lastCompaction } from '../history/compactions.ts';
import { afterEvictedPrefix, evictedPrefixOf } from '../history/evictedPrefix.ts';
import { LogFacts } from '../history/LogFacts.ts';
import { isCorrection, liveEntries } from '../history/liveEntries.ts';
import { reductionOf } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import type { OpenLog } from '../storage/sessionStore.ts';
import { TokenCounter } from '../TokenCounter.ts';
import {
  type MaskBudget,
  maskBudget,
  TokenBudgetTracker,
  type WindowBudget,
  windowBudget,
} from '../tokens/budgets.ts';
import type { ContextManagerDeps } from '../types.ts';
import { MessageMemory } from './MessageMemory.ts';
import type { RequestSizes } from './RequestSizer.ts';
import type { NotedRequest, RequestBasis } from './requestRecord.ts';
import { imageBytes, type ProjectionPolicy, renderAtom } from './standardMessages.ts';

type ProjectionDeps = Pick<ContextManagerDeps, 'model' | 'settings' | 'encoder'>;

export class Projection {
  readonly counter: TokenCounter;
  /** Cache of built messages, limited by `context.maxMemoryMessages`. */
  readonly memory: MessageMemory;
  /** Messages already validated. */
  readonly checked = new WeakSet<Message>();
  /** The last request: its model, its basis and its token count. Undefined before the first request. */
  lastRequest: NotedRequest | undefined;
  readonly #log: OpenLog;
  readonly #deps: ProjectionDeps;
  readonly #snippets = new Map<string, string>();
  readonly #learned: LogFacts;
  readonly #builder: ContextBuilder;
  #sized:
    | { readonly view: View; readonly tools: readonly ToolSchema[]; readonly sizes: RequestSizes }
    | undefined;
  #policy: ProjectionPolicy | undefined;
  /** Last seq through which images are replaced by text, for each model whose server rejected images. */
  readonly #refused = new Map<string, number>();

  constructor(log: OpenLog, deps: ProjectionDeps) {
    this.#log = log;
    this.#deps = deps;
    this.#learned = new LogFacts(evictedPrefixOf(log.entries())?.learned);
    const { calibrations } = this.#learned;
    this.counter = new TokenCounter({ encoder: deps.encoder, calibrations });
    this.#builder = new ContextBuilder({}, this.counter);
    this.memory = new MessageMemory(deps.settings.maxMemoryMessages, (message, name) =>
      this.counter.identify(message, name),
    );
  }

  /** Learns from the whole log and loads the snippets that its last compaction quotes. */
  async load(): Promise<void> {
    const entries = this.#log.entries();
    const throughSeq = evictedPrefixOf(entries)?.throughSeq ?? -1;
    for (const entry of entries) {
      this.memory.learn(entry);
      if (entry.seq > throughSeq && reductionOf(entry)?.isGuess !== true) this.#learned.learn(entry);
    }
    if (entries.some(isCorrection)) this.#relearn();
    await this.loadSnippets(entries);
  }

  /** Loads the snippets of the summary in effect; `entries` may end with an undo that is not written yet. */
  async loadSnippets(entries: readonly JSONLEntry[]): Promise<void> {
    const live = liveEntries(entries);
    const at = lastCompaction(live.entries, live.undone);
    for (const { hash } of live.entries[at]?.compactMetadata?.snippets ?? []) {
      if (this.#snippets.has(hash)) continue;
      const bytes = await this.#log.blobs.read({ hash }).catch(() => undefined);
      if (bytes !== undefined) this.#snippets.set(hash, bytes.toString());
    }
  }

  /** Learns from one entry. Must be called in log order. */
  learn(entry: JSONLEntry): void {
    this.memory.learn(entry);
    this.#learned.learn(entry);
    if (isCorrection(entry)) this.#relearn();
  }

  /** Rebuilds what is known about files, without reads and writes in rewound turns. */
  #relearn(): void {
    const entries = this.#log.entries();
    this.#learned.relearn(
      liveEntries(afterEvictedPrefix(entries)).entries,
      evictedPrefixOf(entries)?.learned,
    );
  }

  /** Adds the text of new snippets, before the summary that quotes them is appended. */
  addSnippets(texts: ReadonlyMap<string, string>): void {
    for (const [hash, text] of texts) this.#snippets.set(hash, text);
  }

  fileReads(path: string): string | undefined {
    return this.#learned.file(path);
  }

  /** Files that the session read or changed and did not delete. */
  touchedFiles(): readonly string[] {
    return this.#learned.files();
  }

  /** The todo list of the last tool result that has one. */
  todos(): readonly Todo[] {
    return this.#learned.todos();
  }

  /** The current view of the log. */
  view(): View {
    return this.#log.history.view();
  }

  /** The next request as it would be sent now. */
  build(tools: readonly ToolSchema[]): BuiltContext {
    return this.#builder.buildContext(this.view(), { tools, policy: this.policy() });
  }

  messages(): readonly Message[] {
    return this.build([]).messages;
  }

  policy(): ProjectionPolicy {
    const returnsReasoning = this.#deps.model().returnsReasoning === true;
    const imagesHiddenThrough = this.#imagesHiddenThrough();
    if (
      this.#policy?.returnsReasoning !== returnsReasoning ||
      this.#policy.imagesHiddenThrough !== imagesHiddenThrough
    ) {
      this.memory.forget();
      const { memo, atomMemo } = this.memory;
      this.#policy = { returnsReasoning, imagesHiddenThrough, snippets: this.#snippets, memo, atomMemo };
      this.#sized = undefined;
    }
    return this.#policy;
  }

  /**
   * Called when the server of the current model rejects images. For a model known to support images, replaces those
   * sent so far, since one of them was bad; for any other model, replaces all images. The result shows them again.
   */
  hideImages(): () => void {
    const { id, seesImages } = this.#deps.model();
    const before = this.#refused.get(id);
    const last = this.#log.entries().at(-1)?.seq ?? -1;
    this.#refused.set(id, seesImages === true ? last : Number.POSITIVE_INFINITY);
    return () => {
      if (before === undefined) this.#refused.delete(id);
      else this.#refused.set(id, before);
    };
  }

  /**
   * Called when a request has too many bytes: replaces the oldest images of the current model's requests until at most
   * half of their bytes is left. False if there are none.
   */
  hideOldestImages(): boolean {
    const hidden = this.#imagesHiddenThrough() ?? -1;
    const shown = this.view()
      .atoms.map(({ head }) => ({ seq: head.seq, bytes: imageBytes(head) }))
      .filter(({ seq, bytes }) => bytes > 0 && seq > hidden)
      .sort((a, b) => a.seq - b.seq);
    let left = shown.reduce((sum, { bytes }) => sum + bytes, 0);
    const most = left / 2;
    for (const { seq, bytes } of shown) {
      if (left <= most) break;
      left -= bytes;
      this.#refused.set(this.#deps.model().id, seq);
    }
    return shown.length > 0;
  }

  #imagesHiddenThrough(): number | undefined {
    const { id, seesImages } = this.#deps.model();
    return seesImages === false ? Number.POSITIVE_INFINITY : this.#refused.get(id);
  }

  budget(): WindowBudget {
    const model = this.#deps.model();
    return windowBudget(model, this.#deps.settings, this.#learned.window(model));
  }

  /** Measures the request as it would be sent now. */
  measure(tools: readonly ToolSchema[]): ContextMeasure {
    return this.#measured(this.#sizes(tools));
  }

  /** Measures a view that is not in the log yet. */
  measureView(view: View, tools: readonly ToolSchema[]): ContextMeasure {
    return this.#measured(
      new ContextBuilder({}, this.counter).measure(view, { tools, policy: this.policy() }),
    );
  }

  /** Calibrates the sizes for the model and compares them with its window. */
  #measured({ parts: sizes, features, exact }: RequestSizes): ContextMeasure {
    const model = this.#deps.model();
    const budget = this.budget();
    const ratio = this.counter.ratio(model.id, features);
    const parts = sizes.map(({ name, tokens }) => ({ name, tokens: Math.ceil(tokens * ratio) }));
    return {
      model: model.id,
      windowTokens: budget.window,
      triggerTokens: budget.trigger,
      usedTokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
      replyReserveTokens: budget.replyReserve,
      parts,
      exact,
      windowSource: budget.isLearned ? 'learned' : model.source,
    };
  }

  /** Replaces estimates by exact counts where possible. Returns true if any count changed. */
  async refine(tools: readonly ToolSchema[], signal?: AbortSignal): Promise<boolean> {
    this.counter.setModel(this.#deps.model());
    const before = this.#sizes(tools).total;
    await this.counter.refine(this.messages(), tools, signal);
    // Clear the sizes even if this call changed nothing: another call may have counted messages in between.
    this.#sized = undefined;
    return this.#sizes(tools).total !== before;
  }

  /** True if the estimate's error could put it on the other side of one of these figures. */
  isUnsure({ usedTokens, exact, model }: ContextMeasure, figures: readonly number[]): boolean {
    const error = usedTokens * this.counter.errorShare(model);
    return !exact && figures.some((figure) => Math.abs(figure - usedTokens) <= error);
  }

  /** Calibrated tokens of an atom as it is sent. */
  sizeOf(atom: Atom): number {
    return (
      this.#messagesOf(atom).reduce((sum, one) => sum + this.counter.countMessage(one), 0) * this.#ratio()
    );
  }

  /** Calibrated tokens of the `index`-th result of an atom. */
  sizeOfResult(atom: Atom, index: number): number {
    const message = this.#messagesOf(atom)[index + 1];
    return message === undefined ? 0 : this.counter.countMessage(message) * this.#ratio();
  }

  /** Calibrated tokens of a text, counted exactly if possible within `limitMs`. */
  async exactSizeOfText(text: string, limitMs: number): Promise<number> {
    const { tokens } = await this.counter.countTextAsync(text, AbortSignal.timeout(limitMs));
    return tokens * this.#ratio();
  }

  /** Calibrated tokens of a text. */
  sizeOfText(text: string): number {
    return this.counter.count(text).tokens * this.#ratio();
  }

  #messagesOf(atom: Atom): readonly Message[] {
    return renderAtom(atom, this.view(), this.policy());
  }

  #ratio(): number {
    return this.counter.ratio(this.#deps.model().id);
  }

  /** True if a request of this size is compacted before it is sent. */
  shouldCompact({ usedTokens }: Pick<ContextMeasure, 'usedTokens'>): boolean {
    const { window, trigger } = this.budget();
    return this.counter.shouldCompact(usedTokens, window, trigger / window);
  }

  /** True if a request of this size may be sent. */
  fits(measure: ContextMeasure): boolean {
    const tracker = new TokenBudgetTracker(this.budget().limit);
    return measure.parts.every(({ name, tokens }) => tracker.allocate(name, tokens));
  }

  /** When and how far earlier steps are masked. */
  maskBudget(tools: readonly ToolSchema[]): MaskBudget {
    return maskBudget(this.budget().window, this.fixedTokens(tools), this.#deps.settings);
  }

  /** Calibrated tokens of the fixed parts of each request: tools, system prompt and instructions. */
  fixedTokens(tools: readonly ToolSchema[]): number {
    return Math.ceil(this.#sizes(tools).fixed * this.#ratio());
  }

  /** The inputs of a request built now; with this record the request can be rebuilt. */
  basis(tools: readonly ToolSchema[]): RequestBasis {
    const { returnsReasoning, imagesHiddenThrough } = this.policy();
    const seq = this.#log.entries().at(-1)?.seq ?? -1;
    return {
      model: this.#deps.model().id,
      seq,
      tools,
      returnsReasoning: returnsReasoning === true,
      ...(imagesHiddenThrough === undefined
        ? {}
        : { imagesHiddenThrough: Math.min(imagesHiddenThrough, seq) }),
    };
  }

  /** Remembers the token count of the request that is about to be sent, to compare it with the reported usage. */
  noteRequest(tools: readonly ToolSchema[]): number {
    const { total: countedTokens, features } = this.#sizes(tools);
    this.lastRequest = { ...this.basis(tools), countedTokens, features };
    return countedTokens;
  }

  #sizes(tools: readonly ToolSchema[]): RequestSizes {
    const view = this.view();
    const policy = this.policy();
    this.counter.setModel(this.#deps.model());
    if (this.#sized?.view !== view || this.#sized.tools !== tools)
      this.#sized = { view, tools, sizes: this.#builder.measure(view, { tools, policy }) };
    return this.#sized.sizes;
  }
}
