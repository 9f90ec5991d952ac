// The file in which compiled code is kept: the length of the index in 4 bytes, the index as JSON, then the code of
// one piece after the other, of which only what is asked for is read. V8 looks at the length of a source only, and not
// at all whether code is whole, so the index has a sum of each.
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const { crc32 } = process.getBuiltinModule('node:zlib');

/** More than any index takes: a length beyond it is not one. */
const MAX_INDEX_BYTES = 1_000_000;

/**
 * What is kept for `identity` in `folder`; nothing without a folder.
 *
 * - `runs`: how many have added to it.
 * - `codeOf(name, sum)`: the code of a piece whose source has this sum, or undefined.
 * - `write(codes)`: keeps these, and of the others what there was. A failure is silent: the next start is only slower.
 */
export function readCode(folder, identity) {
  const file = folder && path.join(folder, `code-${crc32(identity).toString(16)}`);
  const { runs, pieces, codeAt } = open(file);
  const whole = (piece) => {
    const code = codeAt(piece);
    return crc32(code) === piece.codeSum ? code : undefined;
  };
  return {
    runs,
    codeOf: (name, sum) => (pieces[name]?.sum === sum ? whole(pieces[name]) : undefined),
    write(codes) {
      const names = new Set(codes.map(({ name }) => name));
      const others = Object.entries(pieces)
        .filter(([name]) => !names.has(name))
        .map(([name, piece]) => ({ name, sum: piece.sum, code: whole(piece) }))
        .filter(({ code }) => code !== undefined);
      write(file, runs + 1, [...codes, ...others]);
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
    const length = bytesAt(0, 4).readUInt32LE(0);
    if (length > MAX_INDEX_BYTES) return NOTHING;
    const { runs, pieces } = JSON.parse(bytesAt(4, length).toString());
    return { runs, pieces, codeAt: (piece) => bytesAt(4 + length + piece.at, piece.length) };
  } catch {
    return NOTHING;
  }
}

const NOTHING = { runs: 0, pieces: {}, codeAt: () => Buffer.alloc(0) };

function write(file, runs, codes) {
  const pieces = {};
  let at = 0;
  for (const { name, sum, code } of codes) {
    pieces[name] = { sum, at, length: code.length, codeSum: crc32(code) };
    at += code.length;
  }
  const index = Buffer.from(JSON.stringify({ runs, pieces }));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(index.length);
  const temporary = `${file}.${process.pid}`;
  try {
    fs.writeFileSync(temporary, Buffer.concat([length, index, ...codes.map(({ code }) => code)]), {
      mode: 0o600,
    });
    fs.renameSync(temporary, file);
  } catch {
    fs.rmSync(temporary, { force: true });
  }
}
