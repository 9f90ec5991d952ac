import { useInput } from 'ink';
import { useEffect, useRef } from 'react';
import { type Stroke, strokesOf } from '../keys/strokes.ts';
import { useRawInput } from '../terminal/workarounds.ts';

/** Calls `onStroke` for each key and each piece of text while `isActive`; `isAlone`: nothing else came in the same piece. */
export function useStrokes(onStroke: (stroke: Stroke, isAlone: boolean) => void, isActive: boolean): void {
  const raw = useRef('');
  const events = useRawInput();
  // Before `useInput`, whose listener comes second: by then it is known what arrived.
  useEffect(() => {
    if (!isActive || events === undefined) return;
    const onData = (data: string): void => {
      raw.current = data;
    };
    events.on('input', onData);
    return () => events.removeListener('input', onData);
  }, [isActive, events]);
  useInput(
    (input, key) => {
      const strokes = strokesOf(input, key, raw.current);
      for (const stroke of strokes) onStroke(stroke, strokes.length === 1);
    },
    { isActive },
  );
}
