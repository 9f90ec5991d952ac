import { useEffect, useState } from 'react';
import { Lines } from '../components/Lines.tsx';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';

/** Milliseconds after which a command is slow enough for somebody to want it elsewhere. */
const SLOW_MS = 3000;

export interface BackgroundHintProps {
  /** The running command that could be moved; undefined where there is none. */
  readonly callId: string | undefined;
  readonly width: number;
  readonly theme: Theme;
}

/** How a command that takes its time gets out of the way. One timer for each command, none when there is nothing to say. */
export function BackgroundHint({ callId, width, theme }: BackgroundHintProps) {
  const [slowId, setSlowId] = useState<string>();
  useEffect(() => {
    if (callId === undefined) return;
    const timer = setTimeout(() => setSlowId(callId), SLOW_MS);
    return () => clearTimeout(timer);
  }, [callId]);
  if (callId === undefined || slowId !== callId) return null;
  return <Lines lines={[theme.dim(truncate('    ctrl+b to run in background', width))]} />;
}
