// The file with compiled code: 4 bytes for the length of the index, 32 for its signature, the index as JSON, then the
// code of each piece; only requested code is read. V8 checks only the length of a source, and neither the integrity nor
// the origin of code: so the index contains the SHA-256 of each source and code, and is signed with the user's own key.
import { codeCachePlace, openPrivateFile } from './codeCacheFolder.js';

const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/** No index is this large, so a greater length is invalid. */
const MAX_INDEX_BYTES = 1_000_000;
const HEADER_BYTES = 4 + 32;
/** Names of cache files; one with a process id is being written. */
const OURS = /^code-[0-9a-f]+(\.\d+)?$/;
/** Writing never takes this long: an older unfinished file was left by a killed process. */
const WRITING_MS = 60_000;
/** If nothing new was saved for this long, the checkout or Node may be gone; otherwise it learns again. */
const UNUSED_MS = 30 * 24 * 3_600_000;

/**
 * Reads the cache for `identity` at `place` (`{ dataRoot, cwd }`, see `codeCachePlace`); empty without a place.
 *
 * - `find(name, sum)`: the `code` of a piece whose source has this checksum, and the number of `runs` that added to it;
 *   or undefined.
 * - `forget(name)`: the code is unusable and must not be kept, regardless of its size.
 * - `write(codes, isPiece)`: saves these codes, and keeps the others that are still pieces. Failures are silent: the
 *   next start is only slower.
 */
export function readCode(place, identity) {
  const where = place && codeCachePlace(place);
  const { pieces, codeAt } = open(where?.open(), identity);

  function find(name, sum) {
    const piece = pieces.get(name);
    if (piece === undefined || piece.sum !== sum) return undefined;
    const code = codeAt(piece);
    return code && sumOf(code) === piece.codeSum ? { name, sum, code, runs: piece.runs } : undefined;
  }

  /** V8 drops functions that have not run for long, so the larger of the saved and the new code is kept. */
  function withMost(given) {
    const before = pieces.get(given.name);
    const hasMore = before !== undefined && before.length > given.code.length;
    return {
      ...given,
      ...(hasMore && find(given.name, given.sum)),
      runs: (before?.sum === given.sum ? before.runs : 0) + 1,
    };
  }

  return {
    find,
    forget: (name) => pieces.delete(name),
    write(codes, isPiece) {
      const made = where?.make();
      if (made === undefined) return;
      const names = new Set(codes.map(({ name }) => name));
      const others = [...pieces]
        .filter(([name]) => !names.has(name) && isPiece(name))
        .map(([name, { sum }]) => find(name, sum))
        .filter((one) => one !== undefined);
      write(made, identity, [...codes.map(withMost), ...others]);
    },
  };
}

/** SHA-256 of a source or code. */
export function sumOf(given) {
  return process.getBuiltinModule('node:crypto').hash('sha256', given, 'base64');
}

/** Includes the identity, so that a file renamed to that of another identity is invalid. */
function signatureOf({ key }, identity, index) {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', key).update(JSON.stringify(identity)).update(index).digest();
}

function fileOf({ folder }, identity) {
  const { hash } = process.getBuiltinModule('node:crypto');
  return path.join(folder, `code-${hash('sha256', identity).slice(0, 16)}`);
}

/** Keeps the file open, so that all code comes from the same version even if another process replaces it. */
function open(opened, identity) {
  const fd = opened && openPrivateFile(fileOf(opened, identity));
  if (fd === undefined) return NOTHING;
  try {
    const bytesAt = (at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, at));
    };
    const header = bytesAt(0, HEADER_BYTES);
    const length = header.readUInt32LE(0);
    if (length > MAX_INDEX_BYTES) return NOTHING;
    const index = bytesAt(HEADER_BYTES, length);
    const { timingSafeEqual } = process.getBuiltinModule('node:crypto');
    if (!timingSafeEqual(signatureOf(opened, identity, index), header.subarray(4))) return NOTHING;
    return {
      pieces: new Map(JSON.parse(index.toString())),
      codeAt(piece) {
        try {
          return bytesAt(HEADER_BYTES + length + piece.at, piece.length);
        } catch {
          // A disk error.
          return undefined;
        }
      },
    };
  } catch {
    // Truncated.
    return NOTHING;
  }
}

const NOTHING = { pieces: new Map(), codeAt: () => undefined };

/** `codes`: as returned by `find`. Never throws, because it runs at exit and other handlers must follow. */
function write(made, identity, codes) {
  const file = fileOf(made, identity);
  const temporary = `${file}.${process.pid}`;
  try {
    removeLeftBehind(made.folder);
    fs.writeFileSync(temporary, bytesOf(made, identity, codes), { mode: 0o600 });
    fs.renameSync(temporary, file);
  } catch {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // The folder has disappeared or is not ours.
    }
  }
}

function bytesOf(made, identity, codes) {
  let at = 0;
  const pieces = codes.map(({ name, sum, code, runs }) => {
    const piece = { sum, runs, at, length: code.length, codeSum: sumOf(code) };
    at += code.length;
    return [name, piece];
  });
  const index = Buffer.from(JSON.stringify(pieces));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  return Buffer.concat([length, signatureOf(made, identity, index), index, ...codes.map(({ code }) => code)]);
}

/** Nothing else cleans up: every checkout and every Node version has a file of some megabytes. */
function removeLeftBehind(folder) {
  for (const name of fs.readdirSync(folder)) {
    const [ours, writer] = OURS.exec(name) ?? [];
    if (ours === undefined) continue;
    const left = path.join(folder, name);
    try {
      const age = Date.now() - fs.statSync(left).mtimeMs;
      if (age > (writer ? WRITING_MS : UNUSED_MS)) fs.rmSync(left, { force: true });
    } catch {
      // Already removed, or not ours.
    }
  }
}
