/**
 * Caches the lookups of one decision: each is done once, however many parts of a command need it. After a time limit,
 * slow lookups return the same as if there were too many entries, which leads to an approval prompt.
 */
import type { DiskLookups } from '../policy.ts';

interface LookupsOnce {
  readonly lookups: DiskLookups;
  /** True if a lookup was skipped because time was up. */
  readonly isCut: () => boolean;
}

/** Time limit for the slow lookups of one decision, in milliseconds. */
const MAX_LOOKUP_MS = 5000;

/** `now`: milliseconds. Use for one decision only, because results are never refreshed. */
export function lookupsOnce(lookups: DiskLookups, now: () => number): LookupsOnce {
  const until = now() + MAX_LOOKUP_MS;
  let wasCut = false;
  const once = <A extends readonly unknown[], R>(ask: (...args: A) => R): ((...args: A) => R) => {
    const known = new Map<string, R>();
    return (...given) => {
      // As a callback it is also given the whole array, which would be part of each key.
      const args = (ask.length === 0 ? given : given.slice(0, ask.length)) as unknown as A;
      const key = JSON.stringify(args);
      if (known.has(key)) return known.get(key) as R;
      const answer = ask(...args);
      known.set(key, answer);
      return answer;
    };
  };
  /**
   * `unknown`: the answer that leads to an approval prompt. It also replaces cached answers, since every part of a
   * command would scan the same fifty thousand names.
   */
  const inTime = <A extends readonly unknown[], R>(ask: (...args: A) => R, unknown: R) => {
    const asked = once(ask);
    return (...args: A): R => {
      if (now() <= until) return asked(...args);
      wasCut = true;
      return unknown;
    };
  };
  const repositoryTop = once(lookups.repositoryTop);
  /** Parses an index of a hundred thousand files once, not for each folder. */
  const oncePerRepository = <R>(ask: (directory: string) => R | undefined) => {
    const inTop = inTime(ask, undefined);
    return (directory: string): R | undefined => inTop(repositoryTop(directory) ?? directory);
  };
  return {
    isCut: () => wasCut,
    lookups: {
      realpath: once(lookups.realpath),
      linksIn: once(lookups.linksIn),
      homeLinks: once(lookups.homeLinks),
      linkId: once(lookups.linkId),
      linkedSecrets: once(lookups.linkedSecrets),
      isDirectory: once(lookups.isDirectory),
      findUpwards: once(lookups.findUpwards),
      readText: once(lookups.readText),
      toolsFolderNamed: once(lookups.toolsFolderNamed),
      gitFolder: once(lookups.gitFolder),
      ...(lookups.holdsCredentials && { holdsCredentials: inTime(lookups.holdsCredentials, true) }),
      ...(lookups.holdsAnySecret && { holdsAnySecret: inTime(lookups.holdsAnySecret, true) }),
      gitIncludes: once(lookups.gitIncludes),
      blocksGit: once(lookups.blocksGit),
      expandGlob: inTime(lookups.expandGlob, undefined),
      listTree: inTime(lookups.listTree, undefined),
      filesBelow: inTime(lookups.filesBelow, undefined),
      repositoryTop,
      trackedFiles: oncePerRepository(lookups.trackedFiles),
      trackedPaths: oncePerRepository(lookups.trackedPaths),
      gitShows: inTime(lookups.gitShows, undefined),
      gitHeldCredentials: inTime(lookups.gitHeldCredentials, true),
      gitSecrets: inTime(lookups.gitSecrets, undefined),
      gitMessagesHoldSecret: inTime(lookups.gitMessagesHoldSecret, undefined),
      gitProblem: () => (wasCut ? undefined : lookups.gitProblem?.()),
      gitRunsPrograms: inTime(lookups.gitRunsPrograms, true),
      gitFetches: inTime(lookups.gitFetches, true),
      gitProgramSetting: inTime(lookups.gitProgramSetting, 'settings that could not be read in time'),
      gitRemoteSetting: inTime(lookups.gitRemoteSetting, 'settings that could not be read in time'),
      gitSettings: once(lookups.gitSettings),
      projectProgram: once(lookups.projectProgram),
    },
  };
}
