/**
 * Programs such as prettier and eslint expand patterns themselves (`'{.env,x}'`, `'**'`), by their own rules. Such a
 * word is checked by every file it could stand for, including hidden files, braces and extended patterns.
 */
import { relative } from 'node:path';
import { decideFile } from '../files/fileDecision.ts';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { locate } from '../files/locate.ts';
import { type ExpandedWord, expandedWords } from '../options/expandedWords.ts';
import type { Policy } from '../policy.ts';
import type { Visit } from '../shell/workingDirectory.ts';
import { needsCheck } from './treeDecision.ts';

/** Maximum words to which the braces of one word may expand. */
const MAX_ALTERNATIVES = 200;

/** Folders that these programs leave out unless a word names them. */
const without = ['.git', 'node_modules'];

/**
 * Why a command may show what its program finds by a pattern; undefined if it may not. Completes the sentence "does not
 * cover …".
 */
export function expandedSecret(
  { part, directories }: Visit,
  policy: Policy,
  isSpelled: (at: number) => boolean = () => false,
): string | undefined {
  const words = expandedWords(part.argv).filter(({ at }) => !isSpelled(at));
  for (const directory of directories ?? [policy.root])
    for (const word of words) {
      if (
        word.selectedBy === undefined &&
        isExpandedByShell(word, part.raw[word.at] ?? '', directory, policy)
      )
        continue;
      const found = secretOf(word, directory, policy);
      if (found === undefined) continue;
      const name = relative(directory, found) || found;
      return word.selectedBy === undefined
        ? `${word.text}, which the program expands itself: ${name}`
        : `${word.selectedBy}, which selects files by a pattern: ${name}`;
    }
  return undefined;
}

/** An unquoted pattern that matches something: the program gets the names of files. */
function isExpandedByShell({ text }: ExpandedWord, raw: string, directory: string, policy: Policy): boolean {
  if (/['"\\{(]/.test(raw) || !hasGlob(raw)) return false;
  return (policy.expandGlob(locate(text, directory, policy))?.length ?? 0) > 0;
}

function secretOf(
  { text, showsFolders }: ExpandedWord,
  directory: string,
  policy: Policy,
): string | undefined {
  // A pattern that excludes files.
  if (/^!(?!\()/.test(text)) return undefined;
  const isFolder = showsFolders && policy.isDirectory(locate(text, directory, policy));
  if (!isFolder && !/[*?[{(]/.test(text)) return undefined;
  const alternatives = withoutBraces(text);
  if (alternatives === undefined) return directory;
  for (const alternative of alternatives) {
    const found = secretFor(isFolder ? `${alternative}/**` : alternative, directory, policy);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A file that a pattern without braces could stand for, and that may not be shown. */
function secretFor(pattern: string, directory: string, policy: Policy): string | undefined {
  const parts = pattern.replace(/^(?:\.\/)+/, '').split('/');
  const first = parts.findIndex((name) => /[*?[(\\]/.test(name));
  const fixed = first === -1 ? parts : parts.slice(0, first);
  const folder = locate(pattern.startsWith('/') ? `/${fixed.join('/')}` : fixed.join('/'), directory, policy);
  const isOpen = (path: string): boolean =>
    decideFile({ tool: 'Read', verb: 'read', path }, { ...policy, mode: 'acceptEdits' }).behavior === 'allow';
  if (!isOpen(folder)) return folder;
  if (first === -1) return undefined;
  const below = policy.filesBelow(folder, { hidden: true, without });
  if (below === undefined) return folder;
  // `**/` also stands for nothing; `@(x)` may be text or a pattern. Some file systems ignore case.
  const rest = parts
    .slice(first)
    .join('/')
    .replaceAll('**/', '**')
    .replace(/[@?*+!](?=\()/g, '*')
    .toLowerCase();
  const matches = (path: string): boolean => globsOverlap(rest, relative(folder, path).toLowerCase());
  const mustCheck = needsCheck(policy);
  return [...below.files.filter(mustCheck), ...below.links].find((path) => matches(path) && !isOpen(path));
}

/** Expands braces as bash and minimatch do, and `{x}`, which they read differently, in both ways. */
function withoutBraces(text: string): readonly string[] | undefined {
  const done = new Set<string>();
  const open = [text];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (done.size + open.length > MAX_ALTERNATIVES || next.length > 1000) return undefined;
    const braces = /\{([^{}]*)\}/.exec(next);
    if (braces === null) {
      done.add(next);
      continue;
    }
    const [whole, inner = ''] = braces;
    const before = next.slice(0, braces.index);
    const after = next.slice(braces.index + whole.length);
    const isRange = inner.includes('..');
    const choices = isRange
      ? ['*', ...inner.split(',')]
      : inner.includes(',')
        ? inner.split(',')
        : [inner, '?'.repeat(inner.length + 2)];
    open.push(...choices.map((choice) => `${before}${choice}${after}`));
  }
  return [...done];
}
