/**
 * What cannot be renamed while other commands of the session run: only that may be mounted for the next one. bubblewrap
 * follows links, and a place that a running command can put a link in the place of would show anything that the user has,
 * hidden or protected elsewhere. In its own sandbox a command cannot rename what is mounted there.
 */
import { lstatOf } from '../disk/fileLookups.ts';
import { foldersAbove, type SandboxPlan } from './plan.ts';

export interface HeldPlaces {
  /** Whether no running command could replace a folder or anything on the way to it; true where none runs. Never throws. */
  isHeld(path: string): boolean;
  /** Whether no command runs that may write. */
  isAlone(): boolean;
  /** The plan without the places that a running command could have put there, or could replace. Never throws. */
  only(plan: SandboxPlan): SandboxPlan;
  /** A command with this plan is about to run; call the result when it is gone. */
  hold(plan: SandboxPlan): () => void;
}

/** Paths with what they were: a mount is gone when another program puts something in its place. */
type Places = ReadonlyMap<string, string>;

export function createHeldPlaces(): HeldPlaces {
  const running = new Set<Places>();
  const isHeld = (path: string): boolean => {
    if (running.size === 0) return true;
    const found = identityOf(path);
    return found !== undefined && [...running].every((places) => places.get(path) === found);
  };
  return {
    isHeld,
    isAlone: () => running.size === 0,
    only(plan) {
      if (running.size === 0) return plan;
      const loose = new Set([...plan.anchored, ...plan.protected].filter((path) => !isHeld(path)));
      const stays = (path: string): boolean => ![path, ...foldersAbove(path)].some((one) => loose.has(one));
      return { ...plan, anchored: plan.anchored.filter(stays), protected: plan.protected.filter(stays) };
    },
    hold(plan) {
      if (plan.mode === 'read-only') return () => undefined;
      const paths = [...plan.anchored, ...plan.protected];
      const places = new Map(paths.map((path) => [path, identityOf(path) ?? '']));
      running.add(places);
      return () => void running.delete(places);
    },
  };
}

/** With its birth: the number of what was removed is soon another's. */
function identityOf(path: string): string | undefined {
  const found = lstatOf(path);
  if (found === undefined || found.isSymbolicLink()) return undefined;
  return [found.dev, found.ino, found.birthtimeNs].join(':');
}
