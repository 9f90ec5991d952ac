/**
 * Guards the links through which git finds settings and hooks while commands run: a mount cannot protect a link, only
 * its target. Restores a link that a command replaces or removes.
 */
import { symlinkSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { lstatOf } from '../../disk/fileLookups.ts';
import { linkAt } from '../../disk/paths.ts';
import { inRealFolderSync } from '../../disk/realFile.ts';

export interface LinkGuard {
  /**
   * Guards these links as they are now, in addition to those guarded already. Returns a function to call when the
   * command has ended: while no command runs, the user may change the links.
   */
  hold(links: readonly string[]): () => void;
  /** Restores links that have changed, and returns each with a note for the user. Never throws. */
  restore(): readonly { readonly path: string; readonly note: string }[];
}

/** `setAside` renames whatever is at a path, and returns a note that says so. */
export function createLinkGuard(setAside: (path: string) => string): LinkGuard {
  const held = new Map<string, string>();
  let holders = 0;
  return {
    hold(links) {
      for (const path of links) {
        const target = linkAt(path);
        if (target !== undefined && !held.has(path)) held.set(path, target);
      }
      holders += 1;
      let isOver = false;
      return () => {
        if (!isOver) holders -= 1;
        isOver = true;
        if (holders === 0) held.clear();
      };
    },
    restore() {
      return [...held].flatMap(([path, target]) => {
        if (linkAt(path) === target) return [];
        const note = lstatOf(path) === undefined ? ' (a link, restored)' : setAside(path);
        try {
          inRealFolderSync(dirname(path), ({ at }) => symlinkSync(target, at(basename(path))));
        } catch {
          // The folder is gone, or what is there could not be renamed.
          return note === '' ? [{ path, note }] : [];
        }
        return [{ path, note }];
      });
    },
  };
}

const MAX_LINKS = 40;

/** The links followed to reach a path, each in a folder whose path contains no links. */
export function linksOn(path: string): readonly string[] {
  const links: string[] = [];
  const follow = (from: string): string => {
    if (from === dirname(from)) return from;
    const at = join(follow(dirname(from)), basename(from));
    const target = links.length < MAX_LINKS ? linkAt(at) : undefined;
    if (target === undefined) return at;
    links.push(at);
    return follow(resolve(dirname(at), target));
  };
  follow(path);
  return links;
}
