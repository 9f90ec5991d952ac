/**
 * Finds secrets in text: keys and tokens by format, private keys, passwords in URLs, and random-looking values of names
 * like `password`. Linear in the length of any text.
 */
import { findAssignments, findCommandPasswords, findEncoded } from './assignments.ts';
import {
  entropyBits,
  isLikelySecret,
  isPlaceholder,
  type RedactOptions,
  type Secret,
} from './likelySecret.ts';
import { findSettingValues } from './settingValues.ts';
import { findTokens } from './tokens.ts';

/** The secrets in a text, in order and without overlaps. */
export function findSecrets(
  text: string,
  { own = [], keyLines = false, isSettings = false }: Omit<RedactOptions, 'onRedacted'> = {},
): Secret[] {
  if (text.length < LEAST) return [];
  // The most specific first: if two match the same characters, the first determines the kind.
  const findPlain = (seen: string): Secret[] => [
    ...own.flatMap((secret) => occurrences(seen, secret)),
    ...findKeyBlocks(seen),
    ...findTokens(seen),
    ...findUrlPasswords(seen),
    ...findCommandPasswords(seen),
    ...findAssignments(seen),
    ...(isSettings ? findSettingValues(seen) : []),
    ...(keyLines ? findKeyLines(seen) : []),
  ];
  const find = (seen: string): Secret[] => [...findPlain(seen), ...findEncoded(seen, findPlain)];
  return inOrder([...find(text), ...findInVisible(text, find)]);
}

/** Shorter strings never count as secrets, not even the user's own. */
const LEAST = 8;

function occurrences(text: string, secret: string): Secret[] {
  const found: Secret[] = [];
  if (secret.length < LEAST) return found;
  for (let at = text.indexOf(secret); at !== -1; at = text.indexOf(secret, at + secret.length))
    found.push({ start: at, end: at + secret.length, kind: 'own-key' });
  return found;
}

/** Sorts the secrets and merges overlapping ones, keeping the more specific kind. */
function inOrder(found: readonly Secret[]): Secret[] {
  const ranked = found.map((secret, rank) => ({ secret, rank }));
  ranked.sort((a, b) => a.secret.start - b.secret.start || a.rank - b.rank);
  const merged: { secret: Secret; rank: number }[] = [];
  for (const one of ranked) {
    const last = merged.at(-1);
    if (last === undefined || one.secret.start >= last.secret.end) {
      merged.push(one);
      continue;
    }
    const named = one.rank < last.rank ? one : last;
    const end = Math.max(last.secret.end, one.secret.end);
    merged[merged.length - 1] = {
      rank: named.rank,
      secret: { start: last.secret.start, end, kind: named.secret.kind },
    };
  }
  return merged.map(({ secret }) => secret);
}

// Handles invisible characters: terminal colors, zero-width characters, and the zero bytes of UTF-16.

const unseen = /\u001b\[[0-9;]{0,20}[A-Za-z]|[\0\u200b-\u200d\u2060\ufeff\u00ad]/g;

/** Searches the visible text and returns positions in the original; nothing if no character is invisible. */
function findInVisible(text: string, find: (seen: string) => Secret[]): Secret[] {
  if (!/[\0\u001b\u200b-\u200d\u2060\ufeff\u00ad]/.test(text)) return [];
  const found = find(text.replace(unseen, ''));
  if (found.length === 0) return [];
  /** Start of each visible part, in the visible text and in the original. */
  const starts = [{ seen: 0, at: 0 }];
  let hidden = 0;
  for (const { index, 0: match } of text.matchAll(unseen)) {
    const seen = index - hidden;
    hidden += match.length;
    starts.push({ seen, at: index + match.length });
  }
  const placeOf = placesIn(starts);
  return found.map(({ start, end, kind }) => ({ start: placeOf(start), end: placeOf(end - 1) + 1, kind }));
}

function placesIn(starts: readonly { readonly seen: number; readonly at: number }[]) {
  return (seen: number): number => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((starts[middle]?.seen ?? 0) <= seen) low = middle;
      else high = middle - 1;
    }
    const part = starts[low] ?? { seen: 0, at: 0 };
    return part.at + seen - part.seen;
  };
}

