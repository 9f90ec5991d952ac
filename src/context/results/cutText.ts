/** Beginnings and ends of a text within a number of lines and of bytes. Lines end at `\n` only. */
import { headOf, tailOf } from '../tokens/wellFormed.ts';

/** The longest beginning within both limits: whole lines, or a part of the first when that alone is too long. */
export function headWithin(text: string, maxLines: number, maxBytes: number): string {
  let end = 0;
  for (let lines = 0; lines < maxLines && end < text.length; lines++) {
    const newline = text.indexOf('\n', end);
    end = newline === -1 ? text.length : newline + 1;
  }
  const byLines = text.slice(0, end);
  if (Buffer.byteLength(byLines) <= maxBytes)
    return byLines.endsWith('\n') && end < text.length ? byLines.slice(0, -1) : byLines;
  const byBytes = fitBytes(byLines, maxBytes, headOf);
  const newline = byBytes.lastIndexOf('\n');
  return newline > 0 ? byBytes.slice(0, newline) : byBytes;
}

/** The longest end within both limits: whole lines, or a part of the last when that alone is too long. */
export function tailWithin(text: string, maxLines: number, maxBytes: number): string {
  // Index of the line end before what is taken; -1 before the first line.
  let before = text.endsWith('\n') ? text.length - 1 : text.length;
  for (let lines = 0; lines < maxLines && before >= 0; lines++)
    before = before === 0 ? -1 : text.lastIndexOf('\n', before - 1);
  const byLines = text.slice(before + 1);
  if (Buffer.byteLength(byLines) <= maxBytes) return byLines;
  const byBytes = fitBytes(byLines, maxBytes, tailOf);
  const newline = byBytes.indexOf('\n');
  return newline >= 0 && newline < byBytes.length - 1 ? byBytes.slice(newline + 1) : byBytes;
}

/** The longest beginning or end (`take`) of at most `maxBytes`. */
function fitBytes(text: string, maxBytes: number, take: (text: string, length: number) => string): string {
  let low = 0;
  let high = Math.min(text.length, maxBytes);
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (Buffer.byteLength(take(text, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return take(text, low);
}

/** Lines of a text; one that ends in `\n` has no empty line after it. */
export function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) === 10) lines++;
  return lines;
}
