/** Parses unified diffs for everything that shows one. Follows hunk headers: inside a hunk, `---` is a removed line. */

export interface RawDiffLine {
  /** `file`: `---`, `+++` and other lines that name files; `note`: "No newline at end of file". */
  readonly kind: 'context' | 'added' | 'removed' | 'hunk' | 'file' | 'note' | 'other';
  /** The complete line. */
  readonly line: string;
  /** Line number in the new file; for a removed line, in the old file. */
  readonly number?: number;
}

/** Classifies each line. Never fails: text that is not a diff is `other`. */
export function readDiff(unified: string): readonly RawDiffLine[] {
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];
  const lines = unified.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line): RawDiffLine => {
    const inside = oldLeft > 0 || newLeft > 0;
    if (inside && line.startsWith('+')) {
      newLeft -= 1;
      return { kind: 'added', line, number: newLine++ };
    }
    if (inside && line.startsWith('-')) {
      oldLeft -= 1;
      return { kind: 'removed', line, number: oldLine++ };
    }
    if (inside && (line.startsWith(' ') || line === '')) {
      oldLine += 1;
      oldLeft -= 1;
      newLeft -= 1;
      return { kind: 'context', line, number: newLine++ };
    }
    if (line.startsWith('\\')) return { kind: 'note', line };
    const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk === null)
      return { kind: /^(?:\+\+\+ |--- |diff |index |Index:|={10,})/.test(line) ? 'file' : 'other', line };
    oldLine = Number(hunk[1]);
    oldLeft = Number(hunk[2] ?? 1);
    newLine = Number(hunk[3]);
    newLeft = Number(hunk[4] ?? 1);
    return { kind: 'hunk', line };
  });
}

/** Counts added and removed lines. */
export function diffSize(unified: string): { readonly added: number; readonly removed: number } {
  const lines = readDiff(unified);
  const many = (wanted: RawDiffLine['kind']): number => lines.filter(({ kind }) => kind === wanted).length;
  return { added: many('added'), removed: many('removed') };
}
