/**
 * True if some name could match both of two simple patterns (`*`, `?`, `[…]`). Errs on the side of true: treats a
 * bracket expression as `?`, and braces, parentheses, classes (`[[:alpha:]]`) and escaped characters as `*`, because
 * programs interpret them differently.
 */
export function globsOverlap(left: string, right: string): boolean {
  const [a, b] = [simplify(left), simplify(right)];
  const seen = new Set<number>();
  const overlap = (i: number, j: number): boolean => {
    if (i === a.length && j === b.length) return true;
    const key = i * (b.length + 1) + j;
    if (seen.has(key)) return false;
    seen.add(key);
    if (a[i] === '*') return overlap(i + 1, j) || (j < b.length && overlap(i, j + 1));
    if (b[j] === '*') return overlap(i, j + 1) || (i < a.length && overlap(i + 1, j));
    if (i === a.length || j === b.length) return false;
    return (a[i] === '?' || b[j] === '?' || a[i] === b[j]) && overlap(i + 1, j + 1);
  };
  return overlap(0, 0);
}

/** True if a shell would expand the text as a pattern. */
export const hasGlob = (text: string): boolean => /[*?[]/.test(text);

function simplify(pattern: string): string {
  if (pattern.length > 256) return '*';
  return pattern
    .replace(/\\./gs, '*')
    .replace(/\[[!^]?\[[:.=].*\]/s, '*')
    .replace(/\[[!^]?\]?[^\]]*\]/g, '?')
    .replace(/[{(].*[})]/g, '*')
    .replace(/\*+/g, '*');
}
