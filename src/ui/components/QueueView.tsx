import { memo } from 'react';
import type { PromptOp } from '../../protocol/ops.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { Lines } from './Lines.tsx';

export interface QueueViewProps {
  readonly queue: readonly PromptOp[];
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
}

/** What was typed while something runs, dim, oldest first; with too few rows, the newest and a count. */
export const QueueView = memo(function QueueView({ queue, width, rows, theme }: QueueViewProps) {
  return <Lines lines={queueLines(queue, width, rows, theme)} />;
});

/** At most `rows` lines. */
export function queueLines(queue: readonly PromptOp[], width: number, rows: number, theme: Theme): string[] {
  if (rows < 1 || queue.length === 0) return [];
  const shown = queue.length <= rows ? queue : queue.slice(queue.length - Math.max(0, rows - 1));
  const hidden = queue.length - shown.length;
  return [
    ...(hidden > 0 ? [theme.dim(truncate(`  … ${hidden} queued before`, width))] : []),
    ...shown.map(({ text, display }) =>
      theme.dim(`⧗ ${truncate(sanitizeLine((display ?? text).slice(0, 2000)), width - 2)}`),
    ),
  ];
}
