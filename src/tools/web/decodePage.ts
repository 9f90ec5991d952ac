/** Decodes bytes to text: by byte order mark, then header, then the page's own declaration, then a guess. */
import { isUtf8 } from 'node:buffer';

/** Browsers search this many bytes for an encoding declaration (HTML standard: 1,024). */
const HEAD_BYTES = 1024;

/** Decodes the bytes; invalid sequences become U+FFFD. The result is well-formed. */
export function decodePage(bytes: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const told = markOf(bytes) ?? decoderFor(charset) ?? (isHtml ? decoderFor(ownWord(bytes)) : undefined);
  const decoder = told ?? new TextDecoder(looksUtf8(bytes) ? 'utf-8' : 'windows-1252');
  return decoder.decode(bytes).toWellFormed();
}

function markOf(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder('utf-8');
  return undefined;
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label.trim());
  } catch {
    return undefined;
  }
}

/** `<meta charset=…>` or `<meta http-equiv=… content="…; charset=…">`, or an XML declaration. */
function ownWord(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  const label =
    /<meta\b[^>]*?\bcharset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // If the declaration could be read as latin1, the page is not UTF-16, whatever it declares.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

/** Ignores an incomplete last character, which may have been cut off. */
function looksUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes.subarray(0, bytes.length - openEnd(bytes)));
}

/** The number of bytes at the end that begin a character without completing it. */
function openEnd(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needed > 1) return needed > length ? length : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}
