/**
 * Formats a file or folder name for use in a text: unchanged if it is one line of visible characters, otherwise as a
 * JSON string with everything else escaped. A name may contain line breaks, and could otherwise inject lines.
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
