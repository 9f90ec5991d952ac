/** What will be reduced next and at what point, in words; and what the budgets have to say. Pure. */
import type { ContextReport } from '../protocol/contextReport.ts';
import { type ContextSettings, strategyTraits } from '../protocol/contextSettings.ts';
import type { ContextMeasure } from '../protocol/events.ts';
import { grouped } from '../protocol/grouped.ts';
import { allocateBudget } from './tokens/allocateBudget.ts';
import type { WindowBudget } from './tokens/budgets.ts';

export type Outlook = Pick<
  ContextReport,
  'measure' | 'next' | 'marks' | 'draft' | 'breakerIsOpen' | 'warnings' | 'triggerNote'
>;

/** Why compaction starts below the share that the settings name; undefined where it does not. */
export function triggerNote(
  { trigger, window, replyReserve, summaryReserve }: WindowBudget,
  { compact, compressionThreshold }: ContextSettings,
): string | undefined {
  if (trigger >= Math.floor(compact.threshold * window)) return undefined;
  const percent = (share: number): string => `${Math.round(share * 1000) / 10}%`;
  const why =
    trigger === compressionThreshold
      ? 'context.compressionThreshold says so'
      : `${grouped(replyReserve)} tokens are reserved for the reply and ${grouped(summaryReserve)} for a summary`;
  return `Compaction starts at ${percent(trigger / window)} instead of ${percent(compact.threshold)}: ${why}.`;
}

/** The next thing that the settings will do, and from how many tokens on. */
export function nextStep(
  settings: ContextSettings,
  {
    maskAt,
    maskBatch,
    trigger,
    removeAt,
  }: WindowBudget & { readonly maskAt: number; readonly maskBatch: number },
  usedTokens: number,
): ContextReport['next'] {
  const { strategy, compact } = settings;
  if (strategy === 'off' || !compact.auto)
    return { action: 'nothing automatic; run /compact', atTokens: trigger };
  // Past its mark, masking comes as soon as it frees enough: after that much more at the latest.
  const ledgerAt = usedTokens < maskAt ? maskAt : usedTokens + maskBatch;
  const shortens = 'steps of earlier turns are shortened';
  if (strategyTraits[strategy].masks && ledgerAt < trigger)
    return {
      action: strategy === 'economy' ? 'earlier turns are summarised or shortened' : shortens,
      atTokens: ledgerAt,
    };
  if (strategy === 'mask-only') return { action: shortens, atTokens: removeAt };
  if (strategyTraits[strategy].summarises) {
    if (usedTokens < trigger) return { action: 'a summary replaces the older messages', atTokens: trigger };
    return { action: 'older messages are shortened or removed if no summary is ready', atTokens: removeAt };
  }
  return { action: `older messages are removed (${strategy})`, atTokens: trigger };
}

/** Where what the settings allow begins; the limit holds whatever they say. */
export function marksOf(
  { strategy, compact }: ContextSettings,
  { maskAt, removeAt, limit }: WindowBudget & { readonly maskAt: number },
): NonNullable<ContextReport['marks']> {
  if (strategy === 'off' || !compact.auto) return { limit };
  return { ...(strategyTraits[strategy].masks ? { maskAt } : {}), removeAt, limit };
}

/** Sentences for the user; empty when there is nothing to say. */
export function budgetWarnings(measure: ContextMeasure, { budget }: ContextSettings): readonly string[] {
  const sizes = new Map(measure.parts.map(({ name, tokens }) => [name, tokens]));
  const of = (...names: string[]): number => names.reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
  const caps = allocateBudget(measure.windowTokens, budget);
  const warnings: string[] = [];
  const head = of('tools', 'system');
  if (head > caps.systemPrompt)
    warnings.push(
      `Tools and system prompt take ${grouped(head)} tokens, more than their share of ${grouped(caps.systemPrompt)} (context.budget.systemPrompt). They are sent whole.`,
    );
  const fixed = head + of('instructions');
  if (fixed > NEARLY_ALL * measure.triggerTokens)
    warnings.push(
      `Tools, system prompt and instructions take ${grouped(fixed)} of ${grouped(measure.triggerTokens)} tokens: little is left for the work. Shorten the instructions or choose a larger window.`,
    );
  return warnings;
}

/** Share of the trigger above which what cannot shrink leaves too little. */
const NEARLY_ALL = 0.7;
