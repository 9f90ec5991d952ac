/** What a program knows for certain of the part that a summary stands for: no model has to remember it. */
import type { Item } from '../policy.ts';

/** The user's constraints in their own words, and every path that was edited. */
export function knownFacts(items: readonly Item[]): string {
  const constraints = new Set<string>();
  const paths = new Set<string>();
  for (const item of items) {
    if (item.kind === 'summary') takeOver(item.block.text(), constraints, paths);
    else if (item.kind === 'prompt')
      for (const line of constraintLines(item.block.text())) constraints.add(line);
    else if (item.kind === 'ledger') for (const path of editedPaths(item.block.text())) paths.add(path);
    else if (item.kind === 'step')
      for (const { tool, title } of item.step.calls) if (tool === 'edit') paths.add(title);
  }
  return `${EDITED}${[...paths].join(' ')}\n${[...constraints].map((line) => `${CONSTRAINT}${line}`).join('\n')}`;
}

const EDITED = 'Edited: ';
const CONSTRAINT = 'Constraint: ';

function takeOver(text: string, constraints: Set<string>, paths: Set<string>): void {
  for (const line of text.split('\n')) {
    if (line.startsWith(CONSTRAINT)) constraints.add(line.slice(CONSTRAINT.length));
    if (line.startsWith(EDITED)) for (const path of line.slice(EDITED.length).split(' ')) paths.add(path);
  }
}

function constraintLines(text: string): string[] {
  return text.split('\n').filter((line) => /\b(never|always|must|don't|do not|only)\b|不要|必须/i.test(line));
}

function editedPaths(ledger: string): string[] {
  return [...ledger.matchAll(/^#\d+ edit (\S+):/gm)].map((found) => found[1] ?? '');
}
