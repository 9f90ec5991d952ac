/** What a program knows for certain of the part that a summary stands for: no model has to remember it. */
import { lazily } from '../parts.ts';
import type { Facts, Item, Quote } from '../policy.ts';

/** Edited paths, the user's constraints in their own words, and decisions. */
export function factsOf(items: readonly Item[]): Facts {
  const paths = new Set<string>();
  const constraints: Quote[] = [];
  const decisions: Quote[] = [];
  for (const item of items) {
    if (item.kind === 'prompt') constraints.push(quoteOf(item.block.text, lasting));
    else if (item.kind === 'step') {
      for (const { tool, title } of item.step.calls) if (tool === 'edit') paths.add(title);
      decisions.push(quoteOf(item.reply.text, decided));
    } else {
      for (const path of item.facts?.paths ?? []) paths.add(path);
      constraints.push(...(item.facts?.constraints ?? []));
      decisions.push(...(item.facts?.decisions ?? []));
    }
  }
  return { paths: [...paths], constraints, decisions };
}

/** As text, the newest where not all have room, and what that costs where nobody has written it yet. */
export function writeFacts(facts: Facts): { facts: Facts; text: () => string; tokens: number } {
  const paths = facts.paths.slice(-MOST_PATHS);
  const constraints = facts.constraints.slice(-MOST_CONSTRAINTS);
  const text = lazily(() =>
    [
      `Edited: ${paths.join(' ')}`,
      ...said(constraints),
      ...said(facts.decisions).slice(-MOST_DECISIONS),
    ].join('\n'),
  );
  const quoted = constraints.length + Math.min(MOST_DECISIONS, facts.decisions.length * DECIDED_SHARE);
  return { facts, text, tokens: paths.length * PATH_TOKENS + quoted * QUOTE_TOKENS };
}

/** The quotes that are not empty. */
export function said(quotes: readonly Quote[]): string[] {
  return quotes.map((quote) => quote()).filter((quote) => quote !== '');
}

/** Bounds of what is written behind a summary, however long the session. */
const MOST_PATHS = 600;
const MOST_CONSTRAINTS = 300;
const MOST_DECISIONS = 60;
const PATH_TOKENS = 6;
const QUOTE_TOKENS = 18;
/** About one reply in eight says a decision. */
const DECIDED_SHARE = 0.12;

const lasting = /\b(never|always|must|don't|do not|only)\b|不要|必须/i;
const decided = /^decision\b/i;

function quoteOf(text: () => string, cue: RegExp): Quote {
  return lazily(() => {
    const found = text()
      .split('\n')
      .filter((line) => cue.test(line));
    return found.join('\n').slice(0, 300);
  });
}
