import { useEffect, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';

/** Milliseconds between two looks at an output that keeps coming, and at how long tasks run. */
const OUTPUT_MS = 100;
const SECOND_MS = 1000;

/**
 * Calls `onNews` when tasks start or end, when the task `id` has printed something (not more often than can be
 * read), and once a second while `isRunning`, for their durations.
 */
export function useTaskNews(
  agent: Pick<Agent, 'subscribe' | 'watchTask'>,
  id: string | undefined,
  isRunning: boolean,
  onNews: () => void,
): void {
  const newest = useRef(onNews);
  newest.current = onNews;

  useEffect(
    () =>
      agent.subscribe((event) => {
        if (event.type === 'tasks_changed') newest.current();
      }),
    [agent],
  );
  useEffect(() => {
    if (id === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const unwatch = agent.watchTask(id, () => {
      timer ??= setTimeout(() => {
        timer = undefined;
        newest.current();
      }, OUTPUT_MS);
    });
    return () => {
      unwatch();
      clearTimeout(timer);
    };
  }, [agent, id]);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => newest.current(), SECOND_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
}
