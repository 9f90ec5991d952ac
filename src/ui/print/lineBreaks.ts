/** Where a line may end: at spaces, and between Chinese and Japanese characters by their usual rules. */
import type { Span } from './spans.ts';
import { isAscii, textWidth } from './width.ts';

/** What stays together on a line, as far as a line is long enough. */
export interface Unit {
  readonly type: 'word' | 'space' | 'break';
  readonly spans: Span[];
  width: number;
  /** What follows without a space still belongs to it. */
  open: boolean;
}

/** Cuts styled text into units, in order; a word may run through several styles. */
export function unitsOf(spans: readonly Span[]): Unit[] {
  const units: Unit[] = [];
  for (const { text, paint } of spans) {
    const plain = isAscii(text.replaceAll('\n', ''));
    for (const [chunk] of text.matchAll(plain ? asciiChunks : mixedChunks)) {
      if (chunk === '\n') units.push({ type: 'break', spans: [], width: 0, open: false });
      else if (chunk.startsWith(' '))
        units.push({ type: 'space', spans: [{ text: chunk, paint }], width: chunk.length, open: false });
      else addWord(units, { text: chunk, paint }, !plain && startsWide.test(chunk));
    }
  }
  return units;
}

function addWord(units: Unit[], span: Span, wide: boolean): void {
  const before = units.at(-1);
  const width = textWidth(span.text);
  if (
    before?.type === 'word' &&
    ((before.open && !wide) || closing.test(span.text) || opening.test(before.spans.at(-1)?.text ?? ''))
  ) {
    before.spans.push(span);
    before.width += width;
    before.open = !wide;
  } else units.push({ type: 'word', spans: [span], width, open: !wide });
}

const asciiChunks = /\n| +|[^ \n]+/g;
const wide =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\u3000-\\u303f\\u30fb\\u30fc\\uff00-\\uff60';
const mixedChunks = new RegExp(`\\n| +|[${wide}][\\p{M}\\ufe00-\\ufe0f]*|[^ \\n${wide}]+`, 'gu');
const startsWide = new RegExp(`^[${wide}]`, 'u');
// What must not begin a line, and what must not end one.
const closing = /^[、。，．：；！？）］｝」』】〉》〕’”…ー々・％]|^[,.;:!?)\]}%]+$/;
const opening = /[（［｛「『【〈《〔‘“]$/;
