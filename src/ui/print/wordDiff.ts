/** Which words of a changed line changed. */

export interface WordRun {
  readonly text: string;
  readonly changed: boolean;
}

/** Beyond this only the common beginning and end are looked for: the table would grow with the square. */
const maxTokens = 250;

/** Runs of both lines, or `undefined` when so little is common that marking words would only be noise. */
export function wordDiff(before: string, after: string): { before: WordRun[]; after: WordRun[] } | undefined {
  const [a, b] = [tokens(before), tokens(after)];
  const keepA = new Array<boolean>(a.length).fill(false);
  const keepB = new Array<boolean>(b.length).fill(false);
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) {
    keepA[head] = keepB[head] = true;
    head += 1;
  }
  let [endA, endB] = [a.length, b.length];
  while (endA > head && endB > head && a[endA - 1] === b[endB - 1]) {
    endA -= 1;
    endB -= 1;
    keepA[endA] = keepB[endB] = true;
  }
  if (endA - head <= maxTokens && endB - head <= maxTokens) matchMiddle(a, b, head, endA, endB, keepA, keepB);
  const common = a.reduce((sum, token, i) => sum + (keepA[i] && token.trim() !== '' ? token.length : 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length);
  if (common < longest * 0.3) return undefined;
  return { before: runs(a, keepA), after: runs(b, keepB) };
}

function tokens(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** Longest common subsequence of what lies between the common beginning and end. */
function matchMiddle(
  a: readonly string[],
  b: readonly string[],
  head: number,
  endA: number,
  endB: number,
  keepA: boolean[],
  keepB: boolean[],
): void {
  const columns = endB - head + 1;
  const table = new Uint16Array((endA - head + 1) * columns);
  const cell = (i: number, j: number) => table[(i - head) * columns + (j - head)] ?? 0;
  for (let i = endA - 1; i >= head; i -= 1)
    for (let j = endB - 1; j >= head; j -= 1)
      table[(i - head) * columns + (j - head)] =
        a[i] === b[j] ? cell(i + 1, j + 1) + 1 : Math.max(cell(i + 1, j), cell(i, j + 1));
  for (let i = head, j = head; i < endA && j < endB; ) {
    if (a[i] === b[j]) {
      keepA[i] = keepB[j] = true;
      i += 1;
      j += 1;
    } else if (cell(i + 1, j) >= cell(i, j + 1)) i += 1;
    else j += 1;
  }
}

function runs(all: readonly string[], keep: readonly boolean[]): WordRun[] {
  const out: { text: string; changed: boolean }[] = [];
  all.forEach((text, index) => {
    const changed = keep[index] !== true;
    const last = out.at(-1);
    if (last?.changed === changed) last.text += text;
    else out.push({ text, changed });
  });
  return out;
}
