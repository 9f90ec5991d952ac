/**
 * Keeps a draft of the next summary ready, so that the user need not wait for one: it is started in the background
 * shortly before the request reaches the trigger.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import { strategyTraits } from '../../protocol/settings/contextSettings.ts';
import { followFailures, restsUntilPrompt } from '../history/liveEntries.ts';
import type { Session } from '../session.ts';
import { tailTokens } from '../tokens/budgets.ts';
import type { RequestOptions } from '../types.ts';
import { type CompactionRunner, failureEntry, RETRY_GROWTH } from './CompactionRunner.ts';
import {
  type DraftOutcome,
  draftEntry,
  type SummaryDraft,
  type ThreadSummaryState,
} from './ThreadSummary.ts';

export class SummaryDrafter {
  readonly #session: Session;
  readonly #runner: CompactionRunner;
  readonly #pace = new DraftPace();
  /** Seq of the last entry when the running attempt started. */
  #begunAt = 0;
  readonly #failuresOf = followFailures();

  constructor(session: Session, runner: CompactionRunner) {
    this.#session = session;
    this.#runner = runner;
  }

  /** Called between two steps: starts a draft if one will be needed soon. */
  maintain(options: RequestOptions, measure: ContextMeasure): void {
    const { usedTokens } = measure;
    this.#pace.noteStep(usedTokens, this.#now());
    const { compact, strategy } = this.#session.deps.settings;
    if (!strategyTraits[strategy].summarizes || !compact.auto) return;
    if (usedTokens >= this.#beginAt(options)) this.begin(options, measure);
  }

  /** Starts a draft now, unless one exists or is running, or none is allowed now. Returns immediately. */
  begin(options: RequestOptions, measure: ContextMeasure): void {
    const { projection, deps, thread, log } = this.#session;
    if (deps.settings.summary !== 'smart' || !this.mayRunInBackground() || this.isBroken()) return;
    if (restsUntilPrompt(log.entries(), log.live()) || this.current(options, measure) !== undefined) return;
    const epoch = this.#runner.epoch();
    if (thread.state(epoch) === 'none') this.#begunAt = log.entries().at(-1)?.seq ?? 0;
    thread.updateIfNeeded(epoch, measure.usedTokens, RETRY_GROWTH * projection.budget().window, (signal) =>
      this.#write(epoch, { ...options, signal, emit: () => {} }),
    );
  }

  /** The draft if it is still usable. */
  current(options: Pick<RequestOptions, 'tools'>, measure: ContextMeasure): SummaryDraft | undefined {
    return this.#runner.usableDraft(options, measure);
  }

  /** Seq of the last entry that the existing or running draft covers; undefined without a draft. */
  reach(options: Pick<RequestOptions, 'tools'>, measure: ContextMeasure): number | undefined {
    return this.state() === 'running' ? this.#begunAt : this.current(options, measure)?.lastMessageSeq;
  }

  state(): ThreadSummaryState {
    return this.#session.thread.state(this.#runner.epoch());
  }

  /** True if a draft was started since the last reduction, whatever its outcome. */
  wasTried(): boolean {
    return this.#session.thread.wasTried(this.#runner.epoch());
  }

  /** False if the endpoint serves one request at a time: a draft would delay the turn. */
  mayRunInBackground(): boolean {
    const { settings, model } = this.#session.deps;
    return (
      settings.threadSummary === 'on' || (settings.threadSummary === 'auto' && model().hasOneSlot !== true)
    );
  }

  /** True after too many failures in a row, counted from the log. */
  isBroken(): boolean {
    const { log, deps } = this.#session;
    return this.#failuresOf(log.entries()) >= deps.settings.compact.maxFailures;
  }

  /**
   * Token count at which to start a draft so that it is ready at the trigger. Messages after the start must fit into
   * the tail that stays verbatim; otherwise the draft would not cover everything that is dropped.
   */
  #beginAt({ tools }: Pick<RequestOptions, 'tools'>): number {
    const { projection, deps } = this.#session;
    const budget = projection.budget();
    const { trigger, draftAt, window } = budget;
    const tail = tailTokens(budget, deps.settings.compact, projection.fixedTokens(tools));
    const lead = this.#pace.leadTokens() ?? FIRST_LEAD * window;
    return Math.max(draftAt, trigger - Math.min(lead, tail));
  }

  async #write(epoch: string, options: RequestOptions): Promise<DraftOutcome> {
    const started = this.#now();
    const attempt = await this.#runner.writeDraft(options);
    if (attempt.type !== 'draft' && attempt.type !== 'failed') return attempt;
    const cost = attempt.usage === undefined ? [] : [attempt.usage];
    // A closed session needs no record of this.
    const record = (entry: NewEntry) => this.#session.append([...cost, entry]).catch(() => []);
    if (attempt.type === 'failed') {
      await record(failureEntry(attempt.message));
      return { type: 'failed' };
    }
    this.#pace.noteSummary(this.#now() - started);
    const { usedTokens } = this.#session.projection.measure(options.tools);
    const draft = { ...attempt.draft, epoch, usedTokens };
    await record(draftEntry(draft));
    return { type: 'draft', draft };
  }

  #now(): number {
    return (this.#session.deps.clock ?? Date.now)();
  }
}

/** Assumed growth of a request, as a share of the window, before the first step. */
const FIRST_LEAD = 0.05;

// Measures how fast a request grows and how long a summary takes, to decide when to start a draft.

/** Number of latest steps that are averaged. */
const STEPS = 8;
/** Assumed duration of a summary in milliseconds, before the first. */
const FIRST_SUMMARY_MS = 20_000;
/** Maximum number of steps that a summary is assumed to take: for very fast steps the estimate is unreliable. */
const MAX_STEPS = 6;

export class DraftPace {
  readonly #growth: number[] = [];
  readonly #stepMs: number[] = [];
  #last: { readonly tokens: number; readonly at: number } | undefined;
  #summaryMs = FIRST_SUMMARY_MS;

  /** Called after each step with the tokens of the current request and the time. */
  noteStep(tokens: number, at: number): void {
    const last = this.#last;
    this.#last = { tokens, at };
    // A smaller request means that it was reduced.
    if (last === undefined || tokens < last.tokens) return;
    keep(this.#growth, tokens - last.tokens);
    keep(this.#stepMs, Math.max(0, at - last.at));
  }

  noteSummary(durationMs: number): void {
    this.#summaryMs = durationMs;
  }

  /**
   * Estimated growth of the request in tokens while a summary is written: the mean growth of the latest steps for each
   * step that the summary takes, plus their largest growth as a margin. Undefined before the first growth.
   */
  leadTokens(): number | undefined {
    if (this.#growth.length === 0) return undefined;
    const stepMs = Math.max(1, median(this.#stepMs));
    const steps = Math.min(MAX_STEPS, Math.ceil(this.#summaryMs / stepMs));
    return steps * mean(this.#growth) + Math.max(...this.#growth);
  }
}

function keep(list: number[], value: number): void {
  list.push(value);
  if (list.length > STEPS) list.shift();
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}
