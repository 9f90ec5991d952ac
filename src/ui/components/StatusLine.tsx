import { memo } from 'react';
import type { Theme } from '../theme.ts';
import { Lines } from './Lines.tsx';
import { type StatusFacts, statusLine } from './statusLine.ts';

export interface StatusLineProps extends StatusFacts {
  readonly width: number;
  readonly theme: Theme;
}

/** Model, mode, context used, cost: one row from 20 columns on. */
export const StatusLine = memo(function StatusLine({ width, theme, ...facts }: StatusLineProps) {
  return <Lines lines={[statusLine(facts, width, theme)]} />;
});
