/**
 * The scripted summariser: takes over lines that look important, newest first, until its budget is spent. It
 * is no model and understands nothing; but every policy gets the same one, so that policies can be compared.
 */
const CHARACTERS_PER_TOKEN = 4;

const important =
  /\b(never|must|always|don't|do not|only|decision|because|error|fail|failed|expected|export)\b|不要|必须|错误/i;
const path = /\b(?:src|test|lib)\/[\w./-]+\.\w+/;

export function extract(texts: Iterable<string>, tokens: number): string {
  const chosen: string[] = [];
  let left = tokens * CHARACTERS_PER_TOKEN;
  const lines = [...texts].flatMap((text) => text.split('\n'));
  const seen = new Set<string>();
  for (const line of lines.toReversed()) {
    const short = line.trim().slice(0, 160);
    if (short === '' || seen.has(short) || !(important.test(short) || path.test(short))) continue;
    seen.add(short);
    left -= short.length + 1;
    if (left < 0) break;
    chosen.push(short);
  }
  return chosen.reverse().join('\n');
}
