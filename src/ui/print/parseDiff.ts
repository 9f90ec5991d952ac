/** Unified diff text to lines with numbers. Hunk headers rule: a `---` inside a hunk is a removed line. */

export interface DiffLine {
  readonly type: 'context' | 'added' | 'removed' | 'gap' | 'note' | 'file';
  readonly text: string;
  /** Line number in the new file; in the old one for a removed line. */
  readonly number?: number;
}

/** Never fails: what is no diff gives no lines. */
export function parseDiff(unified: string): DiffLine[] {
  const lines: DiffLine[] = [];
  let [oldLine, newLine, oldLeft, newLeft] = [0, 0, 0, 0];
  let hunks = 0;
  for (const line of unified.split('\n')) {
    const inside = oldLeft > 0 || newLeft > 0;
    if (inside && line.startsWith('+')) {
      lines.push({ type: 'added', text: line.slice(1), number: newLine++ });
      newLeft -= 1;
    } else if (inside && line.startsWith('-')) {
      lines.push({ type: 'removed', text: line.slice(1), number: oldLine++ });
      oldLeft -= 1;
    } else if (inside && (line.startsWith(' ') || line === '')) {
      lines.push({ type: 'context', text: line.slice(1), number: newLine++ });
      oldLine += 1;
      oldLeft -= 1;
      newLeft -= 1;
    } else if (line.startsWith('\\')) {
      if (hunks > 0) lines.push({ type: 'note', text: line.slice(1).trim() });
    } else if (line.startsWith('+++ ')) {
      lines.push({ type: 'file', text: line.slice(4).split('\t')[0] ?? '' });
      hunks = 0;
    } else {
      const hunk = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
      if (hunk === null) continue;
      oldLine = Number(hunk[1]);
      oldLeft = Number(hunk[2] ?? 1);
      newLine = Number(hunk[3]);
      newLeft = Number(hunk[4] ?? 1);
      if (hunks > 0) lines.push({ type: 'gap', text: '' });
      hunks += 1;
    }
  }
  return lines;
}
