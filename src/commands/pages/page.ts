import type { ContextItem } from '../../protocol/contextReport.ts';
import { grouped } from '../../protocol/text/numbers.ts';

/** Command output longer than a sentence: lines of spans with roles, laid out for any width. */

/** The role of a span, from which the screen picks its color; includes the parts of a request. */
export type Role =
  | 'strong'
  | 'dim'
  | 'accent'
  | 'success'
  | 'warning'
  | 'error'
  | 'tools'
  | 'system'
  | 'instructions'
  | 'summary'
  | 'memories'
  | 'masked'
  | 'history'
  | 'input'
  | 'reminder';

export interface PageSpan {
  readonly text: string;
  readonly role?: Role;
}

export interface PageLine {
  readonly spans: readonly PageSpan[];
  /** Indentation, in columns, of continuation lines after wrapping. */
  readonly hang: number;
}

/** Lays out a page for a width in columns; longer lines are wrapped later. */
export type Page = (columns: number) => readonly PageLine[];

/** Page width for output without a terminal: a pipe or a file. */
const PLAIN_COLUMNS = 80;

/** Makes a line; continuation lines are indented like the line itself by default. */
export function pageLine(...pieces: readonly (string | PageSpan)[]): PageLine {
  const spans = pieces.map((piece) => (typeof piece === 'string' ? { text: piece } : piece));
  const text = spans.map((span) => span.text).join('');
  return { spans, hang: text.length - text.trimStart().length };
}

/** Returns the line with continuation lines indented by `hang` columns. */
export function hanging(line: PageLine, hang: number): PageLine {
  return { ...line, hang };
}

export const blankLine: PageLine = { spans: [], hang: 0 };

/** Makes a heading line. */
export function heading(text: string): PageLine {
  return pageLine({ text, role: 'strong' });
}

/** Splits text into indented lines. */
export function textLines(text: string, indent: number, role?: Role): readonly PageLine[] {
  return text.split('\n').map((one) => {
    const body = ' '.repeat(indent) + one.trimEnd();
    return one.trim() === '' ? blankLine : pageLine(role === undefined ? body : { text: body, role });
  });
}

/** Returns the page's text without colors and wrapping. */
export function plainText(page: Page, columns = PLAIN_COLUMNS): string {
  return plainLines(page, columns).join('\n');
}

/** Like `plainText`, line by line; a name may contain line breaks. */
export function plainLines(page: Page, columns = PLAIN_COLUMNS): readonly string[] {
  return page(columns).map(({ spans }) =>
    spans
      .map(({ text }) => text)
      .join('')
      .trimEnd(),
  );
}

/** A label and its value; the label may be indented. */
export type Fact = readonly [label: string, value: string];

/** Lays out facts in two columns; in a narrow terminal each value directly follows its label. */
export function factsPage(facts: readonly Fact[], title?: string): Page {
  const labels = Math.max(...facts.map(([label]) => label.length), 0);
  return (columns) => {
    const width = columns < NARROW ? 0 : labels + 2;
    return [...(title === undefined ? [] : [heading(title)]), ...facts.map((fact) => factLine(fact, width))];
  };
}

/** Minimum number of columns for a two-column layout. */
const NARROW = 50;

function factLine([label, value]: Fact, width: number): PageLine {
  const text = width === 0 ? `${label}: ` : label.padEnd(width);
  const indent = label.length - label.trimStart().length;
  return hanging(pageLine({ text, role: 'strong' }, value), width === 0 ? indent + 2 : width);
}

// The conversation as a list of items, for output without a full screen.

const roles: Readonly<Record<ContextItem['state'], Role>> = {
  sent: 'success',
  masked: 'masked',
  removed: 'error',
  summarized: 'summary',
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
  const counts = (['sent', 'masked', 'removed', 'summarized'] as const).flatMap((state) => {
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
