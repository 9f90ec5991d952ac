/**
 * The name of a file or folder inside a text of the program: as it is where it is one line of visible characters, else as
 * a JSON string in which everything else is escaped. A name may hold line ends, and would write lines of its own.
 */
export function quotedName(name: string): string {
  if (!UNSAFE.test(name)) return name;
  return JSON.stringify(name).replace(EACH_UNSAFE, (one) =>
    Array.from({ length: one.length }, (_, index) => escaped(one.charCodeAt(index))).join(''),
  );
}

const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;
const EACH_UNSAFE = new RegExp(UNSAFE.source, 'gu');

function escaped(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
