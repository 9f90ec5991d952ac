import { readDiff } from '../../protocol/diff.ts';

/** A line of a diff as it is shown. */
export interface DiffLine {
  /** `gap`: between two hunks of a file. */
  readonly type: 'context' | 'added' | 'removed' | 'gap' | 'note' | 'file';
  /** Without its sign. */
  readonly text: string;
  /** Line number in the new file; in the old one for a removed line. */
  readonly number?: number;
}

/** Never fails: what is no diff gives no lines. */
export function parseDiff(unified: string): readonly DiffLine[] {
  const lines: DiffLine[] = [];
  let hunks = 0;
  for (const { kind, line, number } of readDiff(unified)) {
    if (kind === 'added' || kind === 'removed' || kind === 'context')
      lines.push({ type: kind, text: line.slice(1), ...(number === undefined ? {} : { number }) });
    else if (kind === 'note' && hunks > 0) lines.push({ type: 'note', text: line.slice(1).trim() });
    else if (kind === 'file' && line.startsWith('+++ ')) {
      lines.push({ type: 'file', text: line.slice(4).split('\t')[0] ?? '' });
      hunks = 0;
    } else if (kind === 'hunk') {
      if (hunks > 0) lines.push({ type: 'gap', text: '' });
      hunks += 1;
    }
  }
  return lines;
}
