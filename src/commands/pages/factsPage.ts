import { hanging, heading, type Page, type PageLine, pageLine } from './page.ts';

/** What is said, and what it is; a label may be indented. */
export type Fact = readonly [label: string, value: string];

/** Facts below each other, their values in a column; in a narrow terminal each behind its label. */
export function factsPage(facts: readonly Fact[], title?: string): Page {
  const labels = Math.max(...facts.map(([label]) => label.length), 0);
  return (columns) => {
    const width = columns < NARROW ? 0 : labels + 2;
    return [...(title === undefined ? [] : [heading(title)]), ...facts.map((fact) => factLine(fact, width))];
  };
}

/** Fewer columns than these are too few for two. */
const NARROW = 50;

function factLine([label, value]: Fact, width: number): PageLine {
  const text = width === 0 ? `${label}: ` : label.padEnd(width);
  const indent = label.length - label.trimStart().length;
  return hanging(pageLine({ text, role: 'strong' }, value), width === 0 ? indent + 2 : width);
}
