/**
 * Which places may be mounted for a command while others of the session run: only those that none of them can rename.
 * bubblewrap follows links, so a running command that replaces a mount source with a link would open whatever the link
 * leads to. A command cannot rename what is mounted in its own sandbox.
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
      const replaceable = new Set([...plan.anchored, ...plan.protected].filter((path) => !isHeld(path)));
      const stays = (path: string): boolean =>
        ![path, ...foldersAbove(path)].some((one) => replaceable.has(one));
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

/** Inode numbers are reused at once, so the birth time is part of it. */
function identityOf(path: string): string | undefined {
  const found = lstatOf(path);
  if (found === undefined || found.isSymbolicLink()) return undefined;
  return [found.dev, found.ino, found.birthtimeNs].join(':');
}
