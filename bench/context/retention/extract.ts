/**
 * The scripted summarizer: takes over lines that look important, newest first, until its budget is spent. It
 * is no model and understands nothing; but every policy gets the same one, so that policies can be compared.
 */
const CHARACTERS_PER_TOKEN = 4;

const important = /\b(decision|because|error|fail|failed|expected|export)\b|错误/i;
const path = /\b(?:src|test|lib)\/[\w./-]+\.\w+/;
/** Words of a user's rule. Every agent asks its summarizer to keep those, so they go in first. */
const rule = /\b(never|must|always|don't|do not|only)\b|不要|必须/i;
/** Largest share of the budget for rules. */
const SHARE_OF_RULES = 1 / 4;

/** `count` measures a line in tokens where that matters; by default a token is four characters. */
export function extract(
  texts: Iterable<string>,
  tokens: number,
  count = (line: string): number => (line.length + 1) / CHARACTERS_PER_TOKEN,
): string {
  const lines = [...texts].flatMap((text) => text.split('\n')).reverse();
  const seen = new Set<string>();
  const take = (budget: number, isWanted: (line: string) => boolean): { chosen: string[]; left: number } => {
    const chosen: string[] = [];
    let left = budget;
    for (const line of lines) {
      const short = line.trim().slice(0, 160);
      if (short === '' || seen.has(short) || !isWanted(short)) continue;
      seen.add(short);
      const size = count(short);
      if (size > left) break;
      left -= size;
      chosen.push(short);
    }
    return { chosen: chosen.reverse(), left };
  };
  const rules = take(tokens * SHARE_OF_RULES, (line) => rule.test(line));
  const rest = take(
    tokens - tokens * SHARE_OF_RULES + rules.left,
    (line) => rule.test(line) || important.test(line) || path.test(line),
  );
  return [...rules.chosen, ...rest.chosen].join('\n');
}

/** Under the headings that a model is asked for. */
export function writeSummary(
  texts: Iterable<string>,
  tokens: number,
  count?: (line: string) => number,
): string {
  return `## Primary request and intent\nGo on with the work.\n\n## Current work status\n${extract(texts, tokens - 100, count)}`;
}
