/**
 * Facts learned from a log: the models' true windows and token calibration, the files read or changed, and the todo
 * list.
 */
import type { Todo } from '../../protocol/entries/fields.ts';
import { filesReadBy } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import { Calibrations, type CalibrationsState } from '../tokens/calibration.ts';
import { reductionOf } from './reductions.ts';

/** Plain data for JSON. */
export interface LogFactsState {
  readonly calibrations: CalibrationsState;
  /** Per model: the learned window in tokens, and the window assumed at that time. */
  readonly windows: readonly (readonly [string, number, number?])[];
  /** Hashes by path. */
  readonly files: readonly (readonly [string, string])[];
  readonly todos: readonly Todo[];
}

export class LogFacts {
  readonly calibrations: Calibrations;
  readonly #windows: Map<string, { readonly tokens: number; readonly known: number | undefined }>;
  #files: Map<string, string>;
  #todos: readonly Todo[];

  constructor(state?: LogFactsState) {
    this.calibrations = new Calibrations(state?.calibrations);
    this.#windows = new Map(state?.windows.map(([model, tokens, known]) => [model, { tokens, known }]));
    this.#files = new Map(state?.files);
    this.#todos = state?.todos ?? [];
  }

  /** Learns from one entry. Must be called in log order. */
  learn(entry: JSONLEntry): void {
    this.#learnModel(entry);
    this.#learnFiles(entry);
  }

  /**
   * Rebuilds files and todo list from `entries`, the entries still in effect after a rewind or an undo; `before` is the
   * state before them.
   */
  relearn(entries: readonly JSONLEntry[], before?: LogFactsState): void {
    this.#files = new Map(before?.files);
    this.#todos = before?.todos ?? [];
    for (const entry of entries) this.#learnFiles(entry);
  }

  state(): LogFactsState {
    return {
      calibrations: this.calibrations.state(),
      windows: [...this.#windows].map(([model, { tokens, known }]) =>
        known === undefined ? [model, tokens] : [model, tokens, known],
      ),
      files: [...this.#files].slice(-MAX_FILES),
      todos: this.#todos,
    };
  }

  /**
   * Context window in tokens that an overflow error of the server revealed. Undefined if the server, the settings or a
   * later error have since given another value: the server may have been restarted with another window.
   */
  window({
    id,
    windowTokens,
    source,
  }: Pick<ModelInfo, 'id' | 'windowTokens' | 'source'>): number | undefined {
    const learned = this.#windows.get(id);
    if (learned === undefined) return undefined;
    const isReported = source === 'server' || source === 'setting' || source === 'learned';
    const isNewer = isReported && learned.known !== undefined && learned.known !== windowTokens;
    return isNewer ? undefined : learned.tokens;
  }

  /** Hash of a file's content when this session last read or wrote it. */
  file(path: string): string | undefined {
    return this.#files.get(path);
  }

  /** Files that were read or changed and not deleted. */
  files(): readonly string[] {
    return [...this.#files.keys()];
  }

  todos(): readonly Todo[] {
    return this.#todos;
  }

  #learnModel(entry: JSONLEntry): void {
    const { usage } = entry.message;
    const { countedTokens, requestModel, countedFeatures } =
      (entry.type === 'assistant' ? entry.data : undefined) ?? {};
    if (usage !== undefined && countedTokens !== undefined && requestModel !== undefined) {
      const features = featuresIn(countedFeatures);
      this.calibrations.observe(requestModel, countedTokens, usage.input_tokens, features);
    }
    const data = reductionOf(entry);
    if (data?.kind !== 'window' || data.model === undefined || data.windowTokens === undefined) return;
    this.#windows.set(data.model, { tokens: data.windowTokens, known: data.knownTokens });
    // The rejected request exceeded the window, so the true ratio is at least this; a lower one is no new information.
    if (data.windowTokens / data.preTokens > this.calibrations.ratio(data.model))
      this.calibrations.observe(data.model, data.preTokens, data.windowTokens);
  }

  #learnFiles(entry: JSONLEntry): void {
    const { toolResult } = entry;
    for (const { path, hash } of filesReadBy(entry)) this.#know(path, hash);
    for (const { path, hash, kind } of toolResult?.filesChanged ?? [])
      this.#know(path, kind === 'deleted' ? undefined : hash);
    this.#todos = toolResult?.todos ?? this.#todos;
  }

  /** Moves the path to the end, so that files are ordered by last use. */
  #know(path: string, hash: string | undefined): void {
    this.#files.delete(path);
    if (hash !== undefined) this.#files.set(path, hash);
  }
}

/** Maximum files in the state; files dropped from it have to be read again before an edit. */
const MAX_FILES = 5000;

function featuresIn(value: unknown): readonly number[] | undefined {
  const isVector = Array.isArray(value) && value.every((one) => typeof one === 'number');
  return isVector ? value : undefined;
}
