/**
 * Builds each request of a session: repeats reminders and changed instructions, measures, makes room if needed, and
 * validates the messages. After a step it prepares the next one.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import type { ContextReducer } from '../compaction/ContextReducer.ts';
import type { SummaryDrafter } from '../compaction/SummaryDrafter.ts';
import { activeTask, reminderDue, reminderEntry } from '../memory/ActiveTaskService.ts';
import { followInstructions, instructionEntry } from '../memory/instructions.ts';
import type { Session } from '../session.ts';
import type { CheckResult } from '../strategies/checkAndCompress.ts';
import type { BuildOutcome, MaintainOptions, RequestOptions } from '../types.ts';
import { filterOrphanToolMessages, validateRequest } from './validateRequest.ts';

export class RequestBuilder {
  readonly #session: Session;
  readonly #reducer: ContextReducer;
  readonly #drafts: SummaryDrafter;
  readonly #knownInstructions = followInstructions();
  #encoderIsStuck = false;
  #statisticsAt: number | undefined;
  #level: CheckResult['level'] = 'ok';

  constructor(session: Session, reducer: ContextReducer, drafts: SummaryDrafter) {
    this.#session = session;
    this.#reducer = reducer;
    this.#drafts = drafts;
  }

  /**
   * Builds the next request after making room. An abort cancels a running compaction; the caller has to check the
   * signal.
   */
  async build(options: RequestOptions): Promise<BuildOutcome> {
    const { projection, deps } = this.#session;
    await this.refreshInstructions();
    await this.#remind();
    const measure = await this.#makeRoom(options);
    options.emit({ type: 'context_measured', measure });
    if (!projection.fits(measure)) {
      const { strategy, compact } = deps.settings;
      return { type: 'too_large', message: tooLarge(measure, compact.auto && strategy !== 'off') };
    }
    const { messages: built, metadata } = projection.build(options.tools);
    // A damaged or foreign log may contain messages that servers reject.
    const isValid = validateRequest(built, projection.checked).length === 0;
    const messages = isValid ? built : filterOrphanToolMessages(built);
    const problems = isValid ? [] : validateRequest(messages);
    if (problems.length > 0) throw new Error(`The request would be invalid: ${problems.join('; ')}.`);
    projection.noteRequest(options.tools);
    const stableMessages = metadata.stableMessageCount;
    return {
      type: 'ready',
      request: { model: measure.model, messages, tools: options.tools, stableMessages },
    };
  }

  /** Appends new and changed instruction files, including those near files that were touched. */
  async refreshInstructions(): Promise<void> {
    const { log, deps, append, projection } = this.#session;
    if (deps.instructions === undefined) return;
    const known = this.#knownInstructions(log.live().entries);
    const changes = await deps.instructions.changes(known, projection.touchedFiles());
    if (changes.length > 0) await append(changes.map(instructionEntry));
  }

  /** Runs at the end of each step: syncs the log and updates the draft of the next summary. */
  async maintain(options: MaintainOptions): Promise<void> {
    const { log, projection } = this.#session;
    // Not awaited: calls with side effects and the end of a turn sync on their own.
    void log.sync();
    if (options.signal.aborted) return;
    const measure = projection.measure(options.tools);
    if (options.mayDraft !== false) this.#drafts.maintain(options, measure);
    if (this.#warn(measure, options)) options.emit({ type: 'context_measured', measure });
    if (projection.isUnsure(measure, this.#reducer.figures(options)))
      void this.refine(options.tools).then((measure) => options.emit({ type: 'context_measured', measure }));
  }

  /** Counts tokens exactly, for up to `limitMs`, then measures. Never rejects. */
  async refine(tools: readonly ToolSchema[], limitMs?: number): Promise<ContextMeasure> {
    const { projection } = this.#session;
    const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
    await projection.refine(tools, limit).catch(() => false);
    return projection.measure(tools);
  }

  /** Makes room and returns the final measure; measures again only after a reduction or a changed count. */
  async #makeRoom(options: RequestOptions): Promise<ContextMeasure> {
    const estimate = this.#session.projection.measure(options.tools);
    this.#warn(estimate, options);
    const before = await this.#confirm(estimate, options);
    const after = await this.#reducer.makeRoom(options, before);
    const sure = await this.#confirm(after, options);
    return sure === after ? after : this.#reducer.makeRoom(options, sure);
  }

  /** Warns once when the window fills up; returns true if the meter is due for an update between requests. */
  #warn(measure: ContextMeasure, { emit }: Pick<RequestOptions, 'emit'>): boolean {
    const check = this.#reducer.check(measure, this.#statisticsAt);
    if (check.warning !== undefined && check.level !== this.#level)
      emit({ type: 'notice', level: 'warning', text: check.warning });
    this.#level = check.level;
    if (check.isStatisticsDue) this.#statisticsAt = (this.#session.deps.clock ?? Date.now)();
    return check.isStatisticsDue;
  }

  /**
   * If an estimate could hide a request that exceeds the window, waits for exact counts. Returns the same measure if no
   * count changed.
   */
  async #confirm(measure: ContextMeasure, { tools, signal }: RequestOptions): Promise<ContextMeasure> {
    const { projection, deps } = this.#session;
    const isFar = WORST_ESTIMATE * measure.usedTokens <= projection.budget().limit;
    if (measure.exact || isFar || deps.encoder === undefined || this.#encoderIsStuck || signal.aborted)
      return measure;
    const time = AbortSignal.timeout(SURE_WITHIN_MS);
    const changed = await projection.refine(tools, AbortSignal.any([signal, time])).catch(() => false);
    this.#encoderIsStuck = time.aborted;
    return changed ? projection.measure(tools) : measure;
  }

  /** Appends a reminder of the goal and the todo list if they are far back. The entry stays at its place. */
  async #remind(): Promise<void> {
    const { log, deps, append } = this.#session;
    const { instructionPinning, reminderSteps } = deps.settings;
    if (!instructionPinning) return;
    const { entries } = log.live();
    if (!reminderDue(entries, reminderSteps)) return;
    const reminder = reminderEntry(activeTask(entries));
    if (reminder !== undefined) await append([reminder]);
  }
}

/** Worst ratio of true to estimated tokens: text in rare scripts, with three tokens per character. */
const WORST_ESTIMATE = 3;
/** An encoder that takes longer is considered stuck and is not awaited again. */
const SURE_WITHIN_MS = 3000;

/** Error message for a request that cannot be sent; `auto`: true if it was compacted first. */
function tooLarge({ usedTokens, windowTokens, model }: ContextMeasure, auto: boolean): string {
  const first = auto
    ? 'Shorten the last message'
    : 'Run /compact (automatic compaction is off), shorten the last message';
  return `The request has about ${grouped(usedTokens)} tokens, but the context window of ${model} is ${grouped(windowTokens)}. ${first}, start over with /clear, remove instructions or tools, or choose a model with a larger window (/model, --context-window).`;
}
