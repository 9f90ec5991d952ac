/**
 * Finds the files that `Read(…)` deny rules cover, so that the sandbox can hide them: a rule only sees what a command
 * says, but a program may open any file.
 */
import { dirname } from 'node:path';
import { isInside, realpath } from '../../disk/paths.ts';
import { type ForbiddingPattern, fixedPath, forbidding } from '../../permissions/files/filePattern.ts';
import { hasGlob } from '../../permissions/files/globOverlap.ts';
import { parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import type { DeniedPlaces } from '../../sandbox/options.ts';
import {
  createDeniedScan,
  type DeniedFound,
  outermost,
  withinLimit,
} from '../../sandbox/places/deniedScan.ts';
import { createTrackedNotes, type TrackedNotes } from '../../sandbox/places/trackedNotes.ts';

/** Data that can be passed to a thread. */
export interface DeniedQuery {
  readonly home: string;
  /** The project and the added directories. */
  readonly workspace: readonly string[];
  readonly rules: readonly SourcedRule[];
  /** Places that settings open to commands. */
  readonly opened: readonly string[];
  /** The file for `TrackedNotes`; absent = in memory. */
  readonly notes?: string;
}

/** Each is a mount, and the time for mounts grows with the square of their number. */
const MAX_HIDDEN = 300;
/** Maximum scans kept, one for each workspace: agents may work in worktrees. */
const MAX_SCANS = 20;

/**
 * Creates a function that returns existing and missing paths, absolute: in the workspace those that git does not track
 * and no program creates (see `createDeniedScan`), elsewhere those that a rule names without wildcards or as a whole
 * folder. Leaves out `.env` files of the workspace, whose values are redacted from the output, and whatever contains
 * the workspace or the home. The first search of a large project takes long.
 */
export function createDeniedPlaces(): (query: DeniedQuery) => DeniedPlaces {
  const scans = new Map<string, ReturnType<typeof createDeniedScan>>();
  const notes = new Map<string | undefined, TrackedNotes>();
  return (query) => {
    const rules = query.rules.flatMap((rule) => deniedRule(rule, query.home));
    if (rules.length === 0) return { paths: [], whole: [] };
    const isDenied = (path: string): boolean =>
      !/\/\.env[^/]*$/.test(path) && rules.some(({ pattern }) => pattern.covers(path));
    const kept = keptFolders(query);
    const isKept = (folder: string): boolean => kept.some((one) => isInside(one, folder));
    const mayBeDeniedInside = (folder: string): boolean =>
      rules.some(({ pattern }) => pattern.mayCoverInside(folder));
    const key = JSON.stringify([kept, ...rules.map(({ pattern }) => pattern.key)]);
    const scan = scans.get(key) ?? createDeniedScan({ isDenied, isKept, mayBeDeniedInside });
    const known = notes.get(query.notes) ?? createTrackedNotes(query.notes);
    notes.set(query.notes, known);
    if (scans.size >= MAX_SCANS) scans.clear();
    scans.set(key, scan);
    const before = known.read();
    return placesOf(query, rules, isKept, (roots) => {
      const found = roots.map((root) => scan(root, before));
      known.save(
        roots,
        found.flatMap(({ tracked }) => tracked),
        isDenied,
      );
      return found;
    });
  };
}

const keptFolders = ({ home, workspace }: DeniedQuery): readonly string[] =>
  [home, ...workspace].flatMap((path) => [path, realpath(path)]);

interface DeniedRule {
  /** As an absolute path. */
  readonly path: string;
  readonly pattern: ForbiddingPattern;
}

function deniedRule({ text, base, behavior }: SourcedRule, home: string): readonly DeniedRule[] {
  const rule = behavior === 'deny' ? parseRule(text) : undefined;
  if (rule === undefined || 'error' in rule || rule.tool !== 'Read' || rule.spec === undefined) return [];
  const place = { base, home, realpath };
  return [{ path: fixedPath(rule.spec, place), pattern: forbidding(rule.spec, place) }];
}

function placesOf(
  { workspace, opened }: DeniedQuery,
  rules: readonly DeniedRule[],
  isKept: (folder: string) => boolean,
  search: (roots: readonly string[]) => readonly DeniedFound[],
): DeniedPlaces {
  const roots = workspace.map(realpath);
  const named = rules
    .flatMap(({ path }) => wholePlace(path))
    .flatMap((path) => [...new Set([path, realpath(path)])]);
  const isOfProject = (path: string): boolean =>
    [...workspace, ...roots].some((root) => isInside(path, root));
  const isOpened = (path: string): boolean => opened.some((folder) => isInside(path, folder));
  // A scan does not enter every folder.
  const folders = named.filter(isOfProject).map((path) => realpath(dirname(path)));
  const found = search([...new Set([...roots, ...folders])]);
  const unsearched = found.flatMap((one) => one.unsearched).filter((path) => !isOpened(path));
  const open = unsearched.find(isKept);
  if (open !== undefined)
    return {
      ...{ paths: [], whole: [] },
      refusal: `a Read deny rule may cover a file in ${open} that cannot be hidden, because a name there is not valid UTF-8. Rename it, or name folders in the rule`,
    };
  const inProject = outermost(found.flatMap(({ hidden }) => hidden)).filter((path) => !isOpened(path));
  const limited = withinLimit(inProject, MAX_HIDDEN, isKept);
  if (limited === undefined)
    return {
      ...{ paths: [], whole: [] },
      refusal: `Read deny rules cover more than ${MAX_HIDDEN} separate files and folders, too many to hide. Move them into one folder, or list in sandbox.allowRead what commands may read`,
    };
  const elsewhere = named.filter((path) => !isOfProject(path) && !isKept(path));
  const hidden = new Set(limited.paths);
  return {
    paths: [...[...hidden].toSorted(), ...new Set(elsewhere)],
    whole: [...new Set([...limited.folders, ...unsearched.filter((path) => hidden.has(path))])],
  };
}

/** The folder of `folder/**`, or a path without wildcards. */
export function wholePlace(pattern: string): readonly string[] {
  const path = pattern.replace(/(?:\/\*\*?)+$/, '');
  return path === '' || hasGlob(path) || path.includes('{') ? [] : [path];
}
