/**
 * The programs that a repository's own settings make git start. A clone has no such settings, but an unpacked archive
 * may. Ignores the user's own settings, the usual values of well-known tools, and hooks that belong to commits,
 * checkouts and pushes.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { entriesOf } from '../../disk/fileLookups.ts';
import { gitHookFolders, gitIncludes } from '../../protocol/files/gitIncludes.ts';
import { type GitSetting, readGitSettings } from '../../protocol/files/gitSettings.ts';
import { strategyNames } from '../options/git/gitClients.ts';
import { isMisread } from './filesBelow.ts';
import { HOOK, submodulesOf } from './gitPrograms.ts';
import { formOf, nameOf, type PlacedSetting, remoteInside } from './gitRemotes.ts';
import { findRepository, type Repository, readText, settingsFolders } from './gitRepository.ts';

interface Row {
  /** Matches `section.key`, or `section.*.key` with a subsection. */
  readonly name: RegExp;
  /** Values that start nothing, or only a well-known program in its documented form. */
  readonly unless?: RegExp;
  /** Values that count; absent: all others. */
  readonly only?: RegExp;
}

/** A system program, by its name or in a folder that only administrators can change. */
const ofSystem = (names: string): string => `(?:/(?:usr(?:/local)?|opt/homebrew)/bin/)?(?:${names})`;
const exactly = (...values: readonly string[]): RegExp => new RegExp(`^(?:${values.join('|')})$`);

/**
 * Settings that matter to any subcommand, since git checks, shows, merges or signs: git-config(1), gitattributes(5).
 */
const general: readonly Row[] = [
  { name: /^core\.fsmonitor$/, unless: /^(?:true|false|yes|no|on|off|\d*)$/i },
  {
    name: /^filter\.\*\.(?:clean|smudge|process)$/,
    // git-lfs-install(1), git-crypt(1), git-annex-smudge(1)
    unless: exactly(
      '',
      'cat',
      'git-lfs (?:clean|smudge)(?: --skip)?(?: --)? (?:%f|"%f")',
      'git-lfs filter-process(?: --skip)?',
      'git-annex filter-process|git annex (?:filter-process|smudge(?: --clean)?(?: --)? %f)',
      '"?git-crypt"? (?:clean|smudge)(?: --key-name=[\\w-]+)?',
    ),
  },
  { name: /^diff\.external$/, unless: exactly('', ofSystem('difft|delta')) },
  { name: /^diff\.\*\.command$/, unless: exactly('', ofSystem('difft')) },
  {
    name: /^diff\.\*\.textconv$/,
    unless: exactly(
      '',
      '"?git-crypt"? diff(?: --key-name=[\\w-]+)?',
      ofSystem('cat|exiftool|exif|odt2txt|docx2txt|pdfinfo|xxd|gunzip -c|zcat|unzip -c -a|hexdump -[Cv]+'),
    ),
  },
  // git-merge-file and true: "keep ours" in the documentation of gitattributes.
  { name: /^merge\.\*\.driver$/, unless: exactly('', 'true', 'git merge-file [-\\w %]*') },
  {
    name: /^gpg(?:\.\*)?\.program$/,
    unless: exactly(
      '',
      ofSystem('gpg2?|gpgsm|ssh-keygen|op-ssh-sign'),
      '/(?:opt/1Password|Applications/1Password\\.app/Contents/MacOS)/op-ssh-sign',
    ),
  },
  { name: /^gpg\.(?:\*\.)?defaultkeycommand$/, unless: exactly('', 'ssh-add -L') },
  { name: /^trailer\.\*\.(?:cmd|command)$/, unless: exactly('') },
  { name: /^submodule\.\*\.update$/, only: /^!/ },
  // Any other strategy is a program called `git-merge-<name>`: git-merge(1).
  { name: /^pull\.(?:twohead|octopus)$/, unless: exactly(`(?:${strategyNames}|\\s)+`) },
  {
    name: /^branch\.\*\.mergeoptions$/,
    unless: exactly(
      `(?:\\s*(?:--(?:no-)?(?:ff(?:-only)?|edit|commit|log|stat|squash|signoff|verify|autostash)|-[nqv]|(?:-s ?|--strategy[ =])(?:${strategyNames})|(?:-X ?|--strategy-option[ =])[\\w=-]+)(?=\\s|$))*\\s*`,
    ),
  },
  { name: /^core\.alternaterefscommand$|^gc\.recentobjectshook$/, unless: exactly('') },
  { name: /^interactive\.difffilter$/, unless: exactly('', ofSystem('delta|diff-highlight|cat')) },
  {
    name: /^(?:core|sequence)\.editor$/,
    unless: exactly(
      '',
      ':',
      ofSystem(
        '(?:n?vim?|nano|emacs(?:client)?|micro|hx|helix|ed|code|codium|cursor|subl|zed|true|cat)(?: (?:-nw?|-t|-w|-f|--wait|--new-window))*',
      ),
    ),
  },
  // git-lfs-config(5)
  { name: /^lfs\.\*\.(?:clean|smudge|path)$/, unless: exactly('') },
];

