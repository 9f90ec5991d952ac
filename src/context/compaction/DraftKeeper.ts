/**
 * Keeps a draft of the next summary ready, so that the user waits for none: started in the background shortly before the
 * request reaches the trigger, and used there.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import { strategyTraits } from '../../protocol/contextSettings.ts';
import type { NewEntry } from '../../protocol/entries.ts';
import { followFailures, restsUntilPrompt } from '../history/epoch.ts';
import {
  type DraftOutcome,
  draftEntry,
  type SummaryDraft,
  type ThreadSummaryState,
} from '../memory/ThreadSummary.ts';
import type { Session } from '../session.ts';
import { tailTokens } from '../tokens/budgets.ts';
import type { RequestOptions } from '../types.ts';
import { type CompactionRunner, failureEntry, PAUSE } from './CompactionRunner.ts';

export class DraftKeeper {
  readonly #session: Session;
  readonly #runner: CompactionRunner;
  readonly #pace = new Pace();
  /** Seq of the last entry when the running attempt was begun. */
  #begunAt = 0;
  readonly #failuresOf = followFailures();

  constructor(session: Session, runner: CompactionRunner) {
    this.#session = session;
    this.#runner = runner;
  }

  /** Between two steps: begins a draft where one will be needed soon, unless it would be in the way. */
  maintain(options: RequestOptions, measure: ContextMeasure): void {
    const { usedTokens } = measure;
    this.#pace.noteStep(usedTokens, this.#now());
    const { compact, strategy } = this.#session.deps.settings;
    if (!strategyTraits[strategy].summarises || !compact.auto) return;
    if (usedTokens >= this.#beginAt(options)) this.begin(options, measure);
  }

  /** Begins a draft now, unless one is there, runs, or would be in the way. Returns at once. */
  begin(options: RequestOptions, measure: ContextMeasure): void {
    const { projection, deps, thread, log } = this.#session;
    if (deps.settings.summary !== 'smart' || !this.mayRunBeside() || this.isBroken()) return;
    if (restsUntilPrompt(log.entries(), log.live()) || this.current(options, measure) !== undefined) return;
    const epoch = this.#runner.epoch();
    if (thread.state(epoch) === 'none') this.#begunAt = log.entries().at(-1)?.seq ?? 0;
    thread.updateIfNeeded(epoch, measure.usedTokens, PAUSE * projection.budget().window, (signal) =>
      this.#write(epoch, { ...options, signal, emit: () => {} }),
    );
  }

  /** The draft that still stands. */
  current(options: Pick<RequestOptions, 'tools'>, measure: ContextMeasure): SummaryDraft | undefined {
    return this.#runner.draft(options, measure);
  }

  /** Seq up to which the draft speaks, or will when it is there; undefined where there is none. */
  reach(options: Pick<RequestOptions, 'tools'>, measure: ContextMeasure): number | undefined {
    return this.state() === 'running' ? this.#begunAt : this.current(options, measure)?.lastMessageSeq;
  }

  state(): ThreadSummaryState {
    return this.#session.thread.state(this.#runner.epoch());
  }

  /** Whether a draft was begun since the last reduction, whatever came of it. */
  wasTried(): boolean {
    return this.#session.thread.wasTried(this.#runner.epoch());
  }

  /** False where the endpoint serves one request at a time: a draft would hold up the turn. */
  mayRunBeside(): boolean {
    const { settings, model } = this.#session.deps;
    return (
      settings.threadSummary === 'on' || (settings.threadSummary === 'auto' && model().hasOneSlot !== true)
    );
  }

  /** True after too many failures in a row; the log remembers them. */
  isBroken(): boolean {
    const { log, deps } = this.#session;
    return this.#failuresOf(log.entries()) >= deps.settings.compact.maxFailures;
  }

  /**
   * Tokens from which a draft begun now is ready at the trigger. What comes after a draft must fit into the tail that
   * stays verbatim, or the draft would not speak for all that leaves.
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
    // A session that has been closed needs none of these.
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

/** Share of the window by which a request is taken to grow before any step was seen. */
const FIRST_LEAD = 0.05;

// How fast a request grows and how long a summary takes: when a draft has to be begun to be ready at the trigger.

/** Steps that are looked back at. */
const STEPS = 8;
/** What a summary is taken to last before one was seen, in milliseconds. */
const FIRST_SUMMARY_MS = 20_000;
/** A summary is never expected to take more steps than this: between fast steps there is no telling. */
const MAX_STEPS = 6;

export class Pace {
  readonly #growth: number[] = [];
  readonly #stepMs: number[] = [];
  #last: { readonly tokens: number; readonly at: number } | undefined;
  #summaryMs = FIRST_SUMMARY_MS;

  /** After each step: tokens of the request as it is, and the time. */
  noteStep(tokens: number, at: number): void {
    const last = this.#last;
    this.#last = { tokens, at };
    // After a reduction the request starts over.
    if (last === undefined || tokens < last.tokens) return;
    keep(this.#growth, tokens - last.tokens);
    keep(this.#stepMs, Math.max(0, at - last.at));
  }

  noteSummary(durationMs: number): void {
    this.#summaryMs = durationMs;
  }

  /**
   * Tokens that the request will grow by while a summary is written, by the last steps: their mean for each step that
   * a summary takes, and once their largest. Undefined before the first step.
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
