/**
 * Finds the files and folders that `Edit(…)` deny rules cover, so that the sandbox can make them read-only: a rule only
 * sees what a command says, but a program may write any file.
 */
import { basename, join } from 'node:path';
import { lstatOf } from '../../disk/fileLookups.ts';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { type ForbiddingPattern, fixedPath, forbidding } from '../../permissions/files/filePattern.ts';
import { parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import { generated } from '../../sandbox/places/deniedScan.ts';
import { wholePlace } from './deniedPlaces.ts';

interface ReadOnlyQuery {
  readonly home: string;
  /** The project and the added directories. */
  readonly workspace: readonly string[];
  readonly rules: readonly SourcedRule[];
  /** Places that settings open for writing; resolved. */
  readonly opened: readonly string[];
}

/** Each is a mount; those found first come first. */
const MAX_PLACES = 200;
const REACH = { skipped: generated, maxDepth: 10, maxFolders: 3000 };

/**
 * Creates a function that returns existing absolute paths: what rules name without wildcards or as a whole folder, and
 * what their wildcards cover in the workspace. Leaves out dependencies and build output, which programs write, and
 * whatever contains the workspace or the home.
 */
export function createReadOnlyPlaces(): (query: ReadOnlyQuery) => Promise<readonly string[]> {
  let key = '';
  let walk = walkFor([]);
  return async ({ home, workspace, rules, opened }) => {
    const denied = rules.flatMap((rule) => patternOf(rule, home));
    if (denied.length === 0) return [];
    const named = denied
      .flatMap(({ path }) => wholePlace(path))
      .filter((path) => lstatOf(path) !== undefined);
    const roots = [...new Set(workspace.map(realpath))];
    const wild = denied
      .filter(
        ({ path, pattern }) => wholePlace(path).length === 0 && !roots.some((root) => pattern.covers(root)),
      )
      .map(({ pattern }) => pattern);
    const now = JSON.stringify(wild.map((pattern) => pattern.key));
    if (now !== key) [key, walk] = [now, walkFor(wild)];
    const found: string[] = [];
    for (const root of wild.length === 0 ? [] : roots)
      found.push(...(await walk.inSlices(root)).folders.flatMap((one) => one.found));
    const isLeftOut = (path: string): boolean =>
      generated.test(basename(path)) ||
      [home, realpath(home), ...workspace, ...roots].some((one) => isInside(one, path)) ||
      opened.some((one) => isInside(path, one) || isInside(one, path));
    return [...new Set([...named.map(realpath), ...found])]
      .filter((path) => !isLeftOut(path))
      .slice(0, MAX_PLACES);
  };
}

interface DeniedEdit {
  /** As an absolute path, wildcards included. */
  readonly path: string;
  readonly pattern: ForbiddingPattern;
}

function patternOf({ text, base, behavior }: SourcedRule, home: string): readonly DeniedEdit[] {
  const rule = behavior === 'deny' ? parseRule(text) : undefined;
  if (rule === undefined || 'error' in rule || rule.spec === undefined) return [];
  if (!/^(?:Edit|Write)$/.test(rule.tool)) return [];
  const place = { base, home, realpath };
  return [{ path: fixedPath(rule.spec, place), pattern: forbidding(rule.spec, place) }];
}

const walkFor = (patterns: readonly ForbiddingPattern[]) =>
  createFolderWalk((folder, entries) => {
    const covered = entries
      .filter((entry) => entry.isFile() || (entry.isDirectory() && !generated.test(entry.name)))
      .map(({ name }) => join(folder, name))
      .filter((path) => patterns.some((pattern) => pattern.covers(path)));
    const whole = new Set(covered);
    return {
      found: covered,
      enters: (name) => {
        const path = join(folder, name);
        return !whole.has(path) && patterns.some((pattern) => pattern.mayCoverInside(path));
      },
    };
  }, REACH);
