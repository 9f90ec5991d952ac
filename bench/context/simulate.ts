/** Runs one policy over one trace against one price sheet. */
import type { PriceSheet } from './cache.ts';
import { type Figures, Meter } from './meter.ts';
import {
  type Block,
  blocksOf,
  type Item,
  type Maker,
  type Policy,
  type StepItem,
  tokensOfItems,
} from './policy.ts';
import { createRandom } from './random.ts';
import type { TraceTexts } from './trace/texts.ts';
import { replyTokens, type Trace, type TraceEvent, workTokens } from './trace/types.ts';

export interface Options {
  /** Extra steps after each lossy swap: what was lost has to be found again. */
  readonly reworkSteps?: number;
  /** Of a hundred results that were masked, how many are asked for again, one step each. */
  readonly recallPercent?: number;
  /** Called with each request; for scoring what it holds. */
  readonly onRequest?: (blocks: readonly Block[], event: number) => void;
  readonly texts?: TraceTexts;
}

/** How long a step takes; only pauses are longer than any provider's patience. */
export const STEP_MINUTES = 0.25;
const INSTRUCTION_TOKENS = 400;

export function simulate(trace: Trace, policy: Policy, sheet: PriceSheet, options: Options = {}): Figures {
  const run = new Run(trace, policy, sheet, options);
  for (const [index, event] of trace.events.entries()) run.play(event, index);
  return run.figures();
}

class Run {
  readonly #trace: Trace;
  readonly #meter: Meter;
  readonly #options: Options;
  readonly #reduce: ReturnType<Policy['start']>;
  readonly #make: Maker;
  readonly #fixed: Block;
  readonly #rework = createRandom(17);
  #nextId = 1;
  #items: Item[] = [];
  #tokens = 0;
  #minute = 0;
  #isPrompt = false;
  #lossy = 0;
  #masks = 0;
  /** Steps that have to be made again. */
  #owed = 0;

  constructor(trace: Trace, policy: Policy, sheet: PriceSheet, options: Options) {
    this.#trace = trace;
    this.#meter = new Meter(sheet, trace.windowTokens);
    this.#options = options;
    this.#reduce = policy.start();
    this.#make = { block: (tokens, text) => ({ id: this.#nextId++, tokens: Math.ceil(tokens), text }) };
    this.#fixed = this.#make.block(trace.fixedTokens, () => '');
    this.#tokens = trace.fixedTokens;
  }

  play(event: TraceEvent, index: number): void {
    const { texts } = this.#options;
    if (event.type === 'idle') this.#minute += event.minutes;
    else if (event.type === 'prompt') {
      this.#push({ kind: 'prompt', block: this.#make.block(event.tokens, () => texts?.prompt(index) ?? '') });
      this.#isPrompt = true;
    } else {
      this.#step(event, index);
      for (; this.#owed >= 1; this.#owed--) this.#step(this.#repeated(), index);
    }
  }

  figures(): Figures {
    return this.#meter.figures(workTokens(this.#trace), { lossy: this.#lossy, masks: this.#masks });
  }

  #step(step: StepItem['step'], event: number): void {
    this.#makeRoom();
    const blocks = this.#blocks();
    this.#options.onRequest?.(blocks, event);
    this.#meter.ask(blocks, replyTokens(step), this.#minute);
    this.#minute += STEP_MINUTES;
    this.#push(this.#stepItem(step, event));
  }

  #repeated(): StepItem['step'] {
    const resultTokens = this.#rework.lognormal(600, 1.25, 12_500);
    const call = { tool: 'read', title: 'again', argumentTokens: 0, resultTokens, failed: false } as const;
    return { type: 'step', proseTokens: 60, calls: [call] };
  }

  #stepItem(step: StepItem['step'], event: number): StepItem {
    const { texts } = this.#options;
    return {
      kind: 'step',
      event,
      step,
      reply: this.#make.block(replyTokens(step), () => replyText(step, event, texts)),
      results: step.calls.map(({ resultTokens }, call) =>
        this.#make.block(resultTokens, () => texts?.result(event, call) ?? ''),
      ),
      isMasked: false,
    };
  }

  #makeRoom(): void {
    const moment = {
      trace: this.#trace,
      tokens: this.#tokens,
      isCold: this.#meter.isCold(this.#minute),
      isPrompt: this.#isPrompt,
    };
    this.#isPrompt = false;
    const change = this.#reduce(this.#items, moment, this.#make);
    if (change === undefined) return;
    for (const { rides, inputTokens, outputTokens } of change.calls) {
      if (!rides) this.#meter.askApart(inputTokens, outputTokens);
      else {
        const asked = [...this.#blocks(), this.#make.block(INSTRUCTION_TOKENS, () => '')];
        this.#meter.askBeside(asked, outputTokens, this.#minute);
      }
    }
    this.#owe(change.kind, countMasked(change.items) - countMasked(this.#items));
    this.#items = [...change.items];
    this.#tokens = this.#trace.fixedTokens + tokensOfItems(this.#items);
  }

  #owe(kind: 'mask' | 'summary', masked: number): void {
    const { reworkSteps = 0, recallPercent = 0 } = this.#options;
    if (kind === 'summary') {
      this.#lossy++;
      this.#owed += reworkSteps;
    } else {
      this.#masks++;
      this.#owed += (Math.max(0, masked) * recallPercent) / 100;
    }
  }

  #blocks(): Block[] {
    return [this.#fixed, ...this.#items.flatMap(blocksOf)];
  }

  #push(item: Item): void {
    this.#items.push(item);
    this.#tokens += tokensOfItems([item]);
  }
}

function replyText({ calls }: StepItem['step'], event: number, texts: TraceTexts | undefined): string {
  if (texts === undefined) return '';
  const asked = calls.map(({ tool, title }, call) => `${tool} ${title}\n${texts.args(event, call)}`);
  return [texts.prose(event), ...asked].join('\n');
}

/** Steps whose results only a pointer is left of. */
function countMasked(items: readonly Item[]): number {
  return items.reduce((sum, item) => {
    if (item.kind === 'ledger') return sum + item.covers;
    return item.kind === 'step' && item.isMasked ? sum + 1 : sum;
  }, 0);
}
