/**
 * The other paths of a file: a folder may be mounted at several places, as Fedora's immutable editions have the homes below
 * `/var` and `/sysroot`. Source: proc_pid_mountinfo(5). Pure.
 */

interface Mount {
  /** Of the file system, as major:minor. */
  readonly device: string;
  /** The folder of the file system that is seen here. */
  readonly root: string;
  readonly point: string;
}

/** The mounts in `/proc/self/mountinfo`, in their order: a later one lies over an earlier one at the same place. */
export function readMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [, , device, root, point] = line.split(' ').map(unescaped);
    return device === undefined || root === undefined || point === undefined ? [] : [{ device, root, point }];
  });
}

/** Where else the file system shows what is at an absolute, resolved path. A mount above may cover it there. */
export function otherPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const [first] = mounts
    .filter(({ point }) => below(path, point) !== undefined)
    // The last of the longest.
    .reverse()
    .sort((a, b) => b.point.length - a.point.length);
  if (first === undefined) return [];
  const inside = joined(first.root, below(path, first.point) ?? '');
  const others = mounts.flatMap(({ device, root, point }) => {
    const rest = device === first.device ? below(inside, root) : undefined;
    return rest === undefined ? [] : [joined(point, rest)];
  });
  return [...new Set(others)].filter((other) => other !== path);
}

/** What follows a folder in a path, with its slash; undefined where it lies elsewhere. */
function below(path: string, folder: string): string | undefined {
  if (folder === '/') return path === '/' ? '' : path;
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

const joined = (folder: string, rest: string): string => (folder === '/' ? rest || '/' : folder + rest);

/** Blanks, line feeds and backslashes are written as three octal digits. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
