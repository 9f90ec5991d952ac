/** Finds tokens that their format alone reveals: those in the table, and some that need a closer look. */
import { entropyBits, isLikelySecret, isPlaceholder, isShuffled, type Secret } from './likelySecret.ts';
import { type TokenFormat, tokenFormats } from './tokenFormats.ts';

type Format = TokenFormat & { readonly regex: RegExp };

interface Literal {
  readonly literal: string;
  readonly formats: readonly Format[];
}

/** Lookup tables for tokens that begin with a literal. */
interface Literals {
  /** Every literal by its first three characters, longer ones first. */
  readonly byStart: ReadonlyMap<number, readonly Literal[]>;
  /** Character pairs that begin a literal: this lookup skips nearly all of a text. */
  readonly begins: Uint8Array;
}

/** Built for the first text: it takes 4 ms, and startup scans none. */
let literals: Literals | undefined;

function readLiterals(): Literals {
  const formats: readonly Format[] = tokenFormats.map((format) => ({
    ...format,
    regex: new RegExp(`(?:${format.pattern})(?![A-Za-z0-9])`, 'y'),
  }));
  const byStart = new Map<number, readonly Literal[]>();
  for (const literal of new Set(formats.flatMap((one) => one.literals))) {
    const start = startAt(literal, 0);
    const own = formats.filter((one) => one.literals.some((begin) => literal.startsWith(begin)));
    const others = byStart.get(start) ?? [];
    byStart.set(
      start,
      [...others, { literal, formats: own }].sort((a, b) => b.literal.length - a.literal.length),
    );
  }
  const begins = new Uint8Array(2 ** 14);
  for (const start of byStart.keys()) begins[start >> 7] = 1;
  return { byStart, begins };
}

function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 14) | (text.charCodeAt(at + 1) << 7) | text.charCodeAt(at + 2);
}

/** Finds every token of a known format. */
export function findTokens(text: string): Secret[] {
  literals ??= readLiterals();
  const { byStart, begins } = literals;
  const found: Secret[] = [];
  let last = text.charCodeAt(0);
  for (let at = 1; at < text.length; at++) {
    const pair = (last << 7) | text.charCodeAt(at);
    last = text.charCodeAt(at);
    if (pair >= 2 ** 14 || begins[pair] === 0) continue;
    const here = byStart.get(startAt(text, at - 1))?.find(({ literal }) => text.startsWith(literal, at - 1));
    if (here === undefined) continue;
    const secret = tokenAt(text, at - 1, here.literal, here.formats) ?? cutTokenAt(text, at - 1, here);
    if (secret === undefined) continue;
    found.push(secret);
    at = secret.end;
    last = text.charCodeAt(at - 1);
  }
  return [
    ...found,
    ...findPatterns(text),
    ...findWebTokens(text),
    ...findWebKeys(text),
    ...headerCredentials(text),
  ];
}

function tokenAt(
  text: string,
  literalAt: number,
  literal: string,
  candidates: readonly Format[],
): Secret | undefined {
  for (const { kind, regex, lead = 0, needsDigits } of candidates) {
    const start = literalAt - lead;
    if (start < 0) continue;
    const isGlued = !beginsAt(text, start);
    if (isGlued && (literal.length < 4 || lead > 0)) continue;
    regex.lastIndex = start;
    const token = regex.exec(text)?.[0];
    if (token === undefined || isPlaceholder(token.slice(lead === 0 ? literal.length : 0))) continue;
    if (isGlued && !isShuffled(token.slice(literal.length))) continue;
    if (needsDigits === true && !looksRandom(token.slice(literal.length))) continue;
    return { start, end: start + token.length, kind };
  }
  return undefined;
}

/** The rest of a token up to the end of a line. */
const restOfLine = /[A-Za-z0-9_.+/=-]{8,80}$/my;
/** What diffs print before a line of the file: `@@ -1,2 +1,2 @@ `. */
const hunkHeader = /@@ -[\d, +-]{3,60} @@@? [^\n]*$/;

