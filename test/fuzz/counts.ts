/** What a run counts; counts of several runs add up. */
export interface Counts {
  programs: number;
  operations: number;
  /** Requests that were ready to be sent; each was looked at. */
  requests: number;
  invalid: number;
  /** Requests over the true window, though the window was known and the vocabulary could be counted. */
  overWindow: number;
  /** The same where the vocabulary is public, but nobody was there to count with it. */
  overEstimated: number;
  /** The same where the vocabulary was not public, or the window was not as assumed: a server's refusal teaches. */
  overUnknown: number;
  /** Requests that could have been over: windows and vocabularies known. */
  knownWindow: number;
  unexplainedChanges: number;
  tooLarge: number;
  reductions: number;
  recalled: number;
  lossy: number;
  reopened: number;
  /** Reopenings in which a part of the log was not in memory. */
  tails: number;
  undone: number;
  /** Share of the window, in thousandths, that estimates took too much when something was reduced by itself. */
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
