/** Gives a text the indentation of the file, learned from lines that stand in both. Pure. */

type Pair = readonly [from: string, to: string];

/**
 * Learns from lines of the old text and the same lines in the file; undefined when one indentation of the
 * old text stands for two of the file, so that nothing can be learned safely.
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
 * Levels that the old text does not show: file width = scale × old width + shift, through the levels it
 * does show. Two levels give both; one level is a shift, or a scale when one side is tabs and one spaces.
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
  // Two levels on one: nothing deeper can be told from it.
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
