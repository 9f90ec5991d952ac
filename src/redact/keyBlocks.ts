/** Finds armored private keys: PEM, OpenSSH, PGP, PuTTY; also if only one end is visible. */
import type { Secret } from './types.ts';

/** Maximum characters of an armored private key, line numbers and escapes included. */
export const LONGEST_KEY_BLOCK = 32_768;

const begin =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d: /g;
const end =
  /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----|Private-MAC: [0-9a-f]{8,64}/g;

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds complete keys, truncated keys, and ends of keys; the marker lines included. */
export function findKeyBlocks(text: string): Secret[] {
  if (!/PRIVATE KEY|PuTTY-User-Key|Private-MAC/.test(text)) return [];
  const ends = [...text.matchAll(end)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
  }));
  const found: Secret[] = [];
  let nextEnd = 0;
  let done = 0;
  const begins = [...text.matchAll(begin)];
  for (const [index, match] of begins.entries()) {
    const bodyStart = match.index + match[0].length;
    if (match.index < done) continue;
    while (nextEnd < ends.length && (ends[nextEnd]?.start ?? 0) < bodyStart) {
      addOrphan(text, ends[nextEnd], done, found);
      nextEnd++;
    }
    const close = ends[nextEnd];
    const bound = Math.min(begins[index + 1]?.index ?? text.length, bodyStart + LONGEST_KEY_BLOCK);
    if (close !== undefined && close.start <= bound && isKeyBody(text.slice(bodyStart, close.start))) {
      found.push({ start: match.index, end: close.end, kind: 'private-key' });
      done = close.end;
      nextEnd++;
      continue;
    }
    const stop = endOfBody(text, bodyStart, bound);
    if (stop === bodyStart) continue;
    found.push({ start: match.index, end: stop, kind: 'private-key' });
    done = stop;
  }
  for (; nextEnd < ends.length; nextEnd++) addOrphan(text, ends[nextEnd], done, found);
  return found;
}

/** True for enough text mostly in the base64 alphabet; false for code that parses such blocks. */
function isKeyBody(body: string): boolean {
  const letters = body.match(/[A-Za-z0-9+/=]/g)?.length ?? 0;
  const others = body.match(/[^A-Za-z0-9+/=\s\\,:.>|"'`-]/g)?.length ?? 0;
  return letters >= 64 && others <= letters / 10 && /[A-Za-z0-9+/=]{32}/.test(body);
}

/** A line of a key in armor, with possible quotes or numbers before it. */
const keyLine =
  /[^\n]{0,24}?(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{32,128}={0,2}(?![A-Za-z0-9+/=])[^\n]{0,8}(?:\n|$)/y;
const startOfBody = /(?:\\[rn]|\s|["'`+,])*(?:[A-Z][A-Za-z-]{2,24}: [^\n]{1,200}\n\s*){0,4}/y;

/** The end of a body without an end marker: after its last line. */
function endOfBody(text: string, from: number, bound: number): number {
  const window = text.slice(from, bound);
  startOfBody.lastIndex = 0;
  let at = startOfBody.exec(window)?.[0].length ?? 0;
  const escaped = /[A-Za-z0-9+/=]{32,}(?:(?:\\[rn]){1,2}[A-Za-z0-9+/=]{1,128})*/y;
  escaped.lastIndex = at;
  const oneLine = escaped.exec(window);
  if (oneLine !== null) at = escaped.lastIndex;
  let stop = oneLine === null ? 0 : at;
  keyLine.lastIndex = at + (window[at] === '\n' ? 1 : 0);
  while (keyLine.test(window)) stop = keyLine.lastIndex;
  const last = /[^\S\n]{0,8}[A-Za-z0-9+/]{1,128}={0,2}(?=[^\S\n]*(?:\n|$))/y;
  last.lastIndex = stop;
  if (stop > 0 && window[stop - 1] === '\n' && last.test(window)) stop = last.lastIndex;
  return from + stop;
}

/** Adds the end of a key whose beginning is not visible: the marker and the key lines directly above it. */
function addOrphan(text: string, marker: Span | undefined, after: number, found: Secret[]): void {
  if (marker === undefined) return;
  const floor = Math.max(after, found.at(-1)?.end ?? 0, marker.start - LONGEST_KEY_BLOCK);
  let start = marker.start;
  let isKey = false;
  while (start > floor) {
    const lineEnd = text[start - 1] === '\n' ? start - 1 : start;
    const before = text.slice(Math.max(floor, lineEnd - 200), lineEnd);
    const line = before.slice(before.lastIndexOf('\n') + 1);
    const isBody = bodyLine.test(line);
    if (!isBody && (isKey || !lastBodyLine.test(line))) break;
    isKey ||= isBody;
    start = lineEnd - line.length;
  }
  if (isKey) found.push({ start, end: marker.end, kind: 'private-key' });
}

const bodyLine = /^(?:[^A-Za-z0-9+/=]|\d{1,7}[^A-Za-z0-9+/=]){0,16}[A-Za-z0-9+/]{32,128}={0,2}\s*$/;
const lastBodyLine = /^(?:[^A-Za-z0-9+/=]|\d{1,7}[^A-Za-z0-9+/=]){0,16}[A-Za-z0-9+/]{0,128}={0,2}\s*$/;
