import { memo } from 'react';
import { sanitize } from '../print/sanitize.ts';
import { renderToolLine } from '../print/toolLine.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import { Lines } from './Lines.tsx';

/** A call that runs now. */
export interface RunningTool {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  /** The last of its output. */
  readonly output: string;
}

export interface LiveToolsProps {
  readonly tools: readonly RunningTool[];
  readonly width: number;
  /** Rows they may take together. */
  readonly rows: number;
  readonly theme: Theme;
}

/** Each running call on a line, with the last lines of its output where there is room. */
export const LiveTools = memo(function LiveTools({ tools, width, rows, theme }: LiveToolsProps) {
  return <Lines lines={liveToolLines(tools, width, rows, theme)} />;
});

const outputRows = 3;

/** At most `rows` lines: the calls come first, then output, shared out evenly. */
export function liveToolLines(
  tools: readonly RunningTool[],
  width: number,
  rows: number,
  theme: Theme,
): string[] {
  if (rows < 1 || tools.length === 0) return [];
  const crowded = tools.length > rows;
  const shown = crowded ? tools.slice(0, Math.max(0, rows - 1)) : tools;
  const each = Math.min(outputRows, Math.floor((rows - tools.length) / tools.length));
  const lines = shown.flatMap(({ tool, title, output }) => [
    renderToolLine({ tool, title, status: 'running' }, width, theme),
    ...lastLines(output, each).map((line) => theme.dim(`    ${truncate(line, width - 4)}`)),
  ]);
  const more = `… +${tools.length - shown.length} more running`;
  return crowded ? [...lines, theme.dim(truncate(more, width))] : lines;
}

/** What a terminal would still show of it: a carriage return overwrites its line. */
function lastLines(output: string, many: number): string[] {
  if (many < 1) return [];
  const lines = output
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => sanitize(line.replace(/\r+$/, '').split('\r').at(-1) ?? '').trimEnd())
    .filter((line) => line !== '');
  return lines.slice(-many);
}
