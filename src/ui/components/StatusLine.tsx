import { memo } from 'react';
import type { Theme } from '../theme/theme.ts';
import { Lines } from './Lines.tsx';
import { type StatusFacts, statusLine } from './statusLine.ts';

export interface StatusLineProps extends StatusFacts {
  /** What the user's own command printed, painted; absent where there is none. */
  readonly own?: readonly string[] | undefined;
  readonly width: number;
  readonly theme: Theme;
}

/**
 * Model, mode, context used, cost: one row from 20 columns on; or the user's own. What nobody may overlook (the
 * demo, a session that is only read) is said in any case.
 */
export const StatusLine = memo(function StatusLine({ own, width, theme, ...facts }: StatusLineProps) {
  const isOwn = own !== undefined && own.length > 0;
  const lines = isOwn ? own : [];
  return (
    <Lines
      lines={
        isOwn && !facts.demo && facts.readOnly !== true ? lines : [...lines, statusLine(facts, width, theme)]
      }
    />
  );
});
