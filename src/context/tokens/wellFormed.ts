/** Replaces lone surrogates, which are invalid in UTF-8 and are refused by servers, with U+FFFD. */
export function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The first `length` UTF-16 units, or one less where that would split a pair. */
export function headOf(text: string, length: number): string {
  const end = isHighSurrogate(text, length - 1) && length < text.length ? length - 1 : length;
  return text.slice(0, Math.max(0, end));
}

/** The last `length` UTF-16 units, or one less where that would split a pair. */
export function tailOf(text: string, length: number): string {
  if (length <= 0) return '';
  const start = Math.max(0, text.length - length);
  return text.slice(start > 0 && isHighSurrogate(text, start - 1) ? start + 1 : start);
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code <= 0xdbff;
}