/**
 * True for a user's own setting that converts files for diffs, unless it names a well-known converter: users of
 * encrypted files have them decrypted in this way, and attributes of the repository choose the files.
 */
export const mayDecrypt = (setting: GitSetting): boolean =>
  formOf(setting) === 'diff.*.textconv' && setting.value !== undefined && !converters.test(setting.value);

const converters = exactly(
  '',
  ofSystem(
    `(?:antiword|cat|catdoc|docx2txt(?:\\.pl)?|exif|exiftool|file|hexdump|identify|jq|jupyter|mediainfo|nbdime|nbstripout|
    odt2txt|otool|pandoc|pdfinfo|pdftohtml|pdftotext|plutil|readelf|sqlite3|strings|textutil|unzip|wc|xls2csv|xlsx2csv|xmllint|
    xxd|zcat|gunzip -c|base64|od)(?: [-\\w./=: ]*)?`.replace(/\s*\n\s*/g, ''),
  ),
);

/** Settings for subcommands that connect to other places, open tools, or are not part of git. */
const others: readonly Row[] = [
  {
    name: /^core\.sshcommand$/,
    unless: exactly(
      '',
      `${ofSystem('ssh')}(?: -(?:[46aqTvx]+|i ?[\\w~./@:%+-]+|i "[\\w ~./@:%+-]+"|p ?\\d+|l ?\\w+|F ?(?:/dev/null|~/\\.ssh/[\\w.-]+)|o ?(?:IdentitiesOnly|IdentityFile|StrictHostKeyChecking|UserKnownHostsFile|BatchMode|ConnectTimeout|IdentityAgent|ServerAlive\\w+)=[\\w~./@:%+-]+))*`,
    ),
  },
  { name: /^core\.askpass$/, unless: exactly('', 'true', 'echo') },
  { name: /^core\.gitproxy$/, unless: exactly('', 'none(?: for [\\w.-]+)?') },
  {
    name: /^credential(?:\.\*)?\.helper$/,
    unless: exactly(
      '',
      // `store` runs `git credential-store`.
      '[\\w-]+(?: --?[\\w-]+(?:[= ][\\w~./@:-]+)?)*',
      `!${ofSystem('gh|glab')} auth git-credential`,
      '!aws(?: --profile [\\w-]+)? codecommit credential-helper \\$@',
      ofSystem('git-credential-[\\w-]+'),
      '/usr/(?:lib|libexec|share)/[\\w./-]*git-credential-[\\w-]+',
    ),
  },
  { name: /^remote\.\*\.(?:uploadpack|receivepack)$/, unless: exactly('', 'git-(?:upload|receive)-pack') },
  { name: /^(?:difftool|mergetool|guitool|browser|man)\.\*\.(?:cmd|path)$/, unless: exactly('') },
  { name: /^tar\.\*\.command$/, unless: exactly('', ofSystem('(?:gzip|xz|zstd|bzip2)(?: -[cn\\d]+)*')) },
  { name: /^sendemail(?:\.\*)?\.(?:\w*cmd|smtpserver)$/, only: /^[!/.~]|\s/ },
  { name: /^(?:imap\.tunnel|instaweb\.(?:httpd|browser))$/, only: /\W/ },
  { name: /^annex\.[\w-]*(?:command|hook)$|^remote\.\*\.annex-[\w-]*(?:command|hook|program)$/ },
];

