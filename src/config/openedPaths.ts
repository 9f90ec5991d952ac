/**
 * The settings that open files and folders. Each path is resolved once, so that what the user approves is what is opened.
 * A path is refused if a link inside the project takes it outside: the project's authors could move that link.
 */
import type { ResolvedPath } from '../disk/realFile.ts';
import { absolutePath, leavesProject, resolveSettingsPath } from '../disk/settingsPaths.ts';
import { ADD_DIR } from './flags.ts';
import type { Layer, Problem, Values } from './types.ts';

const DIRECTORIES = 'permissions.additionalDirectories';

/** Dotted paths of settings with paths that open something: lists, or one folder. */
const opening: readonly string[] = [
  DIRECTORIES,
  'sandbox.allowWrite',
  'sandbox.allowRead',
  'context.truncate.outputDir',
];
/** The same for paths that only close something. */
const closing = 'sandbox.denyRead';

/**
 * Much more than a handwritten file has; resolving the tens of thousands that fit into a file would delay the start.
 */
const MAX_PATHS = 200;
/** Limits, so that an untrusted file cannot flood the screen. */
const MAX_NAMED = 5;
const MAX_SHOWN = 200;

export interface OpenedPaths {
  /**
   * Removes what is refused from a layer's values, and reports it. `source`: the file, or the files by setting. Modifies
   * `values`.
   */
  dropRefused(values: Values, source: string | Readonly<Record<string, string>>, layer: Layer): Problem[];
  /** The same for directories on the command line: these may be links out of the project, typed for one run. */
  dropTyped(values: Values): Problem[];
  /** The text of a grant: the value as written, with the real place if a link leads there. */
  grantText(kind: string, text: string): string;
  /** Makes the paths absolute and resolves them. */
  resolved(values: Values): Values;
}

/** Why a directory must not be added to the workspace; undefined if it may. */
export type DirectoryRefusal = (place: ResolvedPath) => string | undefined;

/** For the settings of one start. */
export function createOpenedPaths(
  base: { readonly home: string; readonly root: string },
  directoryRefusal: DirectoryRefusal = () => undefined,
): OpenedPaths {
  const known = new Map<string, ResolvedPath>();
  const placeOf = (written: string): ResolvedPath => {
    const place = known.get(written) ?? resolveSettingsPath(written, base);
    known.set(written, place);
    return place;
  };
  const reasonAgainst = (key: string, written: string): string | undefined => {
    const place = placeOf(written);
    if (leavesProject(place, base)) return ledOut(written, place);
    const reason = key === DIRECTORIES ? directoryRefusal(place) : undefined;
    return reason && `ignores a directory: ${reason}`;
  };
  return {
    dropRefused(values, source, layer) {
      const problems: Problem[] = [];
      const report = (key: string, message: string): void => {
        const file = typeof source === 'string' ? source : (source[key] ?? 'settings');
        problems.push({ layer, file, key, message: `${file}: "${key}" ${message}` });
      };
      for (const key of opening) {
        changePaths(values, key, (paths) => {
          const read = paths.slice(0, MAX_PATHS);
          const reasons = new Map(read.map((written) => [written, reasonAgainst(key, written)]));
          const refused = read.filter((written) => reasons.get(written) !== undefined);
          for (const written of refused.slice(0, MAX_NAMED)) report(key, reasons.get(written) ?? '');
          if (refused.length > MAX_NAMED)
            report(key, `ignores ${refused.length - MAX_NAMED} more like these.`);
          if (paths.length > MAX_PATHS)
            report(
              key,
              `has more than ${MAX_PATHS} paths; the rest is ignored. Name a folder that contains them.`,
            );
          return read.filter((written) => !refused.includes(written));
        });
      }
      return problems;
    },
    dropTyped(values) {
      const problems: Problem[] = [];
      changePaths(values, DIRECTORIES, (paths) =>
        paths.filter((path) => {
          const reason = directoryRefusal(placeOf(path));
          const message = `${ADD_DIR}: ${reason}`;
          if (reason !== undefined)
            problems.push({ layer: 'flag', file: ADD_DIR, key: DIRECTORIES, message });
          return reason === undefined;
        }),
      );
      return problems;
    },
    grantText(kind, text) {
      if (!opening.includes(kind)) return text;
      const { path, realPath } = placeOf(text);
      return path === realPath ? text : `${text} → ${realPath}`;
    },
    resolved(values) {
      const absolute = structuredClone(values);
      for (const key of opening)
        changePaths(absolute, key, (paths) => paths.map((written) => placeOf(written).realPath));
      changePaths(absolute, closing, (paths) => pathsToHide(paths, base));
      return absolute;
    },
  };
}

/** Both as written and as resolved: moving a link must not show what it led to. Absolute. */
export function pathsToHide(
  paths: readonly string[],
  base: { readonly home: string; readonly root: string },
): readonly string[] {
  const places = paths.map((written, at) => {
    if (at >= MAX_PATHS) return [absolutePath(written, base)];
    const { path, realPath } = resolveSettingsPath(written, base);
    return [path, realPath];
  });
  return [...new Set(places.flat())];
}

function ledOut(written: string, { realPath }: ResolvedPath): string {
  const [from, to] = [written, realPath].map((path) => JSON.stringify(path.slice(0, MAX_SHOWN)));
  return `ignores ${from}: a link leads it out of the project, to ${to}. If you want that, name that place directly.`;
}

/** Replaces the paths at a key; without any left, removes the key. Modifies `values`. */
function changePaths(
  values: Values,
  key: string,
  change: (paths: readonly string[]) => readonly string[],
): void {
  const names = key.split('.');
  const last = names.pop() ?? '';
  const place = names.reduce<Values | undefined>((at, name) => at?.[name] as Values | undefined, values);
  const value = place?.[last];
  if (place === undefined || (typeof value !== 'string' && !Array.isArray(value))) return;
  const left = change([value].flat() as string[]);
  if (Array.isArray(value)) place[last] = left;
  else if (left.length > 0) place[last] = left[0];
  else delete place[last];
}
