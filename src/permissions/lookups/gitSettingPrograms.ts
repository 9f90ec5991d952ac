/**
 * The programs that a repository's own settings make git start. A clone has no such settings, but an unpacked archive
 * may. The user's own settings, and the usual values of well-known tools, do not count; nor do hooks that belong to
 * commits, checkouts and pushes.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitHookFolders, gitIncludes } from '../../protocol/files/gitIncludes.ts';
import { type GitSetting, readGitSettings } from '../../protocol/files/gitSettings.ts';
import { isMisread } from './filesBelow.ts';
import {
  findRepository,
  HOOK,
  type Repository,
  readText,
  settingsFolders,
  submodulesOf,
} from './gitPrograms.ts';

interface Row {
  /** Matches `section.key`, or `section.*.key` with a subsection. */
  readonly name: RegExp;
  /** Values that start nothing, or only a well-known program as its documentation says. */
  readonly unless?: RegExp;
  /** Values that count; absent: all others. */
  readonly only?: RegExp;
}

/** A program of the system by its name, or in a folder that only administrators change. */
const ofSystem = (names: string): string => `(?:/(?:usr(?:/local)?|opt/homebrew)/bin/)?(?:${names})`;
const exactly = (...values: readonly string[]): RegExp => new RegExp(`^(?:${values.join('|')})$`);

/** Settings for any subcommand: git looks at files, shows, merges or signs. git-config(1), gitattributes(5). */
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

/** `ext::` runs the words that follow: git-remote-ext(1). */
const runsWords = /^ext::/i;

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
  { name: /^remote\.\*\.vcs$/, only: /^ext$/i },
  { name: /^remote\.\*\.(?:uploadpack|receivepack)$/, unless: exactly('', 'git-(?:upload|receive)-pack') },
  { name: /^(?:remote|submodule)\.\*\.(?:url|pushurl)$|^branch\.\*\.(?:push)?remote$/, only: runsWords },
  { name: /^remote\.pushdefault$/, only: runsWords },
  { name: /^(?:difftool|mergetool|guitool|browser|man)\.\*\.(?:cmd|path)$/, unless: exactly('') },
  { name: /^tar\.\*\.command$/, unless: exactly('', ofSystem('(?:gzip|xz|zstd|bzip2)(?: -[cn\\d]+)*')) },
  { name: /^sendemail(?:\.\*)?\.(?:\w*cmd|smtpserver)$/, only: /^[!/.~]|\s/ },
  { name: /^(?:imap\.tunnel|instaweb\.(?:httpd|browser))$/, only: /\W/ },
  { name: /^annex\.[\w-]*(?:command|hook)$|^remote\.\*\.annex-[\w-]*(?:command|hook|program)$/ },
];

/** Subcommands that work in the repository only. Everything else may connect, open a tool or be an alias. */
const local = new Set(
  `add am apply blame branch cat-file check-attr check-ignore checkout checkout-index cherry cherry-pick clean
  commit commit-tree config count-objects describe diff diff-files diff-index diff-tree for-each-ref format-patch fsck
  gc grep hash-object init log ls-files ls-tree merge merge-base mv name-rev notes range-diff read-tree rebase reflog
  reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stage stash status
  switch symbolic-ref tag update-index update-ref var verify-commit verify-tag version whatchanged worktree write-tree`.split(
    /\s+/,
  ),
);

/**
 * The setting or hook, with its file and the reason, that makes git start a program when this subcommand runs in a
 * directory; undefined if there is none. Also looks at submodules, and at files that the settings include. Errs on the side of naming one.
 */
export function gitProgramSetting(
  directory: string,
  { subcommand, home }: { readonly subcommand: string; readonly home: string },
): string | undefined {
  const open = [findRepository(directory)];
  const seen = new Set<string>();
  for (const repository of open) {
    if (repository === undefined || seen.has(repository.folder)) continue;
    seen.add(repository.folder);
    const found = ownSetting(repository, subcommand, home);
    if (found !== undefined) return found;
    const inside = submodulesOf(repository);
    if (inside === undefined || inside.length + seen.size > MAX_REPOSITORIES)
      return `${join(repository.folder, 'index')}, in which submodules cannot be read`;
    open.push(...inside);
  }
  return undefined;
}

const MAX_REPOSITORIES = 200;

function ownSetting(repository: Repository, subcommand: string, home: string): string | undefined {
  const places = settingsFolders(repository);
  const own = places.flatMap((place) => ['config', 'config.worktree'].map((name) => join(place, name)));
  const files = [...own, ...gitIncludes(own, home, readText)];
  const all: { readonly setting: GitSetting; readonly file: string }[] = [];
  for (const file of files) {
    const text = readText(file);
    const found = text === undefined ? undefined : readGitSettings(text);
    if (found?.isValid !== true) return `${file}, which cannot be read`;
    all.push(...found.settings.map((setting) => ({ setting, file })));
  }
  // The objects that a partial clone lacks are fetched by any subcommand.
  const connects =
    !local.has(subcommand) ||
    all.some(({ setting: { key } }) => key === 'promisor' || key.startsWith('partialclone'));
  const named = all.find(({ setting }) => startsProgram(setting, connects, subcommand));
  if (named !== undefined)
    return `${nameOf(named.setting)} in ${named.file}, which names a program that git would start`;
  const hooks = [
    ...places.map((place) => join(place, 'hooks')),
    ...gitHookFolders(own, { home, worktree: repository.worktree }, readText),
  ];
  const hook = hooks.map((folder) => join(folder, HOOK)).find((path) => existsSync(path));
  return hook && `${hook}, which git would start`;
}

function startsProgram(setting: GitSetting, connects: boolean, subcommand: string): boolean {
  const { section, subsection, key, value } = setting;
  if (value === undefined) return false;
  // Only git knows where these are.
  if (/^include(?:if)?$/.test(section) && key === 'path')
    return /^(?:~[^/]|%\()/.test(value) || isMisread(value);
  const form = `${section}.${subsection === undefined ? '' : '*.'}${key}`;
  if (connects && section === 'alias') {
    const name = subsection !== undefined && key === 'command' ? subsection : key;
    return name === subcommand.toLowerCase() && /^[!-]/.test(value);
  }
  if (connects && section === 'url' && runsWords.test(subsection ?? '')) return true;
  if (connects && section === 'protocol' && (subsection ?? 'ext') === 'ext')
    return key === 'allow' && /^(?:always|user)$/i.test(value);
  return [...general, ...(connects ? others : [])].some(
    ({ name, unless, only }) =>
      name.test(form) && unless?.test(value) !== true && only?.test(value) !== false,
  );
}

const nameOf = ({ section, subsection, key }: GitSetting): string =>
  [section, ...(subsection === undefined ? [] : [subsection.slice(0, 40)]), key].join('.');
