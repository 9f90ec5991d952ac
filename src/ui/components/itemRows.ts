/** The rows of the list of items, for every width: signs where there is no room for words. Pure. */
import type { ContextItem } from '../../protocol/contextReport.ts';
import type { ContextMeasure } from '../../protocol/events.ts';
import { formatTokens } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, padStart, truncate } from '../print/width.ts';
import type { Paint, Theme } from '../theme/theme.ts';

type State = ContextItem['state'];

/** Told apart without colour. */
const signs: Readonly<Record<State, string>> = { sent: '●', masked: '◐', summarised: '◆', removed: '○' };
const WORDS_FROM = 56;
const POINTERS_FROM = 34;

/** One row of at most `width` columns. */
export function itemRow(item: ContextItem, width: number, isSelected: boolean, theme: Theme): string {
  const { seq, kind, state, tokens, isPinned } = item;
  const pin = isPinned ? '*' : ' ';
  const size = padStart(formatTokens(tokens), 6);
  const pointer = width < POINTERS_FROM ? '' : `${padStart(`#${seq}`, 6)} `;
  const words = width < WORDS_FROM ? '' : `${padEnd(kind, 12)} ${padEnd(state, 10)} `;
  const facts = ` ${pointer}${words}${size}  `;
  const title = truncate(sanitizeLine(item.title) || '(no text)', Math.max(1, width - 2 - facts.length));
  const marks = `${theme.accent(pin)}${paintOf(state, theme)(signs[state])}`;
  return marks + theme.dim(facts) + (isSelected ? theme.accent(title) : title);
}

/** The selected item in words: its state first, as a narrow screen cuts the rest. */
export function itemDetail(item: ContextItem | undefined, width: number, theme: Theme): string {
  if (item === undefined) return '';
  const { seq, kind, state, tokens, isPinned } = item;
  const text = `${state}${isPinned ? ', pinned' : ''} · ${formatTokens(tokens)} tokens · #${seq} ${kind}`;
  return paintOf(state, theme)(truncate(text, width));
}

/** What is sent of how much, and how many items are in which state. */
export function totalsRow(
  items: readonly ContextItem[],
  measure: ContextMeasure | undefined,
  width: number,
  theme: Theme,
): string {
  const counts = new Map<State, number>();
  for (const { state } of items) counts.set(state, (counts.get(state) ?? 0) + 1);
  const used =
    measure === undefined
      ? []
      : [
          `${measure.exact ? '' : '~'}${formatTokens(measure.usedTokens)} of ${formatTokens(measure.windowTokens)} (compacts at ${formatTokens(measure.triggerTokens)})`,
        ];
  const states = (['sent', 'masked', 'summarised', 'removed'] as const).flatMap((state) => {
    const count = counts.get(state) ?? 0;
    return count === 0 ? [] : [`${signs[state]} ${count} ${state}`];
  });
  return theme.dim(truncate([...used, ...states].join(' · '), width));
}

function paintOf(state: State, theme: Theme): Paint {
  switch (state) {
    case 'sent':
      return theme.success;
    case 'masked':
      return theme.dim;
    case 'summarised':
      return theme.accent;
    case 'removed':
      return theme.error;
  }
}
