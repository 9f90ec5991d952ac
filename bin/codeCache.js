// The file in which compiled code is kept: the length of the index in 4 bytes and its signature in 32, the index as JSON,
// then the code of one piece after the other, of which only what is asked for is read. V8 looks at the length of a source
// only, and not at all whether code is whole or whose it is: the index names the SHA-256 of each source and of each code,
// and is signed with the user's own key.
import { codeCachePlace, openPrivateFile } from './codeCacheFolder.js';

const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');

/** More than any index takes: a length beyond it is not one. */
const MAX_INDEX_BYTES = 1_000_000;
const HEADER_BYTES = 4 + 32;
/** Files of this kind; one with a process id is being written. */
const OURS = /^code-[0-9a-f]+(\.\d+)?$/;
/** Nobody writes for so long: what is half written and older was left by a program that was killed. */
const WRITING_MS = 60_000;
/** A checkout or a Node of which nothing new was kept for so long may be gone; else it learns again. */
const UNUSED_MS = 30 * 24 * 3_600_000;

/**
 * What is kept for `identity` at `place` (`{ dataRoot, cwd }`, see `codeCachePlace`); nothing without a place.
 *
 * - `find(name, sum)`: `code` of a piece whose source has this sum, and how many `runs` have added to it; or undefined.
 * - `forget(name)`: this code is of no use, however much it is.
 * - `write(codes, isPiece)`: keeps these, and of the others what there was, where that is still a piece. A failure is
 *   silent: the next start is only slower.
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

  /** V8 drops functions that have not run for long; what was kept of them before is the larger. */
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

/** SHA-256 of a source or of code. */
export function sumOf(given) {
  return process.getBuiltinModule('node:crypto').hash('sha256', given, 'base64');
}

/** Holds the identity, too: a file that was moved to the name of another is of no use. */
function signatureOf({ key }, identity, index) {
  const { createHmac } = process.getBuiltinModule('node:crypto');
  return createHmac('sha256', key).update(JSON.stringify(identity)).update(index).digest();
}

function fileOf({ folder }, identity) {
  const { hash } = process.getBuiltinModule('node:crypto');
  return path.join(folder, `code-${hash('sha256', identity).slice(0, 16)}`);
}

/** The file stays open, so that all code is of one and the same, whoever writes a new one meanwhile. */
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
          // The disk.
          return undefined;
        }
      },
    };
  } catch {
    // Cut short.
    return NOTHING;
  }
}

const NOTHING = { pieces: new Map(), codeAt: () => undefined };

/** `codes`: as `find` gives them. Never throws: it is called when the program ends, and others have to follow. */
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
      // A folder that is none any more, or not ours.
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

/** Nobody else does: each folder that the program is started from, and each Node, has a file of some megabytes. */
function removeLeftBehind(folder) {
  for (const name of fs.readdirSync(folder)) {
    const [ours, writer] = OURS.exec(name) ?? [];
    if (ours === undefined) continue;
    const left = path.join(folder, name);
    try {
      const age = Date.now() - fs.statSync(left).mtimeMs;
      if (age > (writer ? WRITING_MS : UNUSED_MS)) fs.rmSync(left, { force: true });
    } catch {
      // It is gone already, or it is none of ours.
    }
  }
}
