/** Which part of a reply that is still being written can be told for good: whole blocks, and whole sentences. Pure. */
import { type SplitText, splitFinished } from '../print/streaming.ts';

/** Characters that are worth a line of their own: a sentence at a time would be a line for every "Yes." */
const LEAST = 80;

export function splitTold(markdown: string): SplitText {
  const { finished, rest } = splitFinished(markdown);
  const end = sentencesEnd(rest);
  return { finished: finished + rest.slice(0, end), rest: rest.slice(end) };
}

/** Where the last whole sentence of a plain paragraph ends; 0 where nothing can be cut. */
function sentencesEnd(text: string): number {
  if (text.length < LEAST || !plainParagraph.test(text)) return 0;
  let end = 0;
  for (const match of text.matchAll(sentenceEnd)) {
    const at = match.index + match[0].length;
    if (at >= LEAST && isClosed(text.slice(0, at))) end = at;
  }
  return end;
}

/** No list, heading, quote, code, table, HTML or indentation: only there do lines mean more than blanks. */
const plainParagraph =
  /^\n*(?![ \t]{2}|[ \t]?(?:[-*+](?:\s|$)|\d{1,9}[.)](?:\s|$)|#{1,6}\s|>|```|~~~|\||<))[^|]*$/;
const sentenceEnd = /[.!?:]["')\]]*\s+(?=\S)|[。！？]["」』）]*(?=\S)/g;

/** Nothing that began in the text ends behind it: code, emphasis, a link. */
function isClosed(text: string): boolean {
  const isEven = (mark: RegExp): boolean => (text.match(mark)?.length ?? 0) % 2 === 0;
  const isBalanced = text.split('[').length === text.split(']').length;
  const isOneParagraph = !/\n[ \t]*(?:\n|[-=*+#>|`~]|\d+[.)])/.test(text.trim());
  return (
    isEven(/`/g) &&
    isEven(/\*\*/g) &&
    isEven(/(?<!\*)\*(?!\*)/g) &&
    isEven(/(?<![\w])_|_(?![\w])/g) &&
    isBalanced &&
    isOneParagraph
  );
}
