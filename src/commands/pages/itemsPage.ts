/** The conversation as a list of items, for output without a full screen. */
import type { ContextItem } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/text/numbers.ts';
import { hanging, type Page, type PageLine, pageLine, type Role } from './page.ts';

/** The colour role of each state. */
const roles: Readonly<Record<ContextItem['state'], Role>> = {
  sent: 'success',
  masked: 'masked',
  removed: 'error',
  summarised: 'summary',
};

/** Lists the items, newest first, after a line of totals. */
export function itemsPage(items: readonly ContextItem[]): Page {
  return () => [
    pageLine({ text: itemTotals(items), role: 'strong' }),
    ...items.toReversed().map(itemLine),
    ...(items.length === 0
      ? []
      : [pageLine({ text: 'In the terminal, /context items pins, drops and restores them.', role: 'dim' })]),
  ];
}

/** Summarizes the items; for example "12 items: 8 sent, 4 masked, 1 pinned". */
function itemTotals(items: readonly ContextItem[]): string {
  if (items.length === 0) return 'No items yet.';
  const counts = (['sent', 'masked', 'removed', 'summarised'] as const).flatMap((state) => {
    const count = items.filter((item) => item.state === state).length;
    return count === 0 ? [] : [`${grouped(count)} ${state}`];
  });
  const pinned = items.filter(({ isPinned }) => isPinned).length;
  const all = [...counts, ...(pinned === 0 ? [] : [`${grouped(pinned)} pinned`])].join(', ');
  return `${grouped(items.length)} item${items.length === 1 ? '' : 's'}: ${all}`;
}

/** Formats one item: pointer, kind, state, tokens and title. */
function itemLine({ seq, kind, state, tokens, title, isPinned }: ContextItem): PageLine {
  const lead = `  ${`#${seq}`.padEnd(6)} ${kind.padEnd(12)} `;
  return hanging(
    pageLine(
      lead,
      { text: `${state}${isPinned ? ', pinned' : ''}`.padEnd(10), role: roles[state] },
      ` ${grouped(tokens).padStart(8)}  ${title}`,
    ),
    4,
  );
}
