/**
 * Finds values of names like `password` in settings. There, a literal is the secret itself, however simple it is; in code
 * and documents, only a random-looking one is.
 */
import { isFlag, kindOf } from './assignments.ts';
import { isLikelySecret, isMixedCase, isPlaceholder, isUuid, type Secret } from './likelySecret.ts';

/** A name that ends like that of a secret, and its value. Every repetition is bounded. */
const setting = new RegExp(
  [
    '(?<word>pass(?:word|wd|phrase|code|wort)?|pwd|psk|secret|token|credentials?|key)',
    '(?:[_-]?(?:prod(?:uction)?|dev|test|staging|live|value|base|\\d{1,3})){0,2}',
    '\\\\{0,3}["\'`]?\\]?',
    '(?<between>',
    '[^\\S\\n]{0,24}(?:=>|:=|=(?!=))[^\\S\\n]{0,24}',
    '|[^\\S\\n]{0,24}:(?:[^\\S\\n]{1,24}|(?=\\\\{0,3}["\'`]))',
    // YAML: the value on the next line, possibly as a block.
    '|:[^\\S\\n]{0,8}(?:[|>][-+]?\\d?[^\\S\\n]{0,8})?\\n[^\\S\\n]{1,24}(?=[^\\s:#]+[^\\S\\n]*(?:\\n|$))',
    // Name and value as two fields: `name: X, value: …`.
    '|,?\\s{0,24}["\']?value["\']?\\s{0,3}[:=]\\s{0,3}',
    '|>|</key>\\s{0,24}<string>',
    '|[^\\S\\n]{1,4}',
    ')',
    '(?:\\\\{0,3}(?<quote>["\'`])(?<quoted>[^"\'`\\\\\\r\\n]{6,512})\\\\{0,3}\\k<quote>',
    '|(?<bare>(?!#)[^\\s"\'`,;&<>(){}[\\]\\\\]{6,512})(?=[\\s,;&})\\]"\'<]|$))',
  ].join(''),
  'gi',
);

/** Finds such values, without their quotes. */
export function findSettingValues(text: string): Secret[] {
  const found: Secret[] = [];
  setting.lastIndex = 0;
  for (let match = setting.exec(text); match !== null; match = setting.exec(text)) {
    const secret = settingIn(text, match);
    if (secret !== undefined) found.push(secret);
    // The value of `key="password"` is itself the name of the next one.
    setting.lastIndex = secret?.end ?? match.index + (match.groups?.word?.length ?? 1);
  }
  return found;
}

