/** Our policy as a model with dials, to find good settings with; the real engine is driven in `real/`. */
import { lazily, maskStep, outcomeLine, sizeOf, summarize, tail } from '../parts.ts';
import type { Change, Item, Maker, Policy, StepItem } from '../policy.ts';
import { factsOf, said, writeFacts } from './facts.ts';

export interface Dials {
  /** Share of the window from which old results become pointers. */
  readonly at: number;
  /** Share of the window, newest first, that is never masked. */
  readonly protect: number;
  /** Share of the window that masking has to free. */
  readonly batch: number;
  readonly stubTokens: number;
  /** Also leave out what old edits wrote: `Recall` has it. */
  readonly trimArguments: boolean;
  /** Tokens of a step in the ledger that replaces whole masked steps; undefined keeps each step. */
  readonly ledgerTokens?: number;
  /** Share of the window that what was masked may take (stubs, ledger, prompts) before it is summarized. */
  readonly residue: number;
  /** Share of the window at which a summary is written whatever could be masked. */
  readonly threshold: number;
  readonly retain: number;
  readonly summaryTokens: number;
  /** Mask with what there is when the cache is cold anyway. */
  readonly whenCold: boolean;
  /** The shares of masking are taken of the window, and of no more than this. */
  readonly largestWindow: number;
}

export const defaults: Dials = {
  at: 0.5,
  protect: 0.08,
  batch: 0.15,
  stubTokens: 40,
  trimArguments: false,
  residue: 1,
  threshold: 0.8,
  retain: 0.2,
  summaryTokens: 4096,
  whenCold: true,
  largestWindow: 200_000,
};

export function ours(name: string, given: Partial<Dials> = {}): Policy {
  const dials = { ...defaults, ...given };
  return {
    name,
    start: () => (items, moment, make) => {
      const real = moment.trace.windowTokens;
      const window = Math.min(real, dials.largestWindow);
      const protect = Math.max(dials.protect * window, Math.min(LEAST_PROTECTED, real / 8));
      const split = items.length - tail(items, protect).length;
      const due = moment.tokens >= dials.at * window;
      const least = due ? dials.batch * window : COLD_BATCH;
      if ((due || (dials.whenCold && moment.isCold)) && gainOf(items, split, dials) >= least) {
        const masked = mask(items, split, dials, make);
        const residue = sizeOf(masked.filter(({ kind }) => kind !== 'summary')) - sizeOf(items.slice(split));
        const limit = Math.max(dials.residue * window, 2 * dials.summaryTokens);
        return residue < limit
          ? { items: masked, kind: 'mask', calls: [] }
          : summary(items, split, dials, make);
      }
      if (moment.tokens < dials.threshold * real) return undefined;
      const kept = tail(items, dials.retain * real);
      return summary(items, items.length - kept.length, dials, make);
    },
  };
}

/** However small the window: the model needs what it just saw. */
const LEAST_PROTECTED = 8000;
/** With a cold cache everything is written anew anyhow: whatever is left out is gain. */
const COLD_BATCH = 2000;

/** The summary, and behind it what the program knows for certain; its size comes on top. */
function summary(items: readonly Item[], split: number, { summaryTokens }: Dials, make: Maker): Change {
  const older = items.slice(0, split);
  const written = summarize(older, summaryTokens, make, writeFacts(factsOf(older)));
  const call = { rides: true, inputTokens: 0, outputTokens: written.block.tokens };
  return { items: [written, ...items.slice(split)], kind: 'summary', calls: [call] };
}

/** What masking would free, without making anything. */
function gainOf(items: readonly Item[], split: number, dials: Dials): number {
  let gain = 0;
  for (let index = 0; index < split; index++) {
    const item = items[index];
    if (item?.kind !== 'step' || item.isMasked) continue;
    for (const { tokens } of item.results) gain += Math.max(0, tokens - dials.stubTokens);
  }
  return gain;
}

function mask(items: readonly Item[], split: number, dials: Dials, make: Maker): readonly Item[] {
  const masked = items.map((item, index) =>
    item.kind !== 'step' || item.isMasked || index >= split
      ? item
      : maskStep(item, dials.stubTokens, make, dials.trimArguments),
  );
  return dials.ledgerTokens === undefined ? masked : fold(masked, dials.ledgerTokens, make);
}

/** Puts each stretch of masked steps into one ledger; prompts stay between them. */
function fold(items: readonly Item[], perStep: number, make: Maker): readonly Item[] {
  const folded: Item[] = [];
  let stretch: StepItem[] = [];
  const close = (): void => {
    if (stretch.length === 0) return;
    const steps = stretch;
    const calls = steps.reduce((sum, { step }) => sum + step.calls.length, 0);
    const text = lazily(() =>
      steps
        .flatMap((item) => [
          ...said(factsOf([item]).decisions),
          ...item.step.calls.map((_call, at) => outcomeLine(item, at)),
        ])
        .join('\n'),
    );
    const block = make.block(20 + perStep * calls, text);
    folded.push({ kind: 'ledger', covers: steps.length, block, facts: factsOf(steps) });
    stretch = [];
  };
  for (const item of items) {
    if (item.kind === 'step' && item.isMasked) stretch.push(item);
    else {
      close();
      folded.push(item);
    }
  }
  close();
  return folded;
}