// Finds passwords in URLs (`https://user:PASSWORD@host`, `postgres://…`) and in connection strings.

/** Matches from `://` on. No part may contain a character that ends a URL, so that a row of `://` stays linear. */
const userAndPassword =
  /:\/\/(?<user>[^\s:@/?#"'`<>\\|{}()[\]$]{0,256}):(?<password>[^\s@/"'`<>\\]{1,512})@(?<host>[A-Za-z0-9[_%-][^\s/:"'`<>\\]{0,255})/y;

const connectionStrings: readonly { readonly hint: RegExp; readonly form: RegExp }[] = [
  {
    hint: /;/,
    form: /(?:user id|uid|username|user)\s{0,2}=[^;\s"']{1,128};\s{0,4}(?:password|pwd)\s{0,2}=(?<password>[^;"'`\\\r\n]{3,128})/gi,
  },
  {
    // The password before the user.
    hint: /;/,
    form: /\b(?:password|pwd)\s{0,2}=(?<password>[^;"'`\\\r\n]{3,128})(?=;(?:[^;"'`\r\n]{0,128};){0,8}?\s{0,4}(?:user id|uid|username|user)\s{0,2}=)/gi,
  },
  {
    // github.com/go-sql-driver/mysql "DSN"
    hint: /@(?:tcp|unix)\(/,
    form: /\b\w{1,64}:(?<password>[^\s:"'`\\]{3,128})(?=@(?:tcp|unix)\()/g,
  },
  {
    // docs.oracle.com "Database URLs"
    hint: /jdbc:oracle:/,
    form: /\bjdbc:oracle:\w{1,8}:\w{1,64}\/(?<password>[^\s"'`\\]{3,128})(?=@)/g,
  },
];

/** Schemes whose URLs may have a password with `/` and `@`, contrary to the standard. */
const database =
  /\b(?:postgres(?:ql)?|mysql|mariadb|rediss?|mongodb(?:\+srv)?|amqps?|mssql|sqlserver|clickhouse|smtps?|ftps?|sftp|ldaps?):\/\/[^\s:@/?#"'`<>\\]{0,64}:(?<password>(?:(?!:\/\/)[^\s"'`<>\\]){1,256})@(?<host>[A-Za-z0-9[_%-][^\s/:"'`<>\\]{0,255})/g;
/** A token instead of a user name. */
const nameless = /:\/\/(?<password>[A-Za-z0-9_-]{20,256})@(?<host>[A-Za-z0-9][^\s/:"'`<>\\]{0,255})/g;

/** Finds only the password itself; the URL stays readable. */
export function findUrlPasswords(text: string): Secret[] {
  return [
    ...inAddresses(text),
    ...matches(text, database, () => true),
    ...matches(text, nameless, (token) => isLikelySecret(token, 'quoted')),
    ...inConnectionStrings(text),
  ];
}

function inAddresses(text: string): Secret[] {
  const found: Secret[] = [];
  for (let at = text.indexOf('://'); at !== -1; at = text.indexOf('://', at + 3)) {
    userAndPassword.lastIndex = at;
    const { user = '', password = '', host = '' } = userAndPassword.exec(text)?.groups ?? {};
    if (password === '' || isHarmless(password) || reserved.test(host)) continue;
    const start = at + 3 + user.length + 1;
    found.push({ start, end: start + password.length, kind: 'url-password' });
  }
  return found;
}

function matches(text: string, regex: RegExp, isOne: (password: string) => boolean): Secret[] {
  if (!text.includes('://')) return [];
  return [...text.matchAll(regex)].flatMap((match) => {
    const { password = '', host = '' } = match.groups ?? {};
    if (isHarmless(password) || reserved.test(host) || !isOne(password)) return [];
    const start = match.index + match[0].lastIndexOf(`${password}@`);
    return [{ start, end: start + password.length, kind: 'url-password' }];
  });
}

function inConnectionStrings(text: string): Secret[] {
  const found: Secret[] = [];
  const forms = connectionStrings.filter(({ hint }) => hint.test(text));
  for (const match of forms.flatMap(({ form }) => [...text.matchAll(form)])) {
    const { password = '' } = match.groups ?? {};
    if (isHarmless(password)) continue;
    const end = match.index + match[0].length;
    found.push({ start: end - password.length, end, kind: 'connection-password' });
  }
  return found;
}

/** Reserved hosts for documentation (RFC 2606). */
const reserved = /(?:^|\.)(?:example(?:\.(?:com|org|net))?|test|invalid)$/i;

function isHarmless(password: string): boolean {
  return (
    /^\d{1,5}$|^.$|^\[redacted|[{}$<>]|^%[sdv]|^(?:pass(?:word|wd)?|pwd|pw|secret|token|key|user|bar|test)$/i.test(
      password,
    ) || isPlaceholder(password)
  );
}

// Finds armored private keys (PEM, OpenSSH, PGP, PuTTY), even if only one end is visible.

/** Maximum characters of an armored private key, line numbers and escapes included. */
export const LONGEST_KEY_BLOCK = 32_768;

const begin =
  /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----|PuTTY-User-Key-File-\d: /g;
const end =
  /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----|Private-MAC: [0-9a-f]{8,64}/g;

/** The start of a key whose end is still missing. */
export function openKeyStart(text: string): number | undefined {
  const last = [...text.matchAll(begin)].at(-1)?.index;
  if (last === undefined || text.length - last > LONGEST_KEY_BLOCK) return undefined;
  return text.slice(last).search(end) === -1 ? last : undefined;
}

interface Span {
  readonly start: number;
  readonly end: number;
}

/** Finds complete keys, truncated keys and ends of keys, including their marker lines. */
function findKeyBlocks(text: string): Secret[] {
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

/** True for enough text that is mostly base64; false for code that parses such blocks. */
function isKeyBody(body: string): boolean {
  const letters = body.match(/[A-Za-z0-9+/=]/g)?.length ?? 0;
  const others = body.match(/[^A-Za-z0-9+/=\s\\,:.>|"'`-]/g)?.length ?? 0;
  return letters >= 64 && others <= letters / 10 && /[A-Za-z0-9+/=]{32}/.test(body);
}

/** A line of an armored key, possibly after quotes or line numbers. */
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

/**
 * A full line of a key, with 64 (OpenSSL, GnuPG, PuTTY) or 70 characters (OpenSSH): after any prefix, such as that of a
 * diff, and before quotes or an escaped line feed.
 */
const armored =
  /(?<![A-Za-z0-9/=]|\S\+)(?<body>[A-Za-z0-9+/]{64}(?:[A-Za-z0-9+/]{6})?)(?:\\[nr]|["'`,;+]|[^\S\n]){0,8}$/gm;

/** Finds full lines of keys whose beginning and end are not visible. A shorter last line does not reveal the key. */
function findKeyLines(text: string): Secret[] {
  return [...text.matchAll(armored)].flatMap(({ index, groups: { body = '' } = {} }) =>
    isEncoded(body) ? [{ start: index, end: index + body.length, kind: 'key-line' }] : [],
  );
}

/** In such a line, random bytes have about 5.2 bits per character, names and hashes less than 4.5, an alphabet 6. */
function isEncoded(body: string): boolean {
  const bits = entropyBits(body);
  return bits > 4.6 && bits < 5.9 && /[a-z]/.test(body) && /[A-Z]/.test(body) && /\d/.test(body);
}
