/** Parses a mount table in the format of `/proc/self/mountinfo`. Source: proc_pid_mountinfo(5). Pure. */

export interface Mount {
  readonly id: string;
  /** Id of the mount on which this one is mounted. */
  readonly parent: string;
  /** Device of the file system, as major:minor. */
  readonly device: string;
  /** The folder of the file system that is mounted here. */
  readonly root: string;
  readonly point: string;
  readonly isReadOnly: boolean;
  /** Type of the file system: `ext4`, `tmpfs`, … */
  readonly type: string;
}

/** The mounts in order: a later one covers an earlier one at the same path. */
export function readMounts(mountinfo: string): readonly Mount[] {
  return mountinfo.split('\n').flatMap((line) => {
    const [fields = '', source = ''] = line.split(' - ');
    const [id, parent, device, root, point, options] = fields.split(' ').map(unescaped);
    if (id === undefined || parent === undefined || device === undefined) return [];
    if (root === undefined || point === undefined) return [];
    const isReadOnly = options?.split(',').includes('ro') === true;
    return [{ id, parent, device, root, point, isReadOnly, type: source.split(' ')[0] ?? '' }];
  });
}

/**
 * Returns a function that finds the mount of an absolute path without links, in the way the kernel does: from the root,
 * through every mount on the way. It returns undefined for a table without a root.
 */
export function mountLookup(mounts: readonly Mount[]): (path: string) => Mount | undefined {
  const ids = new Set(mounts.map(({ id }) => id));
  const onTop = new Map<string, Mount[]>();
  for (const mount of mounts) {
    const own = onTop.get(mount.parent);
    if (own === undefined) onTop.set(mount.parent, [mount]);
    else own.push(mount);
  }
  const root = mounts.findLast(
    ({ id, parent, point }) => point === '/' && (parent === id || !ids.has(parent)),
  );
  return (path) => {
    let at = root;
    while (at !== undefined) {
      const { id } = at;
      const [next] = (onTop.get(id) ?? [])
        .filter((mount) => mount.id !== id && below(path, mount.point) !== undefined)
        // The mount closest to the root comes first; of several at one path the last is on top.
        .reverse()
        .sort((a, b) => a.point.length - b.point.length);
      if (next === undefined) break;
      at = next;
    }
    return at;
  };
}

/** The path inside a mount's file system for an absolute path in that mount. */
export const pathInFileSystem = (path: string, { root, point }: Mount): string =>
  joined(root, below(path, point) ?? '');

/**
 * Other paths to the same file as an absolute, resolved path: a folder may be mounted in several places, as Fedora's
 * immutable editions mount the homes in `/var` and `/sysroot`. Another mount may cover such a path.
 */
export function otherPaths(path: string, mounts: readonly Mount[]): readonly string[] {
  const first = mountLookup(mounts)(path);
  if (first === undefined) return [];
  const inside = pathInFileSystem(path, first);
  const others = mounts.flatMap(({ device, root, point }) => {
    const rest = device === first.device ? below(inside, root) : undefined;
    return rest === undefined ? [] : [joined(point, rest)];
  });
  return [...new Set(others)].filter((other) => other !== path);
}

/** The part of a path after a folder, with its slash; undefined if it is outside of it. */
function below(path: string, folder: string): string | undefined {
  if (folder === '/') return path === '/' ? '' : path;
  if (path === folder) return '';
  return path.startsWith(`${folder}/`) ? path.slice(folder.length) : undefined;
}

const joined = (folder: string, rest: string): string => (folder === '/' ? rest || '/' : folder + rest);

/** Blanks, line feeds and backslashes are written as three octal digits. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
