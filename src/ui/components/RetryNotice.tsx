import { useAnimation } from 'ink';
import type { ModelError } from '../../protocol/model.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import type { Theme } from '../theme.ts';
import { Lines } from './Lines.tsx';

export interface RetryNoticeProps {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly error: ModelError;
  /** When the next try starts; milliseconds since the epoch. */
  readonly until: number;
  readonly width: number;
  readonly theme: Theme;
  /** Nothing is counted down. */
  readonly reducedMotion?: boolean;
  readonly now?: () => number;
}

const maxRows = 3;

/** Why the request failed and how long until the next try, counted down. */
export function RetryNotice({ reducedMotion = false, ...props }: RetryNoticeProps) {
  return reducedMotion ? <RetryLines {...props} /> : <Countdown {...props} />;
}

function Countdown(props: RetryNoticeProps) {
  useAnimation({ interval: 500 });
  return <RetryLines {...props} />;
}

function RetryLines({ attempt, maxAttempts, error, until, width, theme, now = Date.now }: RetryNoticeProps) {
  const seconds = Math.max(0, Math.ceil((until - now()) / 1000));
  const when = seconds === 0 ? 'Trying again now' : `Trying again in ${seconds}s`;
  const count = `${when} (attempt ${attempt} of ${maxAttempts}) · Esc cancels`;
  const reason = wrapText(sanitizeLine(error.message), width, theme.warning).slice(0, maxRows - 1);
  return <Lines lines={[...reason, ...wrapText(count, width, theme.dim).slice(0, 1)]} />;
}
