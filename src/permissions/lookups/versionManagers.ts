/**
 * Finds files with which a version manager runs a program of the project. Its shims have the names of ordinary programs,
 * and look for such files in the current folder and its parents whenever they start.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';
import { isDirectory, lstatOf, namesIn, readFileNow } from '../../disk/fileLookups.ts';
import { realpathForAll } from './realpathForAll.ts';

interface VersionFiles {
  /** What says that a manager reads them. */
  readonly source: string;
  /** Where they are, relative to a folder. */
  readonly folders: readonly string[];
  readonly names: RegExp;
  /** True if the content names nothing but versions, which the manager gets from its own sources. */
  readonly isHarmless: (text: string) => boolean;
}

const never = (): boolean => false;
const without =
  (pattern: RegExp) =>
  (text: string): boolean =>
    !pattern.test(text);

const versionFiles: readonly VersionFiles[] = [
  {
    // `path:` is obeyed even without trust; hooks, variables and templates once the folder is trusted.
    source: 'https://mise.jdx.dev/configuration.html',
    folders: ['', '.config'],
    names: /^\.?(?:mise|rtx)(?:\..+)?\.toml$/i,
    isHarmless: (text) => hasOnlyVersions(text, 'tools'),
  },
  {
    source: 'the same',
    folders: ['mise', '.mise', '.config/mise'].flatMap((folder) => [folder, `${folder}/conf.d`]),
    names: /\.toml$/i,
    isHarmless: (text) => hasOnlyVersions(text, 'tools'),
  },
  {
    // It chooses other files.
    source: 'https://mise.jdx.dev/configuration.html#miserc-toml',
    folders: ['', '.config'],
    names: /^\.?miserc(?:\..+)?\.toml$/i,
    isHarmless: never,
  },
  {
    source: 'https://mise.jdx.dev/dev-tools/mise-lock.html',
    folders: ['', 'mise', '.mise', '.config', '.config/mise'],
    names: /^\.?mise(?:\..+)?\.lock$/i,
    isHarmless: without(/url/),
  },
  {
    // mise also knows `backend:name`, options and templates.
    source: 'https://asdf-vm.com/manage/configuration.html',
    folders: [''],
    names: /^\.tool-versions$/i,
    isHarmless: (text) => text.split(/\r?\n/).every((line) => toolVersions.test(line)),
  },
  {
    // A folder instead of a version; `../` of pyenv and rbenv.
    source: 'https://mise.jdx.dev/configuration.html#idiomatic-version-files',
    folders: [''],
    names: /^\.(?:(?!tool-)[\w-]+-versions?|nvmrc|yvmrc|sdkmanrc)$/i,
    isHarmless: without(/(?:^|[\s=])["']?path:|^[^#\n]*\.\.?\/|\{[{%]/m),
  },
  {
    source: 'https://mise.jdx.dev/lang/node.html, https://mise.jdx.dev/lang/ruby.html',
    folders: [''],
    names: /^(?:package\.json|Gemfile)$/i,
    isHarmless: without(/["'](?:[^"']*@)?path:/),
  },
  {
    source: 'https://moonrepo.dev/docs/proto/config',
    folders: [''],
    names: /^\.prototools(?:\..+)?$/i,
    isHarmless: (text) => hasOnlyVersions(text, ''),
  },
  {
    source: 'https://docs.volta.sh/advanced/hooks',
    folders: ['.volta'],
    names: /^hooks\.json$/i,
    isHarmless: never,
  },
  {
    // The shims run a virtual environment.
    source: 'https://rye.astral.sh/guide/shims',
    folders: [''],
    names: /^pyproject\.toml$/i,
    isHarmless: without(/\brye\b|\\u/i),
  },
  {
    source: 'https://github.com/rbenv/rbenv-vars',
    folders: [''],
    names: /^\.(?:rb|nod|py)env-vars$/i,
    isHarmless: never,
  },
  {
    source: 'https://aquaproj.github.io/docs/reference/config',
    folders: ['', 'aqua', '.aqua'],
    names: /^\.?aqua(?:-policy)?\.ya?ml$/i,
    isHarmless: without(/local|github_content|http|import|[{["'\\]/),
  },
  {
    source: 'https://vfox.dev',
    folders: ['', '.vfox'],
    names: /^\.?vfox\.toml$|^sdks$/i,
    isHarmless: never,
  },
];

/** `22`, `lts`, `^20.1`, `ref:v3.3` */
const version = String.raw`(?:(?:ref|prefix|latest):)?[~^>=]*\w[\w.+*-]*`;
const toolVersions = new RegExp(String.raw`^[ \t]*(?:[\w-]+(?:[ \t]+${version})+[ \t]*)?(?:#[^\r]*)?$`);
const quoted = `(?:"${version}"|'${version}')`;
const tomlVersion = new RegExp(
  String.raw`^[ \t]*(?:[\w-]+|"[\w-]+")[ \t]*=[ \t]*(?:${quoted}|\[[ \t]*${quoted}(?:[ \t]*,[ \t]*${quoted})*[ \t]*,?[ \t]*\])[ \t]*(?:#[^\r]*)?$`,
);

/** True if a TOML file consists of versions, in a table or without one, and of tasks, which only run when asked for. */
function hasOnlyVersions(text: string, table: string): boolean {
  let current = '';
  return text.split(/\r?\n/).every((line) => {
    if (/^[ \t]*(?:#[^\r]*)?$/.test(line)) return true;
    const isTask = /^tasks(?:\.|$)/.test(current);
    if (/^\s*\[/.test(line)) {
      current = /^\[(tools|tasks(?:\.[\w-]+|\."[\w:.-]+")?)\][ \t]*(?:#[^\r]*)?$/.exec(line)?.[1] ?? '?';
      return current === table || /^tasks/.test(current);
    }
    if (isTask) return true;
    if (current === '' && /^min_version[ \t]*=[ \t]*"[\d.]+"$/.test(line)) return true;
    return current === table && tomlVersion.test(line);
  });
}

const MAX_BYTES = 64 * 1024;

/** Folders of shims in the home, which the shell of a command may put on the PATH. Sources: as above. */
const shimFolders = `.local/share/mise/shims .asdf/shims .pyenv/shims .rbenv/shims .nodenv/shims .goenv/shims
.jenv/shims .plenv/shims .phpenv/shims .volta/bin .proto/shims .rye/shims .version-fox/shims .vfox/shims
.local/share/aquaproj-aqua/bin`.split(/\s+/);
const managers =
  /^(?:mise|rtx|asdf|volta(?:-shim)?|proto(?:-shim)?|rye|aqua(?:-proxy)?|vfox|pyenv|rbenv|nodenv|goenv|jenv|rustup)$/;
/** Programs in them are no shims, unless they are links to a manager. */
const systemFolders =
  /^(?:\/usr|\/usr\/local|\/opt\/homebrew|\/home\/linuxbrew\/\.linuxbrew|\/snap|\/run\/current-system\/sw)?\/s?bin$|^\/nix\/store\//;

/** Variables with other names of such files, which are not read. Sources: as above. */
const naming = `MISE_DEFAULT_CONFIG_FILENAME MISE_OVERRIDE_CONFIG_FILENAMES MISE_DEFAULT_TOOL_VERSIONS_FILENAME
MISE_OVERRIDE_TOOL_VERSIONS_FILENAMES MISE_ENV_FILE ASDF_DEFAULT_TOOL_VERSIONS_FILENAME ASDF_TOOL_VERSIONS_FILENAME`;

type Variables = Readonly<Record<string, string | undefined>>;

/**
 * Returns a function that finds the file, in a directory or its parents, with which a version manager may run another
 * program under this name. A file that cannot be read counts. Never throws.
 */
export function toolsFolderLookup(
  env: Variables,
): (directory: string, program: string) => string | undefined {
  const named = naming
    .split(/\s+/)
    .flatMap((name) => (env[name] ?? '').split(delimiter))
    .filter((name) => name !== '' && !versionFiles.some(({ names }) => names.test(name)));
  return (directory, program) => {
    if (!mayBeShim(program, env)) return undefined;
    for (let at = directory; ; at = dirname(at)) {
      const found = versionFileIn(at) ?? named.map((name) => join(at, name)).find(existsSync);
      if (found !== undefined || at === dirname(at)) return found;
    }
  };
}

function versionFileIn(folder: string): string | undefined {
  const listed = new Map<string, readonly string[]>();
  for (const { folders, names, isHarmless } of versionFiles)
    for (const part of folders) {
      const place = join(folder, part);
      const all = listed.get(place) ?? namesIn(place);
      listed.set(place, all);
      const found = all.find((name) => names.test(name) && !isHarmlessFile(join(place, name), isHarmless));
      if (found !== undefined) return join(place, found);
    }
  return undefined;
}

function isHarmlessFile(path: string, isHarmless: VersionFiles['isHarmless']): boolean {
  if (isDirectory(path)) return basename(path) !== 'sdks';
  const found = readFileNow(path, MAX_BYTES);
  return found === null || (found !== undefined && isHarmless(found.toString('utf8')));
}

/** True also for a program that is found nowhere: the shell of a command may find it. */
function mayBeShim(name: string, env: Variables): boolean {
  if (name.includes('/')) return isShim(name);
  const home = env.HOME ?? '';
  const folders = [
    ...(env.PATH ?? '').split(delimiter).filter(isAbsolute),
    ...shimFolders.map((folder) => join(home, folder)),
  ];
  const files = folders.map((folder) => join(folder, name)).filter(existsSync);
  return files.length === 0 || files.some(isShim);
}

function isShim(file: string): boolean {
  const real = realpathForAll(file);
  if (managers.test(basename(real)) && basename(real) !== basename(file)) return true;
  if ([file, real].some((path) => systemFolders.test(dirname(path)))) return false;
  const isOwn = basename(real) === basename(file) && lstatOf(real)?.nlink === 1n && startsAsProgram(real);
  return (
    !isOwn || [file, real].some((path) => /\/shims\//.test(path) || dirname(path).endsWith('/.volta/bin'))
  );
}

/** The beginnings of ELF and Mach-O files; shims are often scripts. */
const programs = /^(?:7f454c46|cffaedfe|cefaedfe|cafebabe)/;

function startsAsProgram(file: string): boolean {
  try {
    const opened = openSync(file, 'r');
    try {
      const buffer = Buffer.alloc(4);
      readSync(opened, buffer, 0, 4, 0);
      return programs.test(buffer.toString('hex'));
    } finally {
      closeSync(opened);
    }
  } catch {
    return false;
  }
}
