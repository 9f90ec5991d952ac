// Where compiled code may be kept. V8 runs it unchecked, so anyone who can write it, or redirect where it is read from,
// can run code as the user. It is stored only in a folder of our own in the user's data folder, whatever TMPDIR or
// NODE_COMPILE_CACHE say, and is signed with a key outside of that folder. Anything not in the state in which we create
// it is left alone, and the program runs without the cache: it is only slower.
//
// On Windows there are no owners or modes to check; there the permissions of the profile keep others out.
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

const FOLDER = 'compile-cache';
const KEY = 'compile-cache.key';
const KEY_BYTES = 32;

/**
 * The place for compiled code in `dataRoot`, the user's data folder, for a program started in `cwd`.
 *
 * - `open()`: the existing `{ folder, key }`, or undefined.
 * - `make()`: the same, but creates missing ones, except for the data folder. Never throws.
 */
export function codeCachePlace({ dataRoot, cwd }) {
  const attempt = (action) => {
    try {
      const root = ownFolder(dataRoot, cwd);
      return root === undefined ? undefined : action(path.join(root, FOLDER), path.join(root, KEY));
    } catch {
      // Something is missing, or cannot be read or written.
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
 * The data folder with links resolved, if only the user and root can write or replace it, and it is not part of the
 * project in which the program was started. Otherwise undefined.
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

/** The nearest folder upwards that contains `.git`, or else the folder itself. */
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

/**
 * True if a parent folder belongs to the user or root, and others can write to it only if it is sticky like /tmp, so
 * that they cannot rename entries of other users.
 */
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

/** Undefined if there is no valid key that only the user can access. */
function readKey(file) {
  const { bytes, isWhole } = readPrivateFile(file, KEY_BYTES) ?? {};
  return isWhole ? bytes : undefined;
}

function makeKey(file) {
  // An incomplete key, left by a killed process, is replaced.
  if (readPrivateFile(file, KEY_BYTES)?.isWhole === false) fs.rmSync(file);
  if (fs.existsSync(file)) return;
  const { randomBytes } = process.getBuiltinModule('node:crypto');
  fs.writeFileSync(file, randomBytes(KEY_BYTES), { flag: 'wx', mode: 0o600 });
}

/** Up to `length` bytes of a file that only the user may read and write; undefined if it is not such a file. */
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
 * Opens a file of the user whose mode within `mask` equals `mode`; undefined if there is none. Follows no link and
 * never blocks.
 */
export function openPrivateFile(file, mask = 0o077, mode = 0) {
  const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = fs.constants;
  let fd;
  try {
    // Without O_NOFOLLOW (Windows), check for a link first.
    if (O_NOFOLLOW === 0 && fs.lstatSync(file).isSymbolicLink()) return undefined;
    fd = fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const info = fs.fstatSync(fd);
    if (info.isFile() && isOurs(info) && hasMode(info, mask, mode)) return fd;
  } catch {
    // It does not exist.
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
