/** Finds values of names like `password`, `api_key` and `client_secret`, if the value looks random. */
import { isLikelySecret, isPlaceholder, isUuid, type Secret } from './likelySecret.ts';

/** Names that indicate a secret; `key` only with a prefix, as in `api_key`. */
const name =
  /pass(?:word|wd|phrase|code|wort)|(?<![A-Za-z])pass(?![A-Za-z])|pwd|psk|secret|token|key|credentials?|_auth|密码/gi;
const keyOf =
  /(?:api|app|access|auth|account|secret|private|shared|signing|encryption|master|service|subscription|admin|license|storage|jwt|session|hmac)[_\s-]?$/i;
const wholeName =
  /^(?<before>.{0,60}?)(?:pass(?:word|wd|phrase|code|wort)|(?<![A-Za-z])pass|pwd|psk|secret|token|(?<key>key)|credentials?|_auth)$/is;

/** After the name: the separator and the value. Every repetition is bounded. */
const afterName = new RegExp(
  [
    '(?:[_-]?(?:prod(?:uction)?|dev|test|staging|live|value|base|\\d{1,3})){0,2}',
    '\\\\{0,3}["\'`]?\\]?(?: \\(unverified\\)| \\[[^\\]\\n]{0,30}\\])?',
    '(?:',
    '\\s{0,24}(?::\\s{0,2}&?[A-Za-z]{1,12}\\s{0,2}=|=>|:=|={1,3}|：|:\\s{0,3}[|>][-+]?\\d?(?=\\s)|:\\*{0,2}|>)\\s{0,24}',
    '|\\s{0,24}\\|\\s{1,24}',
    // Name and value as two fields, elements or arguments: `name: X, value: …`.
    '|,?\\s{1,24}value["\']?\\s{0,3}[:=]\\s{0,3}|,\\s{0,24}["\']value["\']\\s{0,3}:\\s{0,3}',
    '|</key>\\s{0,24}<string>|["\'`]?\\s{0,3}[,(]\\s{0,3}(?=\\\\{0,3}["\'`])',
    '|\\s{1,3}is:?\\s{1,3}',
    '|\\s{1,4}',
    ')',
    '(?:\\\\{0,3}["\'`](?<quoted>[^\\s"\'`\\\\]{8,512})\\\\{0,3}["\'`]',
    '|(?<bare>(?:base64:)?[A-Za-z0-9_\\-+/.~!@#%^&*?$]{8,4096}={0,2})(?=[\\s,;&"\'`\\\\<)\\]}|\u001b]|$))',
  ].join(''),
  'iy',
);

/** True if a field's name indicates that its value is a secret. */
export function isSecretName(text: string): boolean {
  const match = wholeName.exec(text);
  return match !== null && (match.groups?.key === undefined || keyOf.test(match.groups.before ?? ''));
}

/** Finds such values, without their quotes. */
export function findAssignments(text: string): Secret[] {
  const found: Secret[] = [];
  name.lastIndex = 0;
  for (let match = name.exec(text); match !== null; match = name.exec(text)) {
    if (/^key$/i.test(match[0]) && !keyOf.test(text.slice(Math.max(0, match.index - 16), match.index)))
      continue;
    const secret = valueAfter(text, match.index, match.index + match[0].length);
    if (secret === undefined) continue;
    found.push(secret);
    name.lastIndex = secret.end;
  }
  return [...found, ...findValuesFirst(text)];
}

