/**
 * Keeps a draft of the next summary ready, so that nobody waits for one: begun shortly before the request reaches the
 * trigger, beside the work, and used at the trigger.
 */
import { strategyTraits } from '../protocol/contextSettings.ts';
import { type CompactionRunner, failureDraft, PAUSE } from './CompactionRunner.ts';
import { Pace } from './compaction/pace.ts';
import { followEpoch, followFailures, restsUntilPrompt } from './history/epoch.ts';
import type { Draft, DraftOutcome, ThreadSummaryState } from './memory/ThreadSummary.ts';
import type { SessionParts } from './sessionParts.ts';
import type { RequestOptions } from './types.ts';

export class DraftKeeper {
  readonly #parts: SessionParts;
  readonly #runner: CompactionRunner;
  readonly #pace = new Pace();
  readonly #epochOf = followEpoch();
  readonly #failuresOf = followFailures();

  constructor(parts: SessionParts, runner: CompactionRunner) {
    this.#parts = parts;
    this.#runner = runner;
  }

  /** Between two steps: begins a draft where one will be needed soon, unless it would be in the way. */
  maintain(options: RequestOptions): void {
    const { projection, deps } = this.#parts;
    const { usedTokens } = projection.measure(options.tools);
    this.#pace.noteStep(usedTokens, this.#now());
    const { compact, strategy } = deps.settings;
    if (!strategyTraits[strategy].summarises || !compact.auto) return;
    if (usedTokens >= this.#beginAt(options)) this.begin(options);
  }

  /** Begins a draft now, unless one is there, runs, or would be in the way. Returns at once. */
  begin(options: RequestOptions): void {
    const { projection, deps, thread, log } = this.#parts;
    if (deps.settings.summary !== 'smart' || !this.mayRunBeside() || this.isBroken()) return;
    if (restsUntilPrompt(log.entries(), log.live())) return;
    const { usedTokens } = projection.measure(options.tools);
    const epoch = this.#epoch();
    thread.updateIfNeeded(epoch, usedTokens, PAUSE * projection.budget().window, (signal) =>
      this.#write(epoch, { ...options, signal, emit: () => {} }),
    );
  }

  /** The draft that still stands. */
  current(): Draft | undefined {
    return this.#parts.thread.get(this.#epoch());
  }

  state(): ThreadSummaryState {
    return this.#parts.thread.state(this.#epoch());
  }

  /** Whether a draft was begun since the last reduction, whatever came of it. */
  wasTried(): boolean {
    return this.#parts.thread.wasTried(this.#epoch());
  }

  /** False where the endpoint serves one request at a time: a draft would hold up the turn. */
  mayRunBeside(): boolean {
    const { settings, model } = this.#parts.deps;
    return (
      settings.threadSummary === 'on' || (settings.threadSummary === 'auto' && model().hasOneSlot !== true)
    );
  }

  /** True after too many failures in a row; the log remembers them. */
  isBroken(): boolean {
    const { log, deps } = this.#parts;
    return this.#failuresOf(log.entries()) >= deps.settings.compact.maxFailures;
  }

  /**
   * Tokens from which a draft begun now is ready at the trigger. What comes after a draft must fit into the tail that
   * stays verbatim, or the draft would not speak for all that leaves.
   */
  #beginAt({ tools }: Pick<RequestOptions, 'tools'>): number {
    const { projection, deps } = this.#parts;
    const budget = projection.budget();
    const { trigger, draftAt, window } = budget;
    const tail = deps.settings.compact.retain * Math.max(0, trigger - projection.fixedTokens(tools));
    const lead = this.#pace.leadTokens() ?? FIRST_LEAD * window;
    return Math.max(draftAt, trigger - Math.min(lead, tail));
  }

  async #write(epoch: string, options: RequestOptions): Promise<DraftOutcome> {
    const started = this.#now();
    const attempt = await this.#runner.writeDraft(options);
    if (attempt.type !== 'draft' && attempt.type !== 'failed') return attempt;
    if (attempt.type === 'draft') this.#pace.noteSummary(this.#now() - started);
    const cost = attempt.usage === undefined ? [] : [attempt.usage];
    const failed = attempt.type === 'failed' ? [failureDraft(attempt.message)] : [];
    // A session that was closed meanwhile needs neither.
    await this.#parts.append([...cost, ...failed]).catch(() => []);
    return attempt.type === 'draft'
      ? { type: 'draft', draft: { ...attempt.draft, epoch } }
      : { type: 'failed' };
  }

  #epoch(): string {
    return this.#epochOf(this.#parts.log.entries());
  }

  #now(): number {
    return (this.#parts.deps.clock ?? Date.now)();
  }
}

/** Share of the window by which a request is taken to grow before any step was seen. */
const FIRST_LEAD = 0.05;
