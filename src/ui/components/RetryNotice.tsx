import { useAnimation } from 'ink';
import type { ModelError } from '../../protocol/model.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { Lines } from './Lines.tsx';

export interface RetryNoticeProps {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly error: ModelError;
  /** When the next try starts; milliseconds since the epoch. */
  readonly until: number;
  readonly width: number;
  /** Rows that it may take; three where nobody says. */
  readonly rows?: number;
  readonly theme: Theme;
  /** Nothing is counted down. */
  readonly reducedMotion?: boolean;
  readonly now?: () => number;
}

/** Why the request failed and how long until the next try, counted down. */
export function RetryNotice({ reducedMotion = false, ...props }: RetryNoticeProps) {
  return reducedMotion ? <RetryLines {...props} /> : <Countdown {...props} />;
}

function Countdown(props: RetryNoticeProps) {
  useAnimation({ interval: 500 });
  return <RetryLines {...props} />;
}

function RetryLines(props: RetryNoticeProps) {
  const { attempt, maxAttempts, error, until, width, rows = 3, theme, now = Date.now } = props;
  const seconds = Math.max(0, Math.ceil((until - now()) / 1000));
  const when = seconds === 0 ? 'Retrying now' : `Retrying in ${seconds}s`;
  const count = `${when} (attempt ${attempt} of ${maxAttempts}) · Esc cancels`;
  const below = wrapText(count, width, theme.dim).slice(0, Math.max(1, Math.floor(rows / 2)));
  const reason = wrapText(sanitizeLine(error.message), width);
  return (
    <Lines
      lines={[...cut(reason, rows - below.length, width).map((line) => theme.warning(line)), ...below]}
    />
  );
}

/** What does not fit is missed visibly. */
function cut(lines: readonly string[], rows: number, width: number): readonly string[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), truncate(`${lines[rows - 1] ?? ''} …`, width)];
}