/** `{"value": …, "name": "DB_PASSWORD"}` */
const valueFirst =
  /["']value["']\s{0,3}:\s{0,3}["'](?<value>[^"'\\\n]{8,512})["']\s{0,3},\s{0,24}["'](?:name|key)["']\s{0,3}:\s{0,3}["'](?<name>[\w.-]{2,80})["']/g;

function findValuesFirst(text: string): Secret[] {
  return [...text.matchAll(valueFirst)].flatMap(
    ({ index, 0: pair, groups: { value = '', name = '' } = {} }) => {
      if (!isSecretName(name) || !isLikelySecret(value, 'password')) return [];
      const start = index + pair.indexOf(value, 7);
      return [{ start, end: start + value.length, kind: kindOf(name) }];
    },
  );
}

function valueAfter(text: string, nameStart: number, nameEnd: number): Secret | undefined {
  afterName.lastIndex = nameEnd;
  const match = afterName.exec(text);
  if (match === null) return undefined;
  const { quoted, bare = '' } = match.groups ?? {};
  const value = quoted ?? bare.replace(/[.,;:?!]+$/, '');
  const between = match[0].slice(0, match[0].lastIndexOf(quoted ?? bare));
  if (quoted === undefined && /^\s+$/.test(between) && !isFlag(text, nameStart)) return undefined;
  const isPassword = /pass|pwd|secret/i.test(text.slice(nameStart, nameEnd));
  const standing = quoted === undefined ? 'bare' : isPassword ? 'password' : 'quoted';
  if (!isLikelySecret(value, standing) && !isLikelySecret(plainText(value) ?? '', 'quoted')) return undefined;
  // A token is often just an id; a password never is.
  if (isUuid(value) && /token$/i.test(text.slice(nameStart, nameEnd))) return undefined;
  const start = nameEnd + between.length;
  return { start, end: start + value.length, kind: kindOf(text.slice(nameStart, nameEnd)) };
}

/** `--password VALUE`, a line of `.netrc`, a shell that sets variables without `=`. */
export function isFlag(text: string, nameStart: number): boolean {
  return /(?:--[\w-]{0,20}|\blogin\s{1,3}\S{1,64}\s{1,3}|\b(?:set\s{1,3}-\w{1,4}|setenv)\s{1,3}\w{0,64})$/.test(
    text.slice(Math.max(0, nameStart - 80), nameStart),
  );
}

export function kindOf(word: string): string {
  if (/pass|pwd|credential|_auth/i.test(word)) return 'password';
  return /token/i.test(word) ? 'token' : /key/i.test(word) ? 'key' : 'secret';
}

// Finds passwords in arguments of programs and in database statements.

/** With text that every match contains: looking for it takes a fraction of the time. */
const commands: readonly { readonly hint: RegExp; readonly form: RegExp }[] = [
  {
    // `curl -u name:PASSWORD`. The distance between program and option is limited, within one line.
    hint: /\s-(?:[uUa]|-user|-proxy-user|-auth)/,
    form: /\b(?:curl|wget|https?|xh)\b[^\n|;]{0,300}?\s(?:-u|-U|--user|--proxy-user|-a|--auth)[ =]{0,2}["']?[^\s:"'/]{1,64}:(?<value>[^\s"'\\]{4,256})/g,
  },
  {
    hint: /\s-[pPawk]/,
    form: /\b(?:sshpass|(?:docker|podman|helm registry|az acr) login|mysql(?:dump|admin)?|mariadb(?:-dump)?|mongo(?:sh|dump|restore)?|redis-cli|unzip|zip|7z|ldap(?:search|add|modify)|openssl)\b[^\n|;]{0,200}?\s-(?:p|P|a|w|k)\s{0,2}["']?(?<value>[^\s"'\\-][^\s"'\\]{5,255})/g,
  },
  {
    hint: /identified/i,
    form: /\bidentified\s{1,3}by\s{1,3}["'](?<value>[^\s"'\\]{6,256})["']/gi,
  },
  { hint: /-pass/, form: /\s-pass(?:in|out)?\s{1,2}["']?pass:(?<value>[^\s"'\\]{6,256})/g },
  {
    hint: /requirepass|masterauth/,
    form: /^\s{0,8}(?:requirepass|masterauth)\s{1,8}["']?(?<value>[^\s"'\\]{6,256})/gm,
  },
];

/** Finds only the password itself; the command stays readable. */
export function findCommandPasswords(text: string): Secret[] {
  return commands
    .filter(({ hint }) => hint.test(text))
    .flatMap(({ form }) => [...text.matchAll(form)])
    .flatMap((match) => {
      const value = match.groups?.value ?? '';
      if (isPlaceholder(value) || !isLikelySecret(value, 'password')) return [];
      const start = match.index + match[0].lastIndexOf(value);
      return [{ start, end: start + value.length, kind: 'password' }];
    });
}

// Finds base64-encoded text that contains a secret, as stored by Kubernetes and CI systems.

const LEAST_RUN = 24;
/** Longer runs are encoded files, which are searched when they are decoded. */
const LONGEST_RUN = 32_000;

/** Returns the entire run if `find` finds a secret in the decoded text. */
export function findEncoded(text: string, find: (decoded: string) => readonly Secret[]): Secret[] {
  const found: Secret[] = [];
  for (const { start, end } of encodedRuns(text)) {
    if (plainText(text.slice(start, Math.min(end, start + 32))) === undefined) continue;
    const decoded = plainText(text.slice(start, end));
    const [secret] = decoded === undefined ? [] : find(decoded);
    if (secret !== undefined) found.push({ start, end, kind: `${secret.kind}-base64` });
  }
  return found;
}

/**
 * The runs of base64 characters of these lengths, with their padding. No run is between two characters that are this far
 * apart and not in one, so only every 24th is looked at: ten times as fast as a regular expression.
 */
function* encodedRuns(text: string): Iterable<{ readonly start: number; readonly end: number }> {
  for (let at = LEAST_RUN - 1; at < text.length; at += LEAST_RUN) {
    if (!isBase64(text.charCodeAt(at))) continue;
    let start = at;
    while (isBase64(text.charCodeAt(start - 1))) start--;
    while (isBase64(text.charCodeAt(at))) at++;
    let end = at;
    while (text[end] === '=') end++;
    const isComplete = end - at <= 2 && !isBase64(text.charCodeAt(end));
    if (isComplete && at - start >= LEAST_RUN && at - start <= LONGEST_RUN) yield { start, end };
  }
}

/** Letters, digits, `+` and `/`; a code out of the text is NaN. */
const isBase64 = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) ||
  (code >= 0x41 && code <= 0x5a) ||
  (code >= 0x2f && code <= 0x39) ||
  code === 0x2b;

/** The decoded base64, if it is printable text; its last character may be incomplete. */
function plainText(base64: string): string | undefined {
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return /^[\t\n\r\x20-\x7e\xa0-\ufffc]+\ufffd?$/.test(text) ? text : undefined;
}
