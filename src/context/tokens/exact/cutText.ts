/**
 * A place at or before `limit` where a text may be cut without changing how either side is encoded: behind an ASCII
 * letter or digit that another class follows, or between a character and a blank. Where the last 4,096 characters
 * have none (one unbroken run), `limit` itself, which can cost a token or two; never inside a surrogate pair.
 * `text.length` when that is not beyond `limit`.
 */
export function cutBefore(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length;
  const least = Math.max(start + 1, limit - REACH);
  for (let at = limit; at >= least; at--) if (isBoundary(text, at)) return at;
  const isInsidePair = isHigh(text.charCodeAt(limit - 1)) && limit - 1 > start;
  return isInsidePair ? limit - 1 : limit;
}

const REACH = 4096;

function isBoundary(text: string, at: number): boolean {
  const before = text.charCodeAt(at - 1);
  const after = text.charCodeAt(at);
  if (after === 32) return before > 32 && before < 0x80;
  if (after >= 0x80 || after === 39) return false;
  const kind = kindOf(before);
  return kind !== 0 && kind !== kindOf(after);
}

/** 1 = ASCII letter, 2 = ASCII digit, 0 = anything else. */
function kindOf(code: number): number {
  if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90)) return 1;
  return code >= 48 && code <= 57 ? 2 : 0;
}

function isHigh(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
