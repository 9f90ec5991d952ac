/**
 * The files that git reads: it opens whatever is there in place of one, in a repository and in the user's settings, and a
 * pipe without a writer blocks it.
 */
import { devNull } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { lstatOf, readFileNow, readSmallText, statOf } from './fileLookups.ts';
import { realpath } from './paths.ts';

/** False if git would find no repository from a folder, so that starting it is of no use. */
export function mayHaveRepository(directory: string): boolean {
  // Git looks in the folders around the resolved one.
  for (let at = realpath(resolve(directory)); ; at = dirname(at)) {
    // The second name is that of a bare repository, or of the git folder itself.
    if (['.git', 'HEAD'].some((name) => lstatOf(join(at, name)) !== undefined)) return true;
    if (at === dirname(at)) return false;
  }
}

/** Files of a git folder that git reads for nearly every command, and the bytes that they never exceed. */
const files: Readonly<Record<string, number>> = {
  HEAD: 64 * 1024,
  commondir: 64 * 1024,
  config: 8 * 2 ** 20,
  'config.worktree': 8 * 2 ** 20,
  index: 2 ** 30,
  'packed-refs': 2 ** 30,
  shallow: 2 ** 28,
  'info/exclude': 8 * 2 ** 20,
  'info/attributes': 8 * 2 ** 20,
  'info/grafts': 2 ** 28,
  'objects/info/alternates': 2 ** 20,
  'objects/info/commit-graph': 2 ** 31,
};

/** Files at the top of a worktree that git reads. */
const ofWorktree = ['.gitattributes', '.gitignore', '.gitmodules'];

/**
 * The first file that git, with this environment, opens early in a folder, or that its settings include or name, and that
 * is a pipe, a device, a socket or absurdly large; undefined if there is none. Others are not checked, nor are settings of
 * the whole machine, so git needs a time limit as well.
 */
export function blockingFile(directory: string, env: Variables): string | undefined {
  return oddInRepository(directory, env) ?? oddOfUser(directory, env);
}

type Variables = Readonly<Record<string, string | undefined>>;

function oddInRepository(directory: string, env: Variables): string | undefined {
  for (let at = resolve(directory); ; at = dirname(at)) {
    const found = statOf(join(at, '.git'));
    if (found !== undefined) {
      const own = firstOdd(ofWorktree.map((name) => [join(at, name), files.config]));
      if (own !== undefined) return own;
      if (found.isDirectory()) return oddInFolder(join(at, '.git'), at, env);
      if (!isPlain(join(at, '.git'), files.HEAD)) return join(at, '.git');
      const [, folder] = /^gitdir: (.+?)\s*$/.exec(readSmallText(join(at, '.git'))) ?? [];
      return folder === undefined ? undefined : oddInFolder(resolve(at, folder), at, env);
    }
    // A bare repository, or the git folder itself.
    const odd = statOf(join(at, 'objects'))?.isDirectory() === true ? oddInFolder(at, at, env) : undefined;
    if (odd !== undefined || at === dirname(at)) return odd;
  }
}

/** The same in the user's own settings. Source: git-config, Files. */
function oddOfUser(directory: string, env: Variables): string | undefined {
  const { HOME = '', XDG_CONFIG_HOME = '', GIT_CONFIG_GLOBAL } = env;
  if (HOME === '') return undefined;
  const folder = join(XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME, 'git');
  const settings =
    GIT_CONFIG_GLOBAL === undefined
      ? [join(folder, 'config'), join(HOME, '.gitconfig')]
      : [GIT_CONFIG_GLOBAL];
  // By default, the other two are the user's ignored files and attributes.
  const own = [...settings, join(folder, 'ignore'), join(folder, 'attributes')];
  return firstOdd(own.map((path) => [path, files.config])) ?? oddInSettings(settings, directory, env);
}

function oddInFolder(folder: string, worktree: string, env: Variables): string | undefined {
  const common = readSmallText(join(folder, 'commondir')).trim();
  const folders = [...new Set([folder, common === '' ? folder : resolve(folder, common)])];
  const [, ref] = /^ref: (refs\/.+?)\s*$/.exec(readSmallText(join(folder, 'HEAD'))) ?? [];
  return (
    firstOdd(
      folders.flatMap((place) => Object.entries(files).map(([name, max]) => [join(place, name), max])),
    ) ??
    firstOdd(ref === undefined ? [] : folders.map((place) => [join(place, ref), files.HEAD])) ??
    oddInSettings(
      folders.flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name))),
      worktree,
      env,
    )
  );
}

/** More than any real settings include. */
const MAX_INCLUDED = 200;

/**
 * The first such file among those that settings include, directly or not, or name. All conditions count as met. If there
 * are too many includes, the one that exceeds the limit.
 */
function oddInSettings(
  settings: readonly string[],
  worktree: string,
  { HOME = '' }: Variables,
): string | undefined {
  const waiting = new Set(settings.map((path) => resolve(path)));
  const maxIncluded = waiting.size + MAX_INCLUDED;
  // The loop also visits files added in its body.
  for (const file of waiting) {
    const text = readFileNow(file, files.config ?? 0)?.toString('utf8') ?? '';
    for (const { key, value } of namedFiles(text)) {
      const expanded = value.replace(/^~(?=\/)/, () => HOME);
      // Git resolves an include from the real folder of the file, other paths from where it runs.
      const bases = key === 'path' ? [dirname(file), dirname(realpath(file))] : [worktree];
      for (const path of bases.map((base) => resolve(base, expanded))) {
        if (!isPlain(path, files.config)) return path;
        if (key === 'path') waiting.add(path);
        if (waiting.size > maxIncluded) return path;
      }
    }
  }
  return undefined;
}

/**
 * The values of settings that name files, in any section: finding too many is harmless. Source: git-config, Syntax.
 */
function namedFiles(text: string): readonly { readonly key: string; readonly value: string }[] {
  const lines = text.replace(/\\\r?\n/g, '').matchAll(namedFile);
  return [...lines].map(([, key = '', value = '']) => ({ key: key.toLowerCase(), value: unquoted(value) }));
}

const namedFile =
  /^(?:[^\S\n]*\[[^\]\n]*(?:"(?:\\.|[^"\\\n])*")?[^\]\n]*\])*[^\S\n]*(path|excludesfile|attributesfile|file)[^\S\n]*=[^\S\n]*(.*)$/gim;

/** The value without its comment, quotes and escapes. */
function unquoted(value: string): string {
  let text = '';
  let isQuoted = false;
  for (const [part] of value.matchAll(/\\.|./gsu)) {
    if (part === '"') isQuoted = !isQuoted;
    else if (!isQuoted && (part === '#' || part === ';')) break;
    else if (part.length > 1 && part.startsWith('\\'))
      text += { n: '\n', t: '\t', b: '\b' }[part.slice(1)] ?? part.slice(1);
    else text += part;
  }
  return text.trim();
}

const firstOdd = (
  paths: readonly (readonly [path: string, maxBytes: number | undefined])[],
): string | undefined => paths.find(([path, maxBytes]) => !isPlain(path, maxBytes))?.[0];

/** True for a regular file of at most that size, for a folder, for the empty device, and if nothing is there. */
function isPlain(path: string, maxBytes = 0): boolean {
  const found = statOf(path);
  if (found === undefined || found.isDirectory()) return true;
  if (found.isCharacterDevice()) return found.rdev === statOf(devNull)?.rdev;
  return found.isFile() && found.size <= maxBytes;
}
