// The file in which compiled code is kept: the length of the index in 4 bytes, the index as JSON, then the code of
// one piece after the other. V8 looks at the length of a source only, and not at all whether code is whole, so the
// index has a sum of each.
const fs = process.getBuiltinModule('node:fs');
const path = process.getBuiltinModule('node:path');
const { crc32 } = process.getBuiltinModule('node:zlib');

/**
 * What is kept for `identity` in `folder`; nothing without a folder.
 *
 * - `runs`: how many have added to it.
 * - `codeOf(name, sum)`: the code of a piece whose source has this sum, or undefined.
 * - `write(codes)`: keeps these, and of the others what there was. A failure is silent: the next start is only slower.
 */
export function readCode(folder, identity) {
  const file = folder && path.join(folder, `code-${crc32(identity).toString(16)}`);
  const { runs, pieces, bytes } = read(file);
  return {
    runs,
    codeOf: (name, sum) => (pieces[name]?.sum === sum ? wholeCode(bytes, pieces[name]) : undefined),
    write(codes) {
      const names = new Set(codes.map(({ name }) => name));
      const others = Object.entries(pieces)
        .filter(([name]) => !names.has(name))
        .map(([name, piece]) => ({ name, sum: piece.sum, code: codeAt(bytes, piece) }));
      write(file, runs + 1, [...codes, ...others]);
    },
  };
}

function read(file) {
  try {
    const data = fs.readFileSync(file);
    const start = 4 + data.readUInt32LE(0);
    return { ...JSON.parse(data.toString('utf8', 4, start)), bytes: data.subarray(start) };
  } catch {
    return { runs: 0, pieces: {}, bytes: undefined };
  }
}

const codeAt = (bytes, { at, length }) => bytes.subarray(at, at + length);

function wholeCode(bytes, piece) {
  const code = codeAt(bytes, piece);
  return crc32(code) === piece.codeSum ? code : undefined;
}

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
