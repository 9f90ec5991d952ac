/** Counters of a run; those of several runs can be added. */
export interface Counts {
  programs: number;
  operations: number;
  /** Requests that were ready to be sent and were checked. */
  requests: number;
  invalid: number;
  /** Requests over the true window although the window and the vocabulary were known. */
  overWindow: number;
  /** The same, if the vocabulary is public but there was no exact counter. */
  overEstimated: number;
  /**
   * The same, if the vocabulary was not public or the window was not as assumed: the server's rejection teaches the
   * limit.
   */
  overUnknown: number;
  /** Requests with a known window and vocabulary. */
  knownWindow: number;
  unexplainedChanges: number;
  tooLarge: number;
  reductions: number;
  recalled: number;
  lossy: number;
  reopened: number;
  /** Sessions reopened with part of the log outside of memory. */
  tails: number;
  undone: number;
  /** Sum of the overestimates that led to automatic reductions, in thousandths of the window. */
  marginSum: number;
  marginCount: number;
  marginMost: number;
}

export const noCounts = (): Counts => ({
  programs: 0,
  operations: 0,
  requests: 0,
  invalid: 0,
  overWindow: 0,
  overEstimated: 0,
  overUnknown: 0,
  knownWindow: 0,
  unexplainedChanges: 0,
  tooLarge: 0,
  reductions: 0,
  recalled: 0,
  lossy: 0,
  reopened: 0,
  tails: 0,
  undone: 0,
  marginSum: 0,
  marginCount: 0,
  marginMost: 0,
});

export function addCounts(to: Counts, more: Counts): void {
  for (const name of Object.keys(to) as (keyof Counts)[]) {
    if (name === 'marginMost') to[name] = Math.max(to[name], more[name]);
    else to[name] += more[name];
  }
}
