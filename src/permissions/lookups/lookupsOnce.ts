/**
 * The lookups of one decision: each question is put to the disk or to git once, however many parts of a command ask it,
 * and when the time is up, what may take long is answered as if there were too much to look at, which asks.
 */
import type { DiskLookups } from '../policy.ts';

export interface LookupsOnce {
  readonly lookups: DiskLookups;
  /** Whether anything was left unanswered for want of time. */
  readonly isCut: () => boolean;
}

/** Milliseconds in which one decision may look at what takes long. */
export const MAX_LOOKUP_MS = 5000;

/** `now`: milliseconds. For one decision only: what is on disk counts as it was when it was first asked about. */
export function lookupsOnce(lookups: DiskLookups, now: () => number, maxMs = MAX_LOOKUP_MS): LookupsOnce {
  const until = now() + maxMs;
  let wasCut = false;
  const once = <A extends readonly unknown[], R>(ask: (...args: A) => R): ((...args: A) => R) => {
    const known = new Map<string, R>();
    return (...args) => {
      const key = JSON.stringify(args);
      if (known.has(key)) return known.get(key) as R;
      const answer = ask(...args);
      known.set(key, answer);
      return answer;
    };
  };
  /**
   * `unknown`: the answer that makes the caller careful. It also takes the place of what is known: each part of a
   * command would look through the same fifty thousand names.
   */
  const inTime = <A extends readonly unknown[], R>(ask: (...args: A) => R, unknown: R) => {
    const asked = once(ask);
    return (...args: A): R => {
      if (now() <= until) return asked(...args);
      wasCut = true;
      return unknown;
    };
  };
  return {
    isCut: () => wasCut,
    lookups: {
      realpath: once(lookups.realpath),
      linksIn: once(lookups.linksIn),
      isDirectory: once(lookups.isDirectory),
      findUpwards: once(lookups.findUpwards),
      toolsFolderNamed: once(lookups.toolsFolderNamed),
      gitFolder: once(lookups.gitFolder),
      gitIncludes: once(lookups.gitIncludes),
      expandGlob: inTime(lookups.expandGlob, undefined),
      listTree: inTime(lookups.listTree, undefined),
      filesBelow: inTime(lookups.filesBelow, undefined),
      trackedFiles: inTime(lookups.trackedFiles, undefined),
      gitShows: inTime(lookups.gitShows, undefined),
      gitRunsPrograms: inTime(lookups.gitRunsPrograms, true),
    },
  };
}
