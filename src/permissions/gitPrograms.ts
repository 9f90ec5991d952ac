/**
 * Whether git, only asked to look, would start programs that a repository's own files name. A clone brings no
 * such files; an unpacked archive does, and so does a bare repository that is hidden in a folder.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** Settings that name a program for a command that looks, or another file with settings. */
const naming =
  /(?:^|\])\s*(?:\[include(?:if)?\b|(?:\w*command|external|textconv|clean|smudge|process|program|uploadpack|gitproxy)\s*(?:=|$))/im;
/** The monitor is a program unless it is only switched on or off. */
const monitor = /(?:^|\])\s*fsmonitor\s*=(?!\s*(?:true|false|yes|no|on|off|[01])\s*$)/im;
const hooksPath = /(?:^|\])\s*hookspath\s*=\s*"?([^"\n]+?)"?\s*$/im;
/** The one hook that a command that looks may start. */
const HOOK = 'post-index-change';
const MAX_BYTES = 1_000_000;

/** Looks at the repository that git would find from the directory. Errs towards yes. */
export function gitRunsPrograms(directory: string): boolean {
  const repository = findRepository(resolve(directory));
  if (repository === undefined) return false;
  const { folder, worktree } = repository;
  const common = readText(join(folder, 'commondir'))?.trim() ?? '';
  const folders = [folder, resolve(folder, common)];
  return folders.some((place) => {
    const texts = ['config', 'config.worktree'].map((name) => readText(join(place, name)));
    if (texts.some((text) => text === undefined)) return true;
    const settings = texts.join('\n');
    const hooks = hooksPath.exec(settings)?.[1];
    const hookFolders = [join(place, 'hooks'), ...(hooks === undefined ? [] : [resolve(worktree, hooks)])];
    return (
      naming.test(settings) || monitor.test(settings) || hookFolders.some((at) => exists(join(at, HOOK)))
    );
  });
}

/** As git does: upwards, `.git` before the directory itself. */
function findRepository(start: string): { readonly folder: string; readonly worktree: string } | undefined {
  for (let at = start; ; at = dirname(at)) {
    const inside = join(at, '.git');
    if (exists(join(inside, 'HEAD'))) return { folder: inside, worktree: at };
    const target = /^gitdir:\s*(\S.*)$/.exec(readText(inside)?.trimEnd() ?? '')?.[1];
    if (target !== undefined) return { folder: resolve(at, target), worktree: at };
    if (['HEAD', 'objects', 'refs'].every((name) => exists(join(at, name))))
      return { folder: at, worktree: at };
    if (at === dirname(at)) return undefined;
  }
}

function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
}

/** Empty where there is no such file; undefined where there is something that cannot be read as one. */
function readText(path: string): string | undefined {
  try {
    const info = statSync(path, { throwIfNoEntry: false });
    if (info === undefined) return '';
    return info.isFile() && info.size <= MAX_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
