/** Keeps a draft of the next summary ready beside the work: when to write one, and when it is of use no more. */
import { type CompactionRunner, failureDraft, PAUSE } from './CompactionRunner.ts';
import { residueOf } from './compaction/ledger.ts';
import { followEpoch, followFailures, restsUntilPrompt } from './history/epoch.ts';
import { isStale } from './memory/draftCoverage.ts';
import type { Draft, DraftOutcome, ThreadSummaryState } from './memory/ThreadSummary.ts';
import type { SessionParts } from './sessionParts.ts';
import { DRAFT_AT } from './tokens/budgets.ts';
import type { RequestOptions } from './types.ts';

type Tools = Pick<RequestOptions, 'tools'>;

export class DraftKeeper {
  readonly #parts: SessionParts;
  readonly #runner: CompactionRunner;
  readonly #epochOf = followEpoch();
  readonly #failuresOf = followFailures();

  constructor(parts: SessionParts, runner: CompactionRunner) {
    this.#parts = parts;
    this.#runner = runner;
  }

  /** Between two steps: starts a draft where one will be needed soon, unless it would be in the way. */
  maintain(options: RequestOptions): void {
    const { projection, deps, thread, log } = this.#parts;
    const { strategy, compact, summary } = deps.settings;
    const isWanted = (strategy === 'auto' || strategy === 'summary') && compact.auto && summary === 'smart';
    if (!isWanted || !this.mayRunBeside() || this.isBroken()) return;
    if (restsUntilPrompt(log.entries(), log.live())) return;
    const { usedTokens } = projection.measure(options.tools);
    const { draftAt, window } = projection.budget();
    if (usedTokens < draftAt && !this.#residueIsNear(options)) return;
    const epoch = this.#epoch();
    if (this.isStale(options)) thread.drop(epoch);
    thread.updateIfNeeded(epoch, usedTokens, PAUSE * window, (signal) =>
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

  /** What was written early speaks for little by now: another draft takes its place. */
  isStale({ tools }: Tools): boolean {
    const { projection, deps } = this.#parts;
    const draft = this.current();
    if (draft === undefined || deps.settings.strategy !== 'auto') return false;
    return isStale(draft, projection.view(), projection.maskBudget(tools), (atom) => projection.sizeOf(atom));
  }

  /** The tail that a summary leaves out, where old steps become lines: no more than they do. */
  tail({ tools }: Tools): { readonly protectTokens?: number } {
    const { projection, deps } = this.#parts;
    return deps.settings.strategy === 'auto' ? { protectTokens: projection.maskBudget(tools).protect } : {};
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

  /** Soon only a summary can make the past shorter. */
  #residueIsNear({ tools }: Tools): boolean {
    const { projection, deps } = this.#parts;
    if (deps.settings.strategy !== 'auto') return false;
    const { protect, residue } = projection.maskBudget(tools);
    return residueOf(projection.view(), protect, (atom) => projection.sizeOf(atom)) > DRAFT_AT * residue;
  }

  async #write(epoch: string, options: RequestOptions): Promise<DraftOutcome> {
    const attempt = await this.#runner.writeDraft(options, this.tail(options).protectTokens);
    if (attempt.type !== 'draft' && attempt.type !== 'failed') return attempt;
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
}
