/**
 * Checks the git folders of submodules. When git checks out a submodule (`git submodule update --init`), it reuses an
 * existing folder with its settings and hooks, so a command could prepare one.
 */
import { join } from 'node:path';
import { lstatOf, namesIn, readFileNow } from '../../../disk/fileLookups.ts';
import type { AllGitFolders } from './moduleWalk.ts';

const MAX_BYTES = 2 ** 20;

/** The folders in which git would start programs; absolute. */
export function preparedModules({
  folders: [own],
  modules,
  links,
  unsearched,
}: AllGitFolders): readonly string[] {
  const prepared = modules.filter((folder) => runsPrograms(folder, join(own ?? folder, 'hooks')));
  return [...prepared, ...links, ...unsearched];
}

/** True if git would take this folder, which has no `.git`, for a bare repository and start programs in it. */
export const isPreparedBare = (folder: string): boolean =>
  lstatOf(join(folder, '.git')) === undefined &&
  ['HEAD', 'objects', 'refs'].every((name) => lstatOf(join(folder, name)) !== undefined) &&
  runsPrograms(folder);

/** `ownHooks`: the hooks of the surrounding repository. The user's template may have put the same ones into both. */
function runsPrograms(folder: string, ownHooks?: string): boolean {
  const isOther = (file: string): boolean => {
    const own = ownHooks === undefined ? null : readFileNow(join(ownHooks, file), MAX_BYTES);
    return own == null || readFileNow(join(folder, 'hooks', file), MAX_BYTES)?.equals(own) !== true;
  };
  const hooks = namesIn(join(folder, 'hooks')).filter((name) => !name.endsWith('.sample'));
  if (hooks.some(isOther)) return true;
  const settings = ['config', 'config.worktree', 'commondir'].map((name) => {
    const path = join(folder, name);
    const found = lstatOf(path);
    // A submodule may have such a name, too.
    if (found === undefined || found.isDirectory()) return '';
    const text = found.isFile() ? readFileNow(path, MAX_BYTES)?.toString('utf8') : undefined;
    return name === 'commondir' ? (text?.trim() === '.' ? '' : undefined) : text;
  });
  return settings.some((text) => text === undefined || !isPlainSettings(text));
}

// Recognizes repository settings as git writes them for a new submodule: they start no program. Pure.

/** Settings by section, in lower case, with what their values must look like. Source: git-config. */
const plain: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = (() => {
  const any = /^/;
  // `ext::` and other helpers are programs.
  const address = /^(?![\w+-]+::)/;
  const core = ['repositoryformatversion', 'filemode', 'bare', 'logallrefupdates', 'worktree', 'ignorecase'];
  return {
    core: allowed([...core, 'precomposeunicode', 'symlinks'], any),
    remote: { ...allowed(['fetch', 'promisor', 'partialclonefilter', 'tagopt'], any), url: address },
    branch: allowed(['remote', 'merge', 'rebase'], any),
    submodule: { active: any, url: address, update: /^(?:checkout|merge|rebase|none)$/ },
    extensions: allowed(['objectformat', 'partialclone', 'worktreeconfig', 'refstorage'], any),
    user: allowed(['name', 'email'], any),
    lfs: allowed(['repositoryformatversion', 'access'], any),
  };
})();

function allowed(names: readonly string[], value: RegExp): Readonly<Record<string, RegExp>> {
  return Object.fromEntries(names.map((name) => [name, value]));
}

const section = /^\s*\[([A-Za-z]+)(?:\s+"(?:[^"\\]|\\.)*")?\]\s*$/;
const setting = /^\s*([A-Za-z][A-Za-z0-9-]*)\s*(?:=\s*(.*?))?\s*$/;

/** False for everything else, including settings that git might read differently. */
function isPlainSettings(text: string): boolean {
  let known: Readonly<Record<string, RegExp>> = {};
  return text.split('\n').every((line) => {
    if (/^\s*(?:[#;].*)?$/.test(line)) return true;
    const named = section.exec(line)?.[1]?.toLowerCase();
    if (named !== undefined) {
      known = (Object.hasOwn(plain, named) ? plain[named] : undefined) ?? {};
      return true;
    }
    const [, name = '', value = ''] = setting.exec(line) ?? [];
    const lower = name.toLowerCase();
    if (value.endsWith('\\') || !Object.hasOwn(known, lower)) return false;
    return known[lower]?.test(value.replace(/^"|"$/g, '')) === true;
  });
}
