import { useEffect, useRef } from 'react';

/**
 * After somebody else has stopped and continued the program (`kill -STOP`, then `fg`), the terminal is the shell's in
 * all its modes: `takeBack` takes it and draws anew. Where the terminal was given away anyway, nothing is to be done.
 */
export function useContinued(
  listen: ((listener: () => void) => () => void) | undefined,
  isGivenAway: () => boolean,
  takeBack: () => Promise<void>,
): void {
  const newest = useRef({ isGivenAway, takeBack });
  newest.current = { isGivenAway, takeBack };
  useEffect(
    () =>
      listen?.(() => {
        if (!newest.current.isGivenAway()) void newest.current.takeBack();
      }),
    [listen],
  );
}
