/** Rows that change while the user waits: the spinner, and the countdown to a retry. */
import { useAnimation } from 'ink';
import type { ModelError } from '../../protocol/models/model.ts';
import { localTime } from '../../protocol/text/localTime.ts';
import { shortTokens } from '../../protocol/text/numbers.ts';
import { Lines } from '../dialog/Lines.tsx';
import { formatDuration } from '../print/numbers.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

interface SpinnerProps {
  /** The activity, such as "Working" or "Compacting". */
  readonly verb: string;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Tokens received so far; may be an estimate. */
  readonly tokens?: number | undefined;
  readonly hint?: string | undefined;
  readonly width: number;
  readonly theme: Theme;
  /** Disables animation: a fixed symbol, and the start time instead of the duration. */
  readonly reducedMotion?: boolean;
  readonly now?: () => number;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'] as const;

/** One row. Mount it only while something runs: it animates as long as it is mounted. */
export function Spinner({ reducedMotion = false, ...props }: SpinnerProps) {
  return reducedMotion ? <StillSpinner {...props} /> : <MovingSpinner {...props} />;
}

type Row = Omit<SpinnerProps, 'reducedMotion'>;

function MovingSpinner(props: Row) {
  const { frame } = useAnimation({ interval: 120 });
  const { startedAt, now = Date.now } = props;
  const seconds = formatDuration(Math.floor(Math.max(0, now() - startedAt) / 1000) * 1000).replace(
    '.0s',
    's',
  );
  return <Lines lines={[spinnerRow(props, frames[frame % frames.length] ?? '●', seconds)]} />;
}

function StillSpinner(props: Row) {
  const began = new Date(props.startedAt);
  const clock = localTime(began);
  return <Lines lines={[spinnerRow(props, '●', `since ${clock}`)]} />;
}

function spinnerRow(
  { verb, tokens = 0, hint = 'esc to interrupt', width, theme }: Row,
  mark: string,
  time: string,
): string {
  const facts = [time, ...(tokens > 0 ? [`${shortTokens(tokens)} tokens`] : []), hint].filter(Boolean);
  const text = shortened(`${sanitizeLine(verb)}…`, width - 2);
  const detail = fitting(facts, width - 2 - textWidth(text));
  return `${theme.accent(mark)} ${theme.accent(text)}${theme.dim(detail)}`;
}

/** On a narrow screen only the first word, to leave room for the time: "Compacting…". */
function shortened(verb: string, width: number): string {
  return truncate(textWidth(verb) <= width ? verb : verb.replace(/ .*/, '…'), width);
}

/** As many of the facts as fit, in parentheses. */
function fitting(facts: readonly string[], room: number): string {
  for (let many = facts.length; many > 0; many -= 1) {
    const text = ` (${facts.slice(0, many).join(' · ')})`;
    if (textWidth(text) <= room) return text;
  }
  return '';
}

interface RetryNoticeProps {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly error: ModelError;
  /** Start of the next attempt, in milliseconds since the epoch. */
  readonly until: number;
  readonly width: number;
  /** Rows available; 3 by default. */
  readonly rows?: number;
  readonly theme: Theme;
  /** Disables the countdown. */
  readonly reducedMotion?: boolean;
  readonly now?: () => number;
}

/** The reason of the failure, and the time until the next attempt. */
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

/** Cuts the lines and marks the cut. */
function cut(lines: readonly string[], rows: number, width: number): readonly string[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), truncate(`${lines[rows - 1] ?? ''} …`, width)];
}
