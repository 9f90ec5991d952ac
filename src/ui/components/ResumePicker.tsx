import { formatAge, formatBytes } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { padEnd, padStart, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { SessionRow } from '../types.ts';
import { Lines } from './Lines.tsx';
import { SelectList } from './SelectList.tsx';

export interface ResumePickerProps {
  /** Newest first. */
  readonly sessions: readonly SessionRow[];
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  readonly now?: () => Date;
  readonly onPick: (id: string) => void;
  readonly onCancel: () => void;
}

const previewLines = 4;

/** This project's sessions: title, age, size, branch, and the last lines of the one under the cursor. */
export function ResumePicker(props: ResumePickerProps) {
  const { sessions, width, rows, theme, isActive = true, now = () => new Date(), onPick, onCancel } = props;
  return (
    <SelectList
      title="Resume a session"
      items={sessions}
      textOf={(session) => `${session.title} ${session.gitBranch ?? ''} ${session.id}`}
      rowOf={(session, columns, isSelected) => sessionRow(session, columns, isSelected, now(), theme)}
      empty="No sessions in this project yet."
      width={width}
      rows={rows}
      theme={theme}
      isActive={isActive}
      detailRows={previewLines + 1}
      detailOf={(session) => <Lines lines={previewOf(session, width, theme)} />}
      onPick={(session) => onPick(session.id)}
      onCancel={onCancel}
    />
  );
}

/** One row: the title, then age, size and branch in columns as far as there is room for them. */
export function sessionRow(
  session: SessionRow,
  width: number,
  isSelected: boolean,
  now: Date,
  theme: Theme,
): string {
  const age = padEnd(formatAge(session.updatedAt, now), 10);
  const size = padStart(formatBytes(session.bytes), 8);
  const branch = padEnd(truncate(sanitizeLine(session.gitBranch ?? ''), 16), 16);
  const columns = width >= 70 ? [age, size, branch] : width >= 48 ? [age, size] : width >= 28 ? [age] : [];
  const facts = columns.map((column) => `  ${column}`).join('');
  const room = width - textWidth(facts);
  const title = padEnd(truncate(sanitizeLine(session.title) || '(no title)', room), room);
  return (isSelected ? theme.accent(title) : title) + theme.dim(facts.trimEnd());
}

/** Always the same number of lines, so that the list does not jump under the cursor. */
function previewOf(session: SessionRow | undefined, width: number, theme: Theme): string[] {
  const lines = (session?.lastLines ?? [])
    .flatMap((line) => sanitizeLine(line).trim() || [])
    .slice(-previewLines)
    .map((line) => theme.dim(`│ ${truncate(line, width - 2)}`));
  return ['', ...lines, ...Array.from({ length: previewLines - lines.length }, () => '')];
}
