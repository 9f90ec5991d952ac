// Where compiled code may be kept: V8 runs it as it is, so whoever can write it, or can say where it is read from, runs
// code as the user. It lies in a folder of our own below the user's data folder and nowhere else, whatever TMPDIR or
// NODE_COMPILE_CACHE say, and is signed with a key that lies outside of that folder. Whatever is not as we make it is
// left alone, and the program does without: it is only slower.
//
// On Windows there are neither owners nor modes to look at; there the profile's permissions keep others out.
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

const FOLDER = 'compile-cache';
const KEY = 'compile-cache.key';
const KEY_BYTES = 32;

/**
 * The place for compiled code below `dataRoot`, the user's data folder, for a program that is started in `cwd`.
 *
 * - `open()`: `{ folder, key }` as they are there; or undefined.
 * - `make()`: the same, and makes what is missing of them, but for the data folder. Never throws.
 */
export function codeCachePlace({ dataRoot, cwd }) {
  const attempt = (action) => {
    try {
      const root = ownFolder(dataRoot, cwd);
      return root === undefined ? undefined : action(path.join(root, FOLDER), path.join(root, KEY));
    } catch {
      // Something is missing, or may not be read or written.
      return undefined;
    }
  };

  const open = (folder, keyFile) => {
    const key = readKey(keyFile);
    return key !== undefined && isPrivateFolder(folder) ? { folder, key } : undefined;
  };

  return {
    open: () => attempt(open),
    make: () =>
      attempt((folder, keyFile) => {
        makeFolder(folder);
        makeKey(keyFile);
        return open(folder, keyFile);
      }),
  };
}

/**
 * The data folder without links, where nobody but the user and root can write it or put another in its place, and where
 * the project that we are started in does not bring it along. Undefined otherwise.
 */
function ownFolder(dataRoot, cwd) {
  if (!path.isAbsolute(dataRoot)) return undefined;
  const root = fs.realpathSync.native(dataRoot);
  if (isWithin(root, projectOf(fs.realpathSync.native(cwd)))) return undefined;
  const info = fs.lstatSync(root);
  if (!isOurs(info) || !hasMode(info, 0o022, 0)) return undefined;
  for (let above = path.dirname(root); ; above = path.dirname(above)) {
    if (!isSafeAbove(fs.lstatSync(above))) return undefined;
    if (above === path.dirname(above)) return root;
  }
}

/** The nearest folder upwards that holds `.git`, else the folder itself. */
function projectOf(cwd) {
  for (let folder = cwd; ; folder = path.dirname(folder)) {
    if (fs.existsSync(path.join(folder, '.git'))) return folder;
    if (folder === path.dirname(folder)) return cwd;
  }
}

function isWithin(inner, outer) {
  const way = path.relative(outer, inner);
  return !path.isAbsolute(way) && way !== '..' && !way.startsWith(`..${path.sep}`);
}

/** Of the user or root, and writable by all only as /tmp is, where nobody can rename what is another's. */
function isSafeAbove(info) {
  if (!process.getuid) return true;
  if (info.uid !== 0 && info.uid !== process.getuid()) return false;
  return (info.mode & 0o002) === 0 || (info.mode & 0o1000) !== 0;
}

function isPrivateFolder(folder) {
  const info = fs.lstatSync(folder);
  return info.isDirectory() && isOurs(info) && hasMode(info, 0o777, 0o700);
}

function makeFolder(folder) {
  if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
}

/** Undefined where there is none that is ours alone. */
function readKey(file) {
  const { bytes, isWhole } = readPrivateFile(file, KEY_BYTES) ?? {};
  return isWhole ? bytes : undefined;
}

function makeKey(file) {
  // One that was not written to its end, by a program that was killed, signs nothing.
  if (readPrivateFile(file, KEY_BYTES)?.isWhole === false) fs.rmSync(file);
  if (fs.existsSync(file)) return;
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  fs.writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 });
}

/** Up to `length` bytes of a file that the user alone may read and write; undefined where it is none. */
function readPrivateFile(file, length) {
  const fd = openPrivateFile(file, 0o777, 0o600);
  if (fd === undefined) return undefined;
  try {
    const bytes = Buffer.alloc(length);
    const isWhole = fs.readSync(fd, bytes, 0, length, 0) === length && fs.fstatSync(fd).size === length;
    return { bytes, isWhole };
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Opens a file of the user's own whose mode within `mask` is `mode`; undefined where there is no such. A link is not
 * followed, and nothing is waited for.
 */
export function openPrivateFile(file, mask = 0o077, mode = 0) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let fd;
  try {
    // Where O_NOFOLLOW does not exist (Windows) a link is seen before it is followed.
    if (O_NOFOLLOW === 0 && fs.lstatSync(file).isSymbolicLink()) return undefined;
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const info = fs.fstatSync(fd);
    if (info.isFile() && isOurs(info) && hasMode(info, mask, mode)) return fd;
  } catch {
    // It is not there.
  }
  if (fd !== undefined) fs.closeSync(fd);
  return undefined;
}

function isOurs(info) {
  return !process.getuid || info.uid === process.getuid();
}

function hasMode(info, mask, mode) {
  return !process.getuid || (info.mode & mask) === mode;
}
