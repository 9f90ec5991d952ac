/** Finds passwords in URLs (`https://user:PASSWORD@host`, `postgres://…`) and in connection strings. */
import { isLikelySecret, isPlaceholder } from './likelySecret.ts';
import type { Secret } from './types.ts';

/** From `://` on. No part may contain a character that ends a URL, so that many `://` in a row stay linear. */
const userAndPassword =
  /:\/\/(?<user>[^\s:@/?#"'`<>\\|{}()[\]$]{0,256}):(?<password>[^\s@/"'`<>\\]{1,512})@(?<host>[A-Za-z0-9[_%-][^\s/:"'`<>\\]{0,255})/y;

const connectionString =
  /(?:user id|uid|username|user)\s{0,2}=[^;\s"']{1,128};\s{0,4}(?:password|pwd)\s{0,2}=(?<password>[^;"'`\\\r\n]{3,128})/gi;

/** Schemes in whose URLs a password may contain `/` and `@`, contrary to the standard. */
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
  for (const match of text.matchAll(connectionString)) {
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
