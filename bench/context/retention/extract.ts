/**
 * The scripted summariser: takes over lines that look important, newest first, until its budget is spent. It
 * is no model and understands nothing; but every policy gets the same one, so that policies can be compared.
 */
const CHARACTERS_PER_TOKEN = 4;

const important =
  /\b(never|must|always|don't|do not|only|decision|because|error|fail|failed|expected|export)\b|不要|必须|错误/i;
const path = /\b(?:src|test|lib)\/[\w./-]+\.\w+/;

/** `count` measures a line in tokens where that matters; by default a token is four characters. */
export function extract(
  texts: Iterable<string>,
  tokens: number,
  count = (line: string): number => (line.length + 1) / CHARACTERS_PER_TOKEN,
): string {
  const chosen: string[] = [];
  let left = tokens;
  const lines = [...texts].flatMap((text) => text.split('\n'));
  const seen = new Set<string>();
  for (const line of lines.toReversed()) {
    const short = line.trim().slice(0, 160);
    if (short === '' || seen.has(short) || !(important.test(short) || path.test(short))) continue;
    seen.add(short);
    left -= count(short);
    if (left < 0) break;
    chosen.push(short);
  }
  return chosen.reverse().join('\n');
}

/** Under the headings that a model is asked for. */
export function writeSummary(
  texts: Iterable<string>,
  tokens: number,
  count?: (line: string) => number,
): string {
  return `## Primary request and intent\nGo on with the work.\n\n## Current work status\n${extract(texts, tokens - 100, count)}`;
}