function settingIn(text: string, { index, 0: all, groups = {} }: RegExpExecArray): Secret | undefined {
  const { word = '', between = '', quoted, bare = '' } = groups;
  const value = quoted ?? bare.replace(/[.:]+$/, '');
  if (/^\$[A-Za-z_({]/.test(value)) return undefined;
  const before = text.slice(Math.max(0, index - BEFORE), index);
  if (!isNameOfSecret(word, before.slice(-24)) || !isSetting(word, before, between)) return undefined;
  const isEntry = /^key$/i.test(word) && !/(?:api|secret|access|encryption|master)[_-]?$/i.test(before);
  if (isEntry ? !isLikelyKey(value) : !isLiteral(value, word)) return undefined;
  const start = index + all.lastIndexOf(value);
  if (between === '>' && !text.startsWith('</', start + value.length)) return undefined;
  return { start, end: start + value.length, kind: kindOf(word) };
}

/** Characters before the name that are looked at. */
const BEFORE = 200;

/** True if the word is the end of a name, and the word before it does not say that the value is public. */
function isNameOfSecret(word: string, before: string): boolean {
  const isPart = /[a-z]$/i.test(before);
  const isCamel = /[a-z\d]$/.test(before) && /^[A-Z]/.test(word);
  if (/^(?:pass|key)$/i.test(word) && isPart && !isCamel) return false;
  const last = /(?<last>[A-Z]?[a-z\d]+|[A-Z\d]+)[_.-]?$/.exec(before)?.groups?.last?.toLowerCase() ?? '';
  if (/^key$/i.test(word)) return last !== '' && !beforeKey.has(last);
  return !(/^token$/i.test(word) && beforeToken.has(last));
}

const wordsOf = (list: string): ReadonlySet<string> => new Set(list.split(' '));
/** Public keys, and keys of entries. */
const beforeKey = wordsOf(
  'public pub primary foreign sort cache partition map index routing translation i18n message lookup group hash row object idempotency dedup range query item event config registry verify verification host site publishable anon unique composite order label field property meta tag trace job context parent state file bucket short shortcut hot known trusted manager gpg commit build module component restore artifact',
);
/** Positions in lists, and elements of text. */
const beforeToken = wordsOf(
  'next prev previous page paging pagination continuation cursor bos eos unk pad sep cls mask start begin end stop special image audio video vision design color colour css syntax semantic cancellation',
);

/** True if the name stands where a setting does: at the start of a line or entry, outside of comments. */
function isSetting(word: string, before: string, between: string): boolean {
  let nameStart = before.length;
  while (nameStart > 0 && /[\w.$-]/.test(before[nameStart - 1] ?? '')) nameStart--;
  const line = before.slice(before.lastIndexOf('\n') + 1, nameStart);
  if (/^\s*(?:[#;*]|\/\/\s|--\s|<!--|rem\s)/i.test(line)) return false;
  if (between === '>') return /<[\w:]*$/.test(line);
  if (/^[^\S\n]+$/.test(between)) return isFlag(before, before.length);
  if (!/^\s*:(?!=)/.test(between)) return true;
  // The result of a test.
  if (nameStart === before.length && word === 'PASS') return false;
  return /[{,;("'`[|]\s{0,40}$/.test(line) || /^\s*(?:- *)?$/.test(line);
}

/** Most keys are names of entries, so only one that looks random counts; one that is an id does not. */
const isLikelyKey = (value: string): boolean =>
  value.length >= 16 && !isUuid(value) && !isReference(value) && isLikelySecret(value, 'quoted');

/** True for a value that is a password or token itself, not a name, a word, a number or a placeholder. */
function isLiteral(value: string, word: string): boolean {
  if (value.length < 6 || isPlaceholder(value) || isReference(value) || everyday.test(value)) return false;
  // Natural language, also translated, and names made of words.
  if (/[^\x21-\x7e]|^[\w.+-]+@[a-z.-]+\.[a-z]{2,}$/.test(value)) return false;
  if (/^[A-Za-z_.,:/|'-]*[?!*=]*$/.test(value) && !isMixedCase(value.replace(/\W+$/, ''))) return false;
  if (/^[-+]?[\d.,:_-]+(?:[a-z]{1,7}|%)?$/i.test(value) || /^[\^~<>=v]*\d+\.\d|^\d{4}-\d\d-\d\dT/.test(value))
    return false;
  const isName = words.test(value);
  return !isName || (/^p/i.test(word) && !/[/.]/.test(value) && !namesSecret.test(value));
}

/** Words with a number at most, joined: `db-credentials-v2`, `app.token.2`. */
const words = /^(?:[A-Za-z]+\d{0,2}|\d{1,4})(?:[-_./:](?:[A-Za-z]+\d{0,2}|\d{1,4}))+$/;
const namesSecret = /pass|pwd|secret|token|key|cred/i;

/** Refers to the secret by variable, call, tag, file, address or store, or contains it only encrypted. */
function isReference(value: string): boolean {
  return (
    /^\$[A-Za-z_({]|\$\{|\{\{|\$\(|[#@%]\{|^[{[<]|<[^>]*>|^%.*%$|^%\(|^@\w+[@.]|^%\w\/|^[\w.-]+:\/|^[!&*][A-Za-z]|^ENC\(|\(.*\)$/.test(
      value,
    ) ||
    /^(?:[a-z][\w+.-]*:\/\/|(?:arn|vault|ssm|env|file|secret|secretsmanager|op|ref|urn|data|sha\d+|aws|gcp|keyring|keychain|npm|workspace|link|portal|patch|git\w*):|sha\d+-)/i.test(
      value,
    ) ||
    /^(?:~|\.{1,2})?\/|^[A-Za-z]:[\\/]|\.(?:pem|key|txt|json|ya?ml|p12|jks|crt|gpg|age|toml|ini|conf|md|html?|[jt]sx?)$/.test(
      value,
    ) ||
    (/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+$/.test(value) && !isLikelySecret(value, 'quoted')) ||
    /^[A-Z][A-Z\d]*(?:_[A-Z\d]+)+$|^#[\dA-Fa-f]{3,8}$/.test(value)
  );
}

/** Passwords that protect nothing, in samples and local databases. */
const everyday =
  /^(?:my|test|dev|dummy|local|admin|root|user|guest|default|demo|some|super|postgres|mysql|redis|mongo|minio|pass(?:word|wd|w0rd)?|secret|token|pwd|key|qwerty|abc|change|[-_.!@#]){1,8}\d{0,6}!?$|^(?:u?int|card|(?:var)?char|uuid|float|string|bytes|base|sha|utf|md|oauth|[hr]s|bcrypt|argon)-?\d+\w{0,2}$/i;
