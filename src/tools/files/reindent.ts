/** Converts the indentation of a text to that of the file, learned from lines that both contain. Pure. */

type Pair = readonly [from: string, to: string];

/**
 * Learns from lines of the old text and the same lines in the file; undefined if one indentation of the old text
 * corresponds to two in the file, so that nothing can be learned safely.
 */
export function learnIndentation(
  oldLines: readonly string[],
  fileLines: readonly string[],
): ((text: string) => string) | undefined {
  const known = new Map<string, string>();
  for (const [index, line] of oldLines.entries()) {
    if (line.trim() === '') continue;
    const [from, to] = [indentOf(line), indentOf(fileLines[index] ?? '')];
    if ((known.get(from) ?? to) !== to) return undefined;
    known.set(from, to);
  }
  const guess = lineThrough([...known]);
  return (text) =>
    text
      .split('\n')
      .map((line) => {
        if (line.trim() === '') return line;
        const indent = indentOf(line);
        return (known.get(indent) ?? guess(indent)) + line.slice(indent.length);
      })
      .join('\n');
}

/**
 * For levels that the old text does not contain: file width = scale × old width + shift, fitted to the levels it does
 * contain. Two levels determine both; one level determines a shift, or a scale if one side uses tabs and the other
 * spaces.
 */
function lineThrough(pairs: readonly Pair[]): (indent: string) => string {
  const sorted = pairs.toSorted(([a], [b]) => a.length - b.length);
  const [first, last] = [sorted[0], sorted.at(-1)];
  const uniform = pairs.every(([from, to]) => isUniform(from) && isUniform(to));
  if (first === undefined || last === undefined || !uniform) return (indent) => indent;
  const [low, high] = [first.map((side) => side.length), last.map((side) => side.length)] as const;
  const [lowFrom = 0, lowTo = 0] = low;
  const [highFrom = 0, highTo = 0] = high;
  const sameCharacter = first[0] === '' || first[1] === '' || first[0][0] === first[1][0];
  let scale = 1;
  if (highFrom !== lowFrom) scale = (highTo - lowTo) / (highFrom - lowFrom);
  else if (!sameCharacter) scale = lowTo / lowFrom;
  // Both levels map to one: deeper levels cannot be derived from that.
  if (scale <= 0) scale = 1;
  const shift = lowTo - scale * lowFrom;
  const fileCharacter = pairs.find(([, to]) => to !== '')?.[1][0];
  return (indent) => {
    if (!isUniform(indent)) return indent;
    const width = Math.max(0, Math.round(scale * indent.length + shift));
    return (fileCharacter ?? indent[0] ?? ' ').repeat(width);
  };
}

function isUniform(indent: string): boolean {
  return /^(?: *|\t*)$/.test(indent);
}

function indentOf(line: string): string {
  return line.slice(0, line.length - line.trimStart().length);
}
