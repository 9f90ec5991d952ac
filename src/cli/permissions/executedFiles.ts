/**
 * The files of the project that settings run: scripts of hooks, of the status line, of notifications and of MCP servers.
 * These run outside the sandbox and without approval, so changing such a file changes what the user has approved.
 */
import { lstatSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/types.ts';
import { isInside, realpath } from '../../disk/paths.ts';
import { trackedFiles } from '../../permissions/lookups/gitPrograms.ts';

type Settings = Pick<LoadedSettings, 'hooks' | 'servers'> & {
  readonly settings: Pick<LoadedSettings['settings'], 'statusLine' | 'notificationCommand'>;
};

/** Far more than anyone writes by hand. */
const MAX_WORDS = 5000;
/** Builds write these constantly, and a server of the project is often one of them. */
const results = /(?:^|\/)(?:dist|build|out|target|bin|obj|node_modules|\.?venv|\.next)\//;

/** Absolute paths with links resolved. A path that does not exist counts: whatever is put there would run. */
export function executedFiles(
  { hooks, servers, settings }: Settings,
  { root, home }: { readonly root: string; readonly home: string },
): readonly string[] {
  const texts = [
    settings.statusLine?.command ?? '',
    settings.notificationCommand ?? '',
    ...hooks.flatMap(({ hook, ignored }) =>
      hook.type === 'command' && ignored === undefined ? [hook.command, ...(hook.args ?? [])] : [],
    ),
    ...servers.flatMap(({ definition: { command = '', args = [] } }) => [command, ...args]),
  ];
  const commands = texts.map((text) => withoutVariables(text, root, home));
  const words = new Set(commands.flatMap((text) => text.split(/[\s'"`;&|<>()=]+/)));
  const top = realpath(root);
  const folders = [...new Set(commands.flatMap(foldersIn))].slice(0, MAX_FOLDERS);
  const named = [...words].slice(0, MAX_WORDS).flatMap((word) => {
    if (word === '' || word.startsWith('-') || word.includes('://')) return [];
    return ['.', ...folders].flatMap((folder, at) => {
      const path = resolve(root, folder, word);
      const isFile = kindOf(path);
      const counts = isFile ?? (at === 0 ? /\/|\.[a-z]\w{0,4}$/i.test(word) : /^\.\.?\//.test(word));
      return counts && isInside(path, root) && path !== root ? [path, realpath(path)] : [];
    });
  });
  const inside = [...new Set(named)].filter((path) => isInside(path, top));
  const isBuilt = (path: string): boolean => results.test(path.slice(top.length));
  // What git tracks is a source, whatever its folder is called.
  const tracked = new Set(inside.some(isBuilt) ? trackedFiles(top) : []);
  return inside.filter((path) => !isBuilt(path) || tracked.has(path));
}

const MAX_FOLDERS = 20;

/** Folders to which a command changes: `cd tools && ./check.sh`, `make -C tools`, `npm --prefix=tools`. */
function foldersIn(command: string): readonly string[] {
  const changes =
    /(?:^|[\s;&|('"`])(?:cd|pushd|-C|--(?:prefix|cwd|dir|directory))[\s=]+['"]?([^\s;&|)'"`]+)/g;
  return [...command.matchAll(changes)].flatMap(([, folder]) => folder ?? []);
}

/** How scripts are usually named: https://docs.anthropic.com/en/docs/claude-code/hooks */
function withoutVariables(text: string, root: string, home: string): string {
  return text
    .replace(/\$\{?(?:CLAUDE|CLAWDCODE)_PROJECT_DIR\}?|\$\{?PWD\}?/g, () => root)
    .replace(/"([^"\s]*)"/g, '$1')
    .replace(/(?<=^|\s)~(?=\/)|\$\{?HOME\}?/g, () => join(home));
}

/** True for a file or a link to one; undefined if there is nothing. */
function kindOf(path: string): boolean | undefined {
  try {
    return !lstatSync(realpath(path)).isDirectory();
  } catch {
    return undefined;
  }
}