/** After the position of a hunk, diffs repeat a line of the file, cut at 80 bytes: a token at its end may be incomplete. */
function cutTokenAt(text: string, start: number, { literal, formats }: Literal): Secret | undefined {
  if (literal.length < 4 || !beginsAt(text, start)) return undefined;
  restOfLine.lastIndex = start + literal.length;
  const rest = restOfLine.exec(text)?.[0];
  if (rest === undefined || !/[A-Z\d]/.test(rest) || isPlaceholder(rest)) return undefined;
  const [format] = formats;
  if (format === undefined || !hunkHeader.test(text.slice(Math.max(0, start - 160), start))) return undefined;
  return { start, end: start + literal.length + rest.length, kind: format.kind };
}

interface Pattern {
  readonly kind: string;
  /** Text that every token contains. */
  readonly hint: string;
  /** Matches the token, or what follows its first `lead` characters: a match that begins with a literal is found faster. */
  readonly regex: RegExp;
  readonly lead?: number;
  /** True if only the random order of letters and digits tells a token from a name or other encoded data. */
  readonly isShuffled?: boolean;
}

/** Formats without a leading literal, matched by regular expressions. */
const patterns: readonly Pattern[] = [
  { kind: 'twilio-key', hint: 'SK', regex: /SK[0-9a-f]{32}(?![A-Za-z0-9])/g },
  {
    kind: 'azure-client-secret',
    hint: 'Q~',
    regex: /[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9])/g,
  },
  {
    kind: 'telegram-token',
    hint: ':AA',
    regex: /\d{8,10}:AA[A-Za-z0-9_-]{32,36}(?![A-Za-z0-9_-])/g,
  },
  {
    kind: 'discord-token',
    hint: '.',
    regex: /[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,40}(?![A-Za-z0-9_-])/g,
  },
  {
    kind: 'mailgun-key',
    hint: '-',
    regex: /-(?<=[0-9a-f]{32}-)[0-9a-f]{8}-[0-9a-f]{8}(?![A-Za-z0-9-])/g,
    lead: 32,
  },
  { kind: 'newrelic-key', hint: 'NRAL', regex: /(?:[a-z]{2}\d{2}xx)?[0-9a-f]{30,36}NRAL(?![A-Za-z0-9])/g },
  // developer.squareup.com "Access tokens", developer.okta.com "API tokens", developer.hashicorp.com/vault "Tokens"
  { kind: 'square-token', hint: 'EAAA', regex: /(?<![+/=_-])EAAA[\w-]{60}(?![\w+/=-])/g, isShuffled: true },
  { kind: 'okta-token', hint: '00', regex: /(?<![+/=_.-])00[\w-]{40}(?![\w+/=-])/g, isShuffled: true },
  {
    kind: 'vault-token',
    hint: 's.',
    regex: /(?<![$_.-])s\.[A-Za-z0-9]{24}(?![\w(-]|\.\w)/g,
    isShuffled: true,
  },
];

function findPatterns(text: string): Secret[] {
  return patterns.flatMap(({ kind, hint, regex, lead = 0, isShuffled: mustBeShuffled }) => {
    if (!text.includes(hint)) return [];
    return [...text.matchAll(regex)]
      .map((match) => ({ start: match.index - lead, end: match.index + match[0].length, kind }))
      .filter(({ start, end }) => {
        const token = text.slice(start, end);
        return (
          (beginsAt(text, start) || /bot$/.test(text.slice(start - 3, start))) &&
          (mustBeShuffled === true ? isShuffled(token) : looksRandom(token)) &&
          !isPlaceholder(token)
        );
      });
  });
}

/** A maximal run of JSON Web Token characters, matched in full so that no character is scanned twice. */
const dottedRun = /eyJ[A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]*){0,4}/g;
const webToken = /^eyJ[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}/;

function findWebTokens(text: string): Secret[] {
  if (!text.includes('eyJ')) return [];
  return [...text.matchAll(dottedRun)].flatMap(({ index, 0: run }) => {
    const token = webToken.exec(run)?.[0];
    return token === undefined ? [] : [{ start: index, end: index + token.length, kind: 'jwt' }];
  });
}

/** The private parts of JSON Web Keys: RFC 7518. */
const webKey = /"(?:[dkpq]|d[pq]|qi)\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"(?<value>[A-Za-z0-9_-]{16,2000})\\{0,3}"/g;
/** Characters of one key before and after a part of it. */
const MAX_WEB_KEY = 4096;

