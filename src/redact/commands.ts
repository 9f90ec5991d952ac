/** Finds passwords in arguments of programs and in database statements. */
import { isLikelySecret, isPlaceholder } from './likelySecret.ts';
import type { Secret } from './types.ts';

/** `curl -u name:PASSWORD`. The distance between program and option is limited, within one line. */
const userAndPassword =
  /\b(?:curl|wget|https?|xh)\b[^\n|;]{0,300}?\s(?:-u|-U|--user|--proxy-user|-a|--auth)[ =]{0,2}["']?[^\s:"'/]{1,64}:(?<value>[^\s"'\\]{4,256})/g;
const option =
  /\b(?:sshpass|(?:docker|podman|helm registry|az acr) login|mysql(?:dump|admin)?|mariadb(?:-dump)?|mongo(?:sh|dump|restore)?|redis-cli|unzip|zip|7z|ldap(?:search|add|modify)|openssl)\b[^\n|;]{0,200}?\s-(?:p|P|a|w|k)\s{0,2}["']?(?<value>[^\s"'\\-][^\s"'\\]{5,255})/g;
const statements = [
  /\bidentified\s{1,3}by\s{1,3}["'](?<value>[^\s"'\\]{6,256})["']/gi,
  /\s-pass(?:in|out)?\s{1,2}["']?pass:(?<value>[^\s"'\\]{6,256})/g,
  /^\s{0,8}(?:requirepass|masterauth)\s{1,8}["']?(?<value>[^\s"'\\]{6,256})/gm,
];

/** Finds only the password itself; the command stays readable. */
export function findCommandPasswords(text: string): Secret[] {
  return [userAndPassword, option, ...statements].flatMap((regex) =>
    [...text.matchAll(regex)].flatMap((match) => {
      const value = match.groups?.value ?? '';
      if (isPlaceholder(value) || !isLikelySecret(value, 'quoted')) return [];
      const start = match.index + match[0].lastIndexOf(value);
      return [{ start, end: start + value.length, kind: 'password' }];
    }),
  );
}
