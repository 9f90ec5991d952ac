/** A conversation under some policy, as the worker sees it, and the bill for it. */
import type { AssistantMessage, ToolCall } from '../../../src/protocol/messages.ts';
import type { ToolOutcome } from '../../../src/protocol/tools.ts';
import type { PriceSheet, Sized } from '../cache.ts';
import { type Figures, Meter } from '../meter.ts';
import type { Action } from './plan.ts';
import type { Shown } from './render.ts';
import type { WorkClock } from './WorkClock.ts';

export interface Request {
  readonly blocks: readonly Sized[];
  readonly shown: readonly Shown[];
}

/** A call that was made, and its outcome. */
export interface Done {
  readonly action: Action | { readonly tool: 'Recall'; readonly query: string };
  readonly call: ToolCall;
  readonly outcome: ToolOutcome;
}

export interface Conversation {
  /** The `Recall` tool's search; undefined where the model has no such tool. */
  readonly recall: ((query: string) => Promise<string>) | undefined;
  prompt(text: string): Promise<void>;
  /** Makes room if the policy says so, and returns the next request. */
  request(): Promise<Request>;
  /** Records the reply to that request, and the results that `run` returns. */
  step(message: AssistantMessage, run: () => Promise<readonly Done[]>): Promise<void>;
  /** Summaries and removals so far. */
  compactions(): number;
  close(): Promise<void>;
}

/** What a policy is given. */
export interface Surroundings {
  /** The project's folder. */
  readonly root: string;
  readonly windowTokens: number;
  readonly systemPrompt: string;
  readonly clock: WorkClock;
  readonly bill: Bill;
}

export interface WorkPolicy {
  readonly name: string;
  readonly isOurs: boolean;
  open(surroundings: Surroundings): Promise<Conversation>;
}

/** How long a summary takes, in seconds: an assumption (20 s, then 60 tokens a second), not a measurement. */
export function summarySeconds(outputTokens: number): number {
  return 20 + outputTokens / 60;
}

/** Reuse is also reported over this many requests, so that traces of different lengths compare. */
const EARLY_REQUESTS = 300;

/** One meter for each price sheet. */
export class Bill {
  readonly #meters: readonly Meter[];
  #requests = 0;
  #reuse: number | undefined;

  constructor(sheets: readonly PriceSheet[], windowTokens: number) {
    this.#meters = sheets.map((sheet) => new Meter(sheet, windowTokens));
  }

  ask(blocks: readonly Sized[], outputTokens: number, minute: number): void {
    for (const meter of this.#meters) meter.ask(blocks, outputTokens, minute);
    this.#requests++;
    if (this.#requests === EARLY_REQUESTS) this.#reuse = this.figures(1)[0]?.reuse;
  }

  /** A summary that rides on the conversation's cached beginning. */
  askBeside(blocks: readonly Sized[], outputTokens: number, minute: number): void {
    for (const meter of this.#meters) meter.askBeside(blocks, outputTokens, minute);
  }

  /** A summary with a prompt of its own. */
  askApart(inputTokens: number, outputTokens: number): void {
    for (const meter of this.#meters) meter.askApart(inputTokens, outputTokens);
  }

  /** True when the first sheet's cache holds nothing any more. */
  isCold(minute: number): boolean {
    return this.#meters[0]?.isCold(minute) ?? true;
  }

  get requests(): number {
    return this.#requests;
  }

  /** Over the first 300 requests, or all where there were fewer; on the first sheet. */
  get earlyReuse(): number {
    return this.#reuse ?? this.figures(1)[0]?.reuse ?? 1;
  }

  /** By sheet. */
  figures(workTokens: number): readonly Figures[] {
    return this.#meters.map((meter) => meter.figures(workTokens, { lossy: 0, masks: 0 }));
  }
}