/** Subcommands that only work in the repository. Any other may connect, open a tool or be an alias. */
const local = new Set(
  `add am apply blame branch cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean
  commit commit-tree config count-objects describe diff diff-files diff-index diff-tree for-each-ref format-patch fsck
  gc grep hash-object init log ls-files ls-tree merge merge-base mv name-rev notes range-diff read-tree rebase reflog
  reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status
  switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree`.split(
    /\s+/,
  ),
);

/** A git command, and the places that matter for what it starts. */
export interface GitCall {
  readonly subcommand: string;
  readonly home: string;
  /** The folders in which commands can write. */
  readonly workspace: readonly string[];
}

/** The settings for a directory: `own` from the repository, `user` all others. */
export interface GitSettingsFound {
  readonly own: readonly GitSetting[];
  readonly user: readonly GitSetting[];
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Lookups {
  readonly gitProgramSetting: (directory: string, call: GitCall) => string | undefined;
  readonly gitRemoteSetting: (directory: string, call: GitCall) => string | undefined;
  readonly gitSettings: (directory: string, home: string) => GitSettingsFound;
}

/** Lookups in the settings that git reads with this environment. */
export const gitSettingLookups = (env: Environment): Lookups => ({
  /**
   * The setting or hook, with its file and the reason, that makes git start a program when this subcommand runs in a
   * directory; undefined if there is none. Includes submodules and included files, ignores aliases, and errs on the
   * side of naming one.
   */
  gitProgramSetting: (directory, call) =>
    inRepositories(directory, (repository) => programOf(repository, call, env)),

  /**
   * The same, but only for settings that lead git to repositories in which commands can write. For subcommands that do
   * not connect, that matters only in a partial clone, and not in its submodules.
   */
  gitRemoteSetting: (directory, call) => {
    const look = (repository: Repository): string | undefined => {
      const found = ownSettings(repository, call.home);
      if (typeof found === 'string') return found;
      return connects(found, call) ? remoteOf(repository, found, call, env) : undefined;
    };
    const repository = findRepository(directory);
    if (repository === undefined || !local.has(call.subcommand)) return inRepositories(directory, look);
    return look(repository);
  },

  /** What git would read, without files that it would reject or that cannot be read. */
  gitSettings: (directory, home) => {
    const repository = findRepository(directory);
    const found = repository === undefined ? [] : ownSettings(repository, home);
    return {
      own: typeof found === 'string' ? [] : found.map(({ setting }) => setting),
      user: userSettings(home, env),
    };
  },
});

function inRepositories(
  directory: string,
  look: (repository: Repository) => string | undefined,
): string | undefined {
  const open = [findRepository(directory)];
  const seen = new Set<string>();
  for (const repository of open) {
    if (repository === undefined || seen.has(repository.folder)) continue;
    seen.add(repository.folder);
    const found = look(repository);
    if (found !== undefined) return found;
    const inside = submodulesOf(repository);
    if (inside === undefined || inside.length + seen.size > MAX_REPOSITORIES)
      return `${join(repository.folder, 'index')}, in which submodules cannot be read`;
    open.push(...inside);
  }
  return undefined;
}

const MAX_REPOSITORIES = 200;

const ownFiles = (repository: Repository): readonly string[] =>
  settingsFolders(repository).flatMap((place) =>
    ['config', 'config.worktree'].map((name) => join(place, name)),
  );

/** The settings of a repository and those they include; if one cannot be read, its file and the reason. */
function ownSettings(repository: Repository, home: string): readonly PlacedSetting[] | string {
  const own = ownFiles(repository);
  const all: PlacedSetting[] = [];
  for (const file of [...own, ...gitIncludes(own, home, readText)]) {
    const found = settingsIn(file);
    if (found === undefined) return `${file}, which cannot be read`;
    all.push(...found);
  }
  return [...all, ...settingsFolders(repository).flatMap(namedRemotes)];
}

/** Remotes in files of their own, as before git 1.5: gitrepository-layout(5), `remotes` and `branches`. */
function namedRemotes(folder: string): readonly PlacedSetting[] {
  const addresses = { remotes: /^URL:\s*(\S.*?)\s*$/gim, branches: /^(\S[^#\n]*)/g };
  return Object.entries(addresses).flatMap(([kind, address]) =>
    entriesOf(join(folder, kind)).flatMap(({ name }) => {
      const file = join(folder, kind, name);
      return [...(readText(file) ?? '').matchAll(address)].map(([, value = '']) => ({
        setting: { section: 'remote', subsection: name, key: 'url', value },
        file,
      }));
    }),
  );
}

function settingsIn(file: string): readonly PlacedSetting[] | undefined {
  const text = readText(file);
  const found = text === undefined ? undefined : readGitSettings(text);
  return found?.isValid === true ? found.settings.map((setting) => ({ setting, file })) : undefined;
}

/** The settings of the user and of the system: git-config(1), FILES and ENVIRONMENT. */
function userSettings(home: string, env: Environment): readonly GitSetting[] {
  const system = ['/etc', '/usr/local/etc', '/opt/homebrew/etc'].map((folder) => join(folder, 'gitconfig'));
  const global = [join(env.XDG_CONFIG_HOME || join(home, '.config'), 'git/config'), join(home, '.gitconfig')];
  const files = [
    ...(env.GIT_CONFIG_NOSYSTEM ? [] : env.GIT_CONFIG_SYSTEM ? [env.GIT_CONFIG_SYSTEM] : system),
    ...(env.GIT_CONFIG_GLOBAL ? [env.GIT_CONFIG_GLOBAL] : global),
  ];
  return [...files, ...gitIncludes(files, home, readText)].flatMap(
    (file) => settingsIn(file)?.map(({ setting }) => setting) ?? [],
  );
}

/** True if git may connect to other places, open a tool or start another program. */
const connects = (settings: readonly PlacedSetting[], { subcommand }: GitCall): boolean =>
  !local.has(subcommand) ||
  // Any subcommand fetches the objects that a partial clone lacks.
  settings.some(({ setting: { key } }) => key === 'promisor' || key.startsWith('partialclone'));

function programOf(repository: Repository, call: GitCall, env: Environment): string | undefined {
  const all = ownSettings(repository, call.home);
  if (typeof all === 'string') return all;
  const isConnecting = connects(all, call);
  const named = all.find(({ setting }) => startsProgram(setting, isConnecting));
  if (named !== undefined)
    return `${nameOf(named.setting)} in ${named.file}, which names a program that git would start`;
  const remote = isConnecting ? remoteOf(repository, all, call, env) : undefined;
  if (remote !== undefined) return remote;
  const hooks = [
    ...settingsFolders(repository).map((place) => join(place, 'hooks')),
    ...gitHookFolders(ownFiles(repository), { home: call.home, worktree: repository.worktree }, readText),
  ];
  const hook = hooks.map((folder) => join(folder, HOOK)).find((path) => existsSync(path));
  return hook && `${hook}, which git would start`;
}

function remoteOf(
  repository: Repository,
  own: readonly PlacedSetting[],
  { subcommand, home, workspace }: GitCall,
  env: Environment,
): string | undefined {
  const { worktree } = repository;
  // Other subcommands clone no submodules.
  const modules = subcommand === 'submodule' ? (settingsIn(join(worktree, '.gitmodules')) ?? []) : [];
  const given = {
    own,
    user: userSettings(home, env),
    modules,
    folders: settingsFolders(repository),
    worktree,
  };
  return remoteInside(given, { home, workspace });
}

function startsProgram(setting: GitSetting, isConnecting: boolean): boolean {
  const { section, subsection, key, value } = setting;
  if (value === undefined) return false;
  // Only git knows where these are.
  if (/^include(?:if)?$/.test(section) && key === 'path')
    return /^(?:~[^/]|%\()/.test(value) || isMisread(value);
  if (isConnecting && section === 'protocol' && (subsection ?? 'ext') === 'ext')
    return key === 'allow' && /^(?:always|user)$/i.test(value);
  return [...general, ...(isConnecting ? others : [])].some(
    ({ name, unless, only }) =>
      name.test(formOf(setting)) && unless?.test(value) !== true && only?.test(value) !== false,
  );
}
