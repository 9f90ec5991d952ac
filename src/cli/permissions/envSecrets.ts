/** Finds the secrets in a project's `.env` files: programs may read them, but the model sees marks instead. */
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createFolderWalk } from '../../disk/folderWalk.ts';
import { isSensitive } from '../../permissions/files/sensitive.ts';
import { isSecretName } from '../../redact/assignments.ts';
import { findUrlPasswords } from '../../redact/findSecrets.ts';
import { isLikelySecret } from '../../redact/likelySecret.ts';
import { findTokens } from '../../redact/tokens.ts';
import type { KnownSecret } from '../../tools/shell/valueRedactor.ts';

const MAX_BYTES = 64 * 1024;
/** Maximum number of files; the nearest come first. */
const MAX_FILES = 200;
/** Minimum length of a value; shorter ones would match in ordinary text. */
const MIN_LENGTH = 6;
/** Minimum length of a single line of a value; shorter ones may be words. */
const MIN_LINE_LENGTH = 16;

/**
 * Returns a function that reads the `.env` files in folders and their subfolders each time it is called. Never throws.
 */
export function createEnvSecrets(): (folders: readonly string[]) => readonly KnownSecret[] {
  const walk = createFolderWalk((path, entries) => ({
    found: entries
      .map(({ name }) => join(path, name))
      .filter((file) => /\/\.env[^/]*$/.test(file) && isSensitive(file)),
  }));
  return (folders) => {
    const files = folders.flatMap((folder) => walk(folder).flatMap(({ found }) => found));
    return [...new Set(files)].slice(0, MAX_FILES).flatMap((path) => secretsIn(textOf(path)));
  };
}

/** Matches an assignment. Quoted values may span lines; other values end with the line. */
const assignment =
  /^[ \t]*(?:export[ \t]+)?([\w.-]+)[ \t]*[=:][ \t]*("(?:\\.|[^"\\])*"|'[^']*'|`[^`]*`|[^\n]*)/gm;

function secretsIn(text: string): readonly KnownSecret[] {
  return [...text.replaceAll('\r\n', '\n').matchAll(assignment)].flatMap(([, name = '', written = '']) => {
    const value = /^(["'`])(.*)\1/s.exec(written)?.[2] ?? written.replace(/\s+#.*$/, '').trimEnd();
    const passwords = findUrlPasswords(value).map(({ start, end }) => value.slice(start, end));
    const isSecret = isSecretName(name) || findTokens(value).length > 0 || isLikelySecret(value, 'quoted');
    // Programs also print single lines of a value: in quotes, `\n` is a line break, as in a private key.
    const lines = value.split(/\n|\\n|\\r/).filter((one) => one.length >= MIN_LINE_LENGTH);
    return [...new Set([...passwords, ...(isSecret ? [value, ...lines] : [])])]
      .filter((one) => one.length >= MIN_LENGTH)
      .map((one) => ({ value: one, mark: `[redacted: ${name} of .env]` }));
  });
}

function textOf(path: string): string {
  try {
    const info = statSync(path);
    return info.isFile() && info.size <= MAX_BYTES ? readFileSync(path, 'utf8') : '';
  } catch {
    return '';
  }
}
