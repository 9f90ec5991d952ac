/** Determines from a failed command's output whether the sandbox was the reason. Pure. */
import { basename, relative } from 'node:path';
import { isInside } from '../disk/paths.ts';
import type { Blockage, GitUse } from '../protocol/sandbox.ts';

/** Error messages of confined programs and their explanation. The first match is used. */
const signs: readonly (readonly [RegExp, string])[] = [
  [
    /read-only file system|\bEROFS\b/i,
    'it tried to write outside the workspace or to a protected file, or one that rules deny editing',
  ],
  // A mount point cannot be removed or renamed, nor can another file take its place: `git config`.
  [
    /device or resource busy|\bEBUSY\b|resource busy or locked/i,
    'it tried to replace, move or remove a protected file or a folder that contains one',
  ],
  [
    /no new privileges|must be setuid root|effective uid is not 0/i,
    'it needs the privileges of another user',
  ],
  // Chromium, bubblewrap, unshare, podman.
  [
    /no usable sandbox|(?:\bunshare|\bclone|namespace)\b.*(?:operation not permitted|\bEPERM\b)|no permissions to create (?:a )?new namespace/i,
    'it needs a sandbox or container of its own, which commands cannot create',
  ],
  // gpg called by git, ssh-keygen called by git, and gpg itself.
  [
    /failed to sign the data|signing failed|no secret key|no agent running|(?:couldn't load|no private key found for|load key).*\.ssh\//i,
    'it needs a signing key that the sandbox hides',
  ],
  [
    /permission denied \(publickey|could not open a connection to your authentication agent|host key verification failed/i,
    'it needs an ssh key that the sandbox hides',
  ],
  [
    /(?:\.sock\b|socket|docker|\bX11\b|display|d-?bus|\bagent\b).*(?:operation not permitted|\bEPERM\b|no such file)|failed to connect to bus|cannot connect to the docker daemon|\b(?:listen|connect) EPERM\b/i,
    "it needs another program's socket, or to create one",
  ],
  [
    /could not resolve|couldn't resolve|name resolution|getaddrinfo|\bENOTFOUND\b|\bEAI_AGAIN\b|\bENETUNREACH\b|network is unreachable/i,
    "it needs network access without the sandbox's proxy",
  ],
  // npm, gh, aws, gcloud, docker; last, because any server may require a login.
  [
    /\b(?:ENEEDAUTH|E401)\b|gh auth login|unable to locate credentials|you do not currently have an active account|no basic auth credentials/i,
    'it needs a login that the sandbox hides',
  ],
];

/** Messages about a failed request, as worded by curl, git, Node, Python, Go and package managers. */
const networkFailure =
  /\bproxy|tunnel|\b403\b|forbidden|fetch failed|unable to access|\bECONN|\bETIMEDOUT\b|\bENOTFOUND\b|\bEAI_AGAIN\b|connection (?:refused|reset|closed|aborted|error|failed)|(?:could|can)(?: ?not|n't) (?:resolve|connect|reach)|network|handshake|\bTLS\b|\bSSL\b|max retries|download/i;

/** Only the end is searched: errors come last, and a longer text would contain such words by chance. */
const TAIL_LENGTH = 4000;

/**
 * Why access to something in the workspace that the settings hide was denied; undefined if it was not. `hidden`:
 * absolute.
 */
export function whyHidden(
  output: string,
  exitCode: number,
  hidden: readonly string[],
  cwd: string,
): string | undefined {
  const tail = output.slice(-TAIL_LENGTH);
  if (exitCode === 0 || !/permission denied|\bEACCES\b/i.test(tail)) return undefined;
  const found = hidden.filter((path) => tail.includes(basename(path)));
  if (found.length === 0) return undefined;
  const names = found.map((path) => (isInside(path, cwd) ? relative(cwd, path) : path));
  return `the settings hide ${listed(names)} from commands (a Read deny rule, or sandbox.denyRead)`;
}

/** How git and the system report a file that cannot be changed. */
const unwritable = /read-only file system|\bEROFS\b|operation not permitted|\bEPERM\b/i;
/** What git names in such a message, in addition to paths in its folder. */
const partsOfGit =
  /\.git(?:[/'"\s]|$)|cannot lock ref|update_ref failed|\b(?:FETCH|ORIG|MERGE)_HEAD\b|COMMIT_EDITMSG|\bindex\.lock\b|unable to create temporary file|insufficient permission for adding an object/;

/** Settings and hooks, which no command may change. */
const keptFromGit = /\.git\/(?:\S*\/)?(?:hooks|config|config\.worktree|commondir)(?:[/'"’:\s]|$)/;

/**
 * Why a command could not change a git folder; undefined if it did not try. `closed`: the git folders that it may not
 * change, absolute. If it also runs other programs than git, the exit code may be that of one of them.
 */
export function whyGitBlocked(
  output: string,
  exitCode: number,
  closed: readonly string[],
  use: GitUse,
): Blockage | undefined {
  if (closed.length === 0 || (exitCode === 0 && use.type !== 'mixed')) return undefined;
  const isAbout = (line: string): boolean =>
    unwritable.test(line) &&
    !keptFromGit.test(line) &&
    (partsOfGit.test(line) || closed.some((folder) => line.includes(`${folder}/`)));
  if (!output.slice(-TAIL_LENGTH).split('\n').some(isAbout)) return undefined;
  if (use.type === 'only')
    return { reason: 'it tried to change the .git folder of a repository other than the one it works in' };
  const reason = 'it tried to change the .git folder, which only git commands may do';
  return use.type === 'mixed' ? { reason, instead: GIT_ALONE } : { reason };
}

const GIT_ALONE = 'Run git in a separate call, and for one repository at a time.';

/** A file that cannot be written, and a mount point that cannot be replaced. */
const unchangeable = /read-only file system|\bEROFS\b|resource busy|\bEBUSY\b/i;

/**
 * Why a command could not change dependencies whose files are shared with other projects; undefined if it did not try.
 * `shared`: the folders with such files, as they are shown.
 */
export function whySharedBlocked(
  output: string,
  exitCode: number,
  shared: readonly string[],
): string | undefined {
  if (exitCode === 0) return undefined;
  // A program may name a file by the link that leads to it: `node_modules/dep`.
  const isAbout = (line: string, folder: string): boolean =>
    line.includes(folder.includes('node_modules') ? 'node_modules' : 'site-packages');
  const lines = output
    .slice(-TAIL_LENGTH)
    .split('\n')
    .filter((line) => unchangeable.test(line));
  const folder = shared.find((one) => lines.some((line) => isAbout(line, one)));
  return folder === undefined
    ? undefined
    : `it tried to change ${folder}, whose files are hard links shared with other projects; only package managers may change it`;
}

/**
 * Why the sandbox made a command fail, to complete "The sandbox (seems to have) blocked it: "; undefined if it did not.
 * `problems`: the proxy's messages about hosts that are allowed.
 */
export function whyBlocked(
  output: string,
  exitCode: number,
  refusedHosts: readonly string[],
  problems: readonly string[] = [],
): string | undefined {
  if (exitCode === 0) return undefined;
  if (problems.length > 0) return problems[0];
  const tail = output.slice(-TAIL_LENGTH);
  if (refusedHosts.length > 0 && isAbout(refusedHosts, tail))
    return `it needs ${listed(refusedHosts)}, which no rule allows`;
  return signs.find(([pattern]) => pattern.test(tail))?.[1];
}

/**
 * True if a blocked host explains the failure: the output mentions it, or there is no output. Update checks and usage
 * reports are often blocked while a command fails for other reasons, and programs do not mention those.
 */
function isAbout(hosts: readonly string[], tail: string): boolean {
  if (tail.trim() === '' || networkFailure.test(tail)) return true;
  return hosts.some((host) => tail.includes(host.replace(/:\d+$/, '')));
}

function listed(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(', ');
  return names.length <= 4 ? shown : `${shown} and ${names.length - 4} more`;
}
