import { hanging, heading, type Page, type PageLine, pageLine } from './page.ts';

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
