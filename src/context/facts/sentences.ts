/** Longest sentence that is looked at, in characters; a longer one is data, not speech. */
const MAX_SENTENCE = 1500;

/**
 * The sentences of prose, each as it stands in the text: cut at full stops of any script, at blank lines, at
 * items of a list and at line ends that are no mere wrapping. Fenced code and quoted lines are left out.
 */
export function* sentencesOf(text: string): Generator<string> {
  let isFenced = false;
  let open = '';
  for (const line of linesOf(text)) {
    const bare = line.trim();
    const isFence = bare.startsWith('```') || bare.startsWith('~~~');
    if (isFence) isFenced = !isFenced;
    if (isFence || isFenced || bare.startsWith('>') || bare === '') {
      if (open !== '') yield* cut(open);
      open = '';
      continue;
    }
    if (open !== '' && !continues(open, bare)) {
      yield* cut(open);
      open = '';
    }
    open = open === '' ? bare : `${open}\n${bare}`;
    if (open.length > MAX_SENTENCE * 4) {
      yield* cut(open);
      open = '';
    }
  }
  yield* cut(open);
}

function* linesOf(text: string): Generator<string> {
  let start = 0;
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
    yield text.slice(start, end);
    start = end + 1;
  }
  yield text.slice(start);
}

/** A line that was only wrapped goes on in lower case, and the one before it is as long as a wrapped line is. */
function continues(before: string, line: string): boolean {
  const last = before.slice(before.lastIndexOf('\n') + 1);
  return last.length >= 40 && !/[.!?:;。！？：；]$/.test(last) && /^\p{Ll}/u.test(line);
}

function* cut(text: string): Generator<string> {
  let start = 0;
  for (const { index, 0: stop } of text.matchAll(STOP)) {
    const end = index + stop.length;
    // "e.g. this" and "z.B. das" go on; a dot inside a name has no blank behind it.
    if (
      stop.startsWith('.') &&
      /(?:^|[\s(])(?:e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|etc|vs|bzw|ca|Nr|No|p\.\s?ej)$/.test(
        text.slice(Math.max(start, index - 6), index),
      )
    )
      continue;
    const one = clean(text.slice(start, end));
    if (one !== '' && one.length <= MAX_SENTENCE) yield one;
    start = end;
  }
  const rest = clean(text.slice(start));
  if (rest !== '' && rest.length <= MAX_SENTENCE) yield rest;
}

/** A run of stops is taken from its beginning only, so that no run is slow. */
const STOP = /(?<![.!?;])[.!?;]{1,9}["'”’)\]]{0,4}(?=\s|$)|(?<![。！？；])[。！？；]{1,9}[”’」』）]{0,4}/g;

/** Without the mark of a list item; the words stay as they are. */
function clean(sentence: string): string {
  return sentence
    .trim()
    .replace(/^(?:[-*+•·]|\d{1,3}[.)、]|[（(]\d{1,2}[)）])\s*/, '')
    .trim();
}
