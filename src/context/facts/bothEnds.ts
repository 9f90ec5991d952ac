import { headOf, tailOf } from '../tokens/wellFormed.ts';

/** A long text's first and last characters, in whole lines where it has any; a short text as it is. */
export function bothEnds(text: string, head: number, tail: number): string {
  if (text.length <= head + tail) return text;
  const first = headOf(text, head);
  const last = tailOf(text, tail);
  const firstEnd = first.lastIndexOf('\n');
  return `${firstEnd === -1 ? first : first.slice(0, firstEnd)}\n${last.slice(last.indexOf('\n') + 1)}`;
}
