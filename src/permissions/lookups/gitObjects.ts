/** Runs git for lookups, and finds the objects that words name. */
import { adviceFor, runGitNow } from '../../disk/ownGit.ts';
import { nameFromTop, type WordsPlace } from './gitPaths.ts';

/** If git takes longer, the command needs approval. */
const TIMEOUT_MS = 3000;
const MAX_BYTES = 20_000_000;

/** Runs git and returns what it prints, as UTF-8 unless told otherwise; undefined if it fails. */
export type Git = (args: readonly string[], input?: string, encoding?: 'latin1') => string | undefined;

/** Receives why git could not be started or was stopped; `undefined` before each query. */
export type OnGitProblem = (problem: string | undefined) => void;

/**
 * Git in a directory, limited in time and output. Once it fails to start or is stopped, it is not started again: the
 * next query would take as long.
 */
export function gitIn(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
  workspace: readonly string[],
  onProblem: OnGitProblem,
): Git {
  let isLost = false;
  return (args, input, encoding) => {
    if (isLost) return undefined;
    const call = { cwd, args, input, timeoutMs: TIMEOUT_MS, maxBytes: MAX_BYTES };
    const { code, stdout, problem } = runGitNow({ env, workspace }, call);
    isLost = code === null;
    if (isLost) onProblem(`${problem} ${adviceFor(problem, TIMEOUT_MS)}`.trimEnd());
    return code === 0 ? stdout.toString(encoding) : undefined;
  };
}

/** A word that may name an object. */
export interface Found {
  readonly word: string;
  /** undefined = not an object. */
  readonly type: 'commit' | 'tree' | 'blob' | undefined;
  readonly id: string;
  /** The path in a word such as `HEAD:src/a`, from the top of the worktree. */
  readonly path?: string;
}

/** The empty tree in SHA-1 and SHA-256: people compare with it to show everything. */
export const emptyTrees = new Set([
  '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
]);

export const isFolder = ({ type, id }: Found): boolean => type === 'tree' && !emptyTrees.has(id);

/**
 * The revision and the path in `HEAD:src/a`, `:0:src/a` or `HEAD:./a`; a colon in braces is part of a date or search.
 */
function pathIn(
  word: string,
  place: WordsPlace,
): { readonly revision: string; readonly path: string } | undefined {
  const [, revision = '', rest = ''] = /^((?:\{[^}]*\}|[^:{])*):(.*)$/s.exec(word) ?? [];
  const named = revision === '' ? rest.replace(/^[0-3]:/, '') : rest;
  const path = /^\.{1,2}(?:\/|$)/.test(named) ? nameFromTop(named, place) : named;
  const isPlain = path !== undefined && !`/${path.replace(/\/$/, '')}/`.match(/\/\.{0,2}\//);
  return isPlain ? { revision, path } : undefined;
}

/** Looks up words that may name objects; undefined if one of them is ambiguous. */
export function findObjects(
  git: Git,
  words: readonly string[],
  place: WordsPlace,
): readonly Found[] | undefined {
  if (words.length === 0) return [];
  if (words.some((word) => word.includes('\n'))) return undefined;
  // `^{}` follows a tag to its object; after `HEAD:a` it would be part of the path.
  const asked = words.map((word) => (word.includes(':') ? word : `${word}^{}`));
  const revisions = words.map((word) => `${pathIn(word, place)?.revision || 'HEAD'}^{}`);
  const input = [...asked, ...revisions].map((line) => `${line}\n`).join('');
  const lines = git(['cat-file', '--batch-check=%(objecttype) %(objectname)'], input)?.split('\n');
  if (lines === undefined) return undefined;
  const found = words.map((word, at): Found | undefined => {
    const line = lines[at] ?? '';
    const [, type, id = ''] = /^(commit|tree|blob) ([\da-f]+)$/.exec(line) ?? [];
    if (type === undefined) return line.endsWith(' missing') ? { word, type: undefined, id } : undefined;
    const named = pathIn(word, place);
    const isFromTop = named?.revision === '' || lines[words.length + at]?.startsWith('commit ');
    // Something in a folder that is named by its id, or in an unknown form.
    if (type !== 'commit' && word.includes(':') && (named === undefined || !isFromTop)) return undefined;
    return { word, type: type as NonNullable<Found['type']>, id, ...(named && { path: named.path }) };
  });
  return found.includes(undefined) ? undefined : found.filter((one) => one !== undefined);
}
