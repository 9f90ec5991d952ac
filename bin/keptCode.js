// The file in which compiled code is kept: the length and the sum of the index in 4 bytes each, the index as JSON, then
// the code of one piece after the other, of which only what is asked for is read. V8 looks at the length of a source
// only, and not at all whether code is whole, so the index has a sum of each.
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const { crc32 } = process.getBuiltinModule('node:zlib');

/** More than any index takes: a length beyond it is not one. */
const MAX_INDEX_BYTES = 1_000_000;
const HEADER_BYTES = 8;
/** Files of this kind; one with a process id is being written. */
const OURS = /^code-[0-9a-f]+(\.\d+)?$/;
/** Nobody writes for so long: what is half written and older was left by a program that was killed. */
const WRITING_MS = 60_000;
/** A checkout or a Node of which nothing new was kept for so long may be gone; else it learns again. */
const UNUSED_MS = 30 * 24 * 3_600_000;

/**
 * What is kept for `identity` in `folder`; nothing without a folder.
 *
 * - `find(name, sum)`: `code` of a piece whose source has this sum, and how many `runs` have added to it; or undefined.
 * - `forget(name)`: this code is of no use, however much it is.
 * - `write(codes, isPiece)`: keeps these, and of the others what there was, where that is still a piece. A failure is
 *   silent: the next start is only slower.
 */
export function readCode(folder, identity) {
  const file = folder && path.join(folder, `code-${crc32(identity).toString(16)}`);
  const { pieces, codeAt } = open(file);

  function find(name, sum) {
    const piece = pieces.get(name);
    if (piece === undefined || piece.sum !== sum) return undefined;
    const code = codeAt(piece);
    return code && crc32(code) === piece.codeSum ? { name, sum, code, runs: piece.runs } : undefined;
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
      const names = new Set(codes.map(({ name }) => name));
      const others = [...pieces]
        .filter(([name]) => !names.has(name) && isPiece(name))
        .map(([name, { sum }]) => find(name, sum))
        .filter((one) => one !== undefined);
      write(file, [...codes.map(withMost), ...others]);
    },
  };
}

/** The file stays open, so that all code is of one and the same, whoever writes a new one meanwhile. */
function open(file) {
  try {
    const fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0));
    const bytesAt = (at, length) => {
      const bytes = Buffer.alloc(length);
      return bytes.subarray(0, fs.readSync(fd, bytes, 0, length, at));
    };
    const header = bytesAt(0, HEADER_BYTES);
    const length = header.readUInt32LE(0);
    if (length > MAX_INDEX_BYTES) return NOTHING;
    const index = bytesAt(HEADER_BYTES, length);
    if (crc32(index) !== header.readUInt32LE(4)) return NOTHING;
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
    return NOTHING;
  }
}

const NOTHING = { pieces: new Map(), codeAt: () => undefined };

/** `codes`: as `find` gives them. Never throws: it is called when the program ends, and others have to follow. */
function write(file, codes) {
  const temporary = `${file}.${process.pid}`;
  try {
    removeLeftBehind(path.dirname(file));
    fs.writeFileSync(temporary, bytesOf(codes), { mode: 0o600 });
    fs.renameSync(temporary, file);
  } catch {
    try {
      fs.rmSync(temporary, { force: true });
    } catch {
      // A folder that is none any more, or not ours.
    }
  }
}

function bytesOf(codes) {
  let at = 0;
  const pieces = codes.map(({ name, sum, code, runs }) => {
    const piece = { sum, runs, at, length: code.length, codeSum: crc32(code) };
    at += code.length;
    return [name, piece];
  });
  const index = Buffer.from(JSON.stringify(pieces));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(index.length, 0);
  header.writeUInt32LE(crc32(index), 4);
  return Buffer.concat([header, index, ...codes.map(({ code }) => code)]);
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