function findWebKeys(text: string): Secret[] {
  if (!text.includes('"kty')) return [];
  return valuesOf(text, webKey, 'private-key', (_, { start, end }) => {
    const before = text.slice(Math.max(0, start - MAX_WEB_KEY), start);
    const [after = ''] = text.slice(end, end + MAX_WEB_KEY).split(/[{}]/, 1);
    const from = Math.max(before.lastIndexOf('{'), before.lastIndexOf('}')) + 1;
    return before.includes('"kty', from) || after.includes('"kty');
  });
}

/** True if letters and digits are mixed more than in any name. */
function looksRandom(text: string): boolean {
  return isShuffled(text) || ((text.match(/\d+/g)?.length ?? 0) >= 2 && /[A-Za-z]/.test(text));
}

/** Where a token may begin: not within a word, but directly after an escape sequence that ends in a letter. */

/** True if the text before `at` is not part of the same word. */
function beginsAt(text: string, at: number): boolean {
  if (at === 0 || !/[A-Za-z0-9]/.test(text[at - 1] ?? '')) return true;
  // "\nghp_…" in JSON, "\u0022", "\x22", "%20" in a URL, and terminal colors.
  return escapeBefore.test(text.slice(Math.max(0, at - 24), at));
}

const escapeBefore =
  /(?:\\[nrtbfv0]|\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|%[0-9a-f]{2}|\u001b\[[0-9;]{0,20}[A-Za-z])$/i;

// Finds HTTP credentials: `Bearer …`, `Basic …`, and private keys in base64, as Kubernetes stores them.

const bearer = /\bbearer\s{1,3}(?<value>[A-Za-z0-9._~+/=-]{16,4096})/gi;
const basic =
  /authorization["'\\]{0,4}\s{0,3}[:=,]\s{0,3}["'\\`]{0,4}basic\s{1,3}(?<value>[A-Za-z0-9+/]{8,1024}={0,2})/gi;
const otherScheme =
  /authorization["'\\]{0,4}\s{0,3}[:=,]\s{0,3}["'\\`]{0,4}(?:(?:token|api-?key|key|bot)\s{1,3})?(?<value>[A-Za-z0-9._~+/=-]{16,4096})/gi;
/** Name and password as stored by `docker login`. */
const stored = /"auth\\{0,3}"\s{0,3}:\s{0,3}\\{0,3}"(?<value>[A-Za-z0-9+/]{8,1024}={0,2})\\{0,3}"/g;
const encodedKey =
  /LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,20000}(?:\r?\n[ \t]{0,16}[A-Za-z0-9+/]{16,200}){0,400}={0,2}/g;

function headerCredentials(text: string): Secret[] {
  return [
    ...valuesOf(text, bearer, 'bearer-token', isRandom),
    ...valuesOf(text, basic, 'basic-credentials', (value) => /^[^:]+:./.test(decoded(value))),
    ...valuesOf(
      text,
      otherScheme,
      'authorization',
      (value) => isRandom(value) && isLikelySecret(value, 'bare'),
    ),
    ...valuesOf(text, stored, 'basic-credentials', (value) =>
      /^[\x20-\x7e]+:[\x20-\x7e]+$/.test(decoded(value)),
    ),
    ...valuesOf(text, encodedKey, 'private-key', (value) =>
      decoded(value.slice(0, 64)).includes('PRIVATE KEY'),
    ),
  ];
}

function valuesOf(
  text: string,
  regex: RegExp,
  kind: string,
  isOne: (value: string, secret: Secret) => boolean,
): Secret[] {
  const found: Secret[] = [];
  for (const match of text.matchAll(regex)) {
    const value = match.groups?.value ?? match[0];
    const start = match.index + match[0].lastIndexOf(value);
    const secret = { start, end: start + value.length, kind };
    if (!isPlaceholder(value.slice(0, 64)) && isOne(value, secret)) found.push(secret);
  }
  return found;
}

function isRandom(value: string): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && entropyBits(value.slice(0, 256)) >= 3;
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}
