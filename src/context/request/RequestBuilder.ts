/**
 * Builds each request of a session: restates what has to be restated, measures once, makes room if that is needed,
 * checks what is sent. After a step it prepares the next one.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { ToolSchema } from '../../protocol/messages.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import type { DraftKeeper } from '../compaction/DraftKeeper.ts';
import type { ReductionLadder } from '../compaction/ReductionLadder.ts';
import { activeTask, reminderDue, reminderEntry } from '../memory/ActiveTaskService.ts';
import { followInstructions, instructionEntry } from '../memory/instructions.ts';
import type { Session } from '../session.ts';
import type { CheckResult } from '../strategies/checkAndCompress.ts';
import type { BuildOutcome, MaintainOptions, RequestOptions } from '../types.ts';
import { filterOrphanToolMessages, validateRequest } from './validateRequest.ts';

export class RequestBuilder {
  readonly #session: Session;
  readonly #ladder: ReductionLadder;
  readonly #drafts: DraftKeeper;
  readonly #knownInstructions = followInstructions();
  #encoderIsStuck = false;
  #statisticsAt: number | undefined;
  #level: CheckResult['level'] = 'ok';

  constructor(session: Session, ladder: ReductionLadder, drafts: DraftKeeper) {
    this.#session = session;
    this.#ladder = ladder;
    this.#drafts = drafts;
  }

  /** The next request, after whatever makes room for it. An aborted signal leaves the session as it was. */
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
    const built = projection.build(options.tools).messages;
    // A log that is damaged, or that another program wrote, may hold what no server takes.
    const isValid = validateRequest(built, projection.checked).length === 0;
    const messages = isValid ? built : filterOrphanToolMessages(built);
    const problems = isValid ? [] : validateRequest(messages);
    if (problems.length > 0) throw new Error(`The request would be invalid: ${problems.join('; ')}.`);
    projection.noteRequest(options.tools);
    return { type: 'ready', request: { model: measure.model, messages, tools: options.tools } };
  }

  /** Appends what is new or has changed in the instruction files, including those near files that were touched. */
  async refreshInstructions(): Promise<void> {
    const { log, deps, append, projection } = this.#session;
    if (deps.instructions === undefined) return;
    const known = this.#knownInstructions(log.live().entries);
    const changes = await deps.instructions.changes(known, projection.touchedFiles());
    if (changes.length > 0) await append(changes.map(instructionEntry));
  }

  /** At the end of each step: syncs the log, and keeps a draft of the next summary. */
  async maintain(options: MaintainOptions): Promise<void> {
    const { log, projection } = this.#session;
    // Nothing waits for the disk here: a call that changes something, and the end of a turn, sync for themselves.
    void log.sync();
    if (options.signal.aborted) return;
    const measure = projection.measure(options.tools);
    if (options.mayDraft !== false) this.#drafts.maintain(options, measure);
    if (this.#warn(measure, options)) options.emit({ type: 'context_measured', measure });
    if (projection.isUnsure(measure, this.#ladder.figures(options)))
      void this.refine(options.tools).then((measure) => options.emit({ type: 'context_measured', measure }));
  }

  /** Counts exactly what can be counted within `limitMs`; then measures. Never rejects. */
  async refine(tools: readonly ToolSchema[], limitMs?: number): Promise<ContextMeasure> {
    const { projection } = this.#session;
    const limit = limitMs === undefined ? undefined : AbortSignal.timeout(limitMs);
    await projection.refine(tools, limit).catch(() => false);
    return projection.measure(tools);
  }

  /** The measure of the request as it will be sent; measured again only after something was reduced or counted. */
  async #makeRoom(options: RequestOptions): Promise<ContextMeasure> {
    const estimate = this.#session.projection.measure(options.tools);
    this.#warn(estimate, options);
    const before = await this.#beSure(estimate, options);
    const after = await this.#ladder.makeRoom(options, before);
    const sure = await this.#beSure(after, options);
    return sure === after ? after : this.#ladder.makeRoom(options, sure);
  }

  /** Warns once when the window fills; true when the meter between requests is due again. */
  #warn(measure: ContextMeasure, { emit }: Pick<RequestOptions, 'emit'>): boolean {
    const check = this.#ladder.check(measure, this.#statisticsAt);
    if (check.warning !== undefined && check.level !== this.#level)
      emit({ type: 'notice', level: 'warning', text: check.warning });
    this.#level = check.level;
    if (check.isStatisticsDue) this.#statisticsAt = (this.#session.deps.clock ?? Date.now)();
    return check.isStatisticsDue;
  }

  /**
   * If an estimate could hide a request over the window, waits for the exact count of what is new since the last step.
   * The same measure if no count has changed.
   */
  async #beSure(measure: ContextMeasure, { tools, signal }: RequestOptions): Promise<ContextMeasure> {
    const { projection, deps } = this.#session;
    const isFar = WORST_ESTIMATE * measure.usedTokens <= projection.budget().limit;
    if (measure.exact || isFar || deps.encoder === undefined || this.#encoderIsStuck || signal.aborted)
      return measure;
    const time = AbortSignal.timeout(SURE_WITHIN_MS);
    const changed = await projection.refine(tools, AbortSignal.any([signal, time])).catch(() => false);
    this.#encoderIsStuck = time.aborted;
    return changed ? projection.measure(tools) : measure;
  }

  /** Restates goal and todo list when they are far back: an entry that stays where it was put. */
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

/** Tokens of the worst text there is, over what it is estimated to have: three to a character of rare scripts. */
const WORST_ESTIMATE = 3;
/** An encoder that takes longer than this is stuck, and not waited for again. */
const SURE_WITHIN_MS = 3000;

/** What to tell the user when a request cannot be sent; `auto`: whether it was compacted first. */
function tooLarge({ usedTokens, windowTokens, model }: ContextMeasure, auto: boolean): string {
  const first = auto
    ? 'Shorten the last message'
    : 'Run /compact (automatic compaction is off), shorten the last message';
  return `The request has about ${grouped(usedTokens)} tokens, and ${model} takes ${grouped(windowTokens)}. ${first}, start afresh with /clear, remove instructions or tools, or choose a model with a larger window (/model, --context-window).`;
}
