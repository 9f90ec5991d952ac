import { useEffect, useRef, useState } from 'react';
import { Lines } from '../components/Lines.tsx';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';

/** Milliseconds after which a command is slow enough for somebody to want it elsewhere. */
const SLOW_MS = 3000;

export interface BackgroundHintProps {
  /** The command that runs; undefined where none does. */
  readonly callId: string | undefined;
  /** Asked when it has taken its time: whether it could be moved. */
  readonly canMove: () => boolean;
  /** Such as `ctrl+b`. */
  readonly shortcut: string;
  readonly width: number;
  readonly theme: Theme;
}

/** How a command that takes its time gets out of the way. One timer for each command, none when there is nothing to say. */
export function BackgroundHint({ callId, canMove, shortcut, width, theme }: BackgroundHintProps) {
  const [slowId, setSlowId] = useState<string>();
  const newest = useRef(canMove);
  newest.current = canMove;
  useEffect(() => {
    if (callId === undefined) return;
    const timer = setTimeout(() => setSlowId(newest.current() ? callId : undefined), SLOW_MS);
    return () => clearTimeout(timer);
  }, [callId]);
  if (callId === undefined || slowId !== callId) return null;
  return <Lines lines={[theme.dim(hintWithin(shortcut, width))]} />;
}

/** On a narrow screen in fewer words, so that what the key does is not what is cut off. */
function hintWithin(shortcut: string, width: number): string {
  const whole = `    ${shortcut} to run in background`;
  return textWidth(whole) <= width ? whole : truncate(`  ${shortcut} background`, width);
}
