/** Creates a git worktree on a new branch, and removes it again if nothing was changed in it. */
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { lstatOf, namesIn } from '../disk/fileLookups.ts';
import { realpath } from '../disk/paths.ts';
import type {
  WorktreeEnd,
  WorktreeInfo,
  WorktreePort,
  WorktreeRecord,
} from '../protocol/extensions/worktrees.ts';
import { quotedName, visibleText } from '../protocol/text/visible.ts';
import type { Git } from './git.ts';
import { forgetWorktree, readRecords, recordWorktree, stateNow } from './records.ts';

interface NewWorktree {
  readonly git: Git;
  /** True if part of a folder's repository may be elsewhere, and so its commits another one's. */
  readonly isElsewhere: (folder: string) => boolean;
  /** The project's root, links resolved. */
  readonly root: string;
  /** The folder for this project's worktrees. */
  readonly folder: string;
  readonly owner: WorktreeRecord['owner'];
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** Stops the creation; what is there by then is removed. */
  readonly signal: AbortSignal;
}

interface CreatedWorktree {
  readonly record: WorktreeRecord;
  /** What is missing in it, one sentence each, for the model. */
  readonly notes: readonly string[];
}

const BRANCHES = 'clawdcode';
const MAX_NAME = 30;

/** Creates it at the commit of HEAD. Rejects with an `Error` whose message is for the model and the user. */
export async function createWorktree({
  git: unstopped,
  isElsewhere,
  root,
  folder,
  owner,
  now,
  signal,
}: NewWorktree): Promise<CreatedWorktree> {
  const git: Git = (at, args) => unstopped(at, args, signal);
  const base = await baseOf(git, isElsewhere, root);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const name = `${slugOf(owner.description)}-${randomBytes(3).toString('hex')}`;
  const record: WorktreeRecord = {
    name,
    path: join(realpath(folder), name),
    branch: `${BRANCHES}/${name}`,
    base,
    root,
    owner,
    pid: process.pid,
    startedAtMs: now,
  };
  // Recorded first: if the program is killed in between, the next start knows what this is.
  recordWorktree(folder, record);
  const added = await git(root, [
    ...['worktree', 'add', '--no-checkout', '--no-track', '-b', record.branch, record.path, base],
  ]);
  // A second step: the settings that apply in the worktree may differ, for example by the name of its branch.
  const problem = added.code === 0 ? await fill(git, record) : added.problem || STOPPED;
  const notes = problem === undefined ? await notesOf(git, record) : [];
  if (problem === undefined && !signal.aborted) return { record, notes };
  await removeWorktree(unstopped, folder, record);
  throw new Error(`The git worktree could not be created: ${problem ?? STOPPED}`);
}

const STOPPED = 'Git was stopped.';

/** Writes the files of the commit; returns why it cannot. */
async function fill(git: Git, { path }: WorktreeRecord): Promise<string | undefined> {
  // A command in it would find another folder: `extensions.worktreeConfig` lets settings move every worktree.
  const top = await git(path, ['rev-parse', '--show-toplevel']);
  if (top.code !== 0) return top.problem || STOPPED;
  if (realpath(top.stdout.trim()) !== path) return "the repository's settings place its files elsewhere.";
  const filled = await inWorktree(git, path)('reset', '--hard', '--quiet');
  return filled.code === 0 ? undefined : filled.problem || STOPPED;
}

/** Git in a worktree, for its files whatever the settings say. */
const inWorktree =
  (git: Git, path: string) =>
  (...args: string[]): ReturnType<Git> =>
    git(path, [`--work-tree=${path}`, ...args]);

const NEEDS_GIT = 'isolation "worktree" needs a git repository with a commit';

/** The commit to start from. */
async function baseOf(git: Git, isElsewhere: NewWorktree['isElsewhere'], root: string): Promise<string> {
  const inside = await git(root, ['rev-parse', '--is-inside-work-tree', '--show-toplevel']);
  if (inside.code === null) throw new Error(inside.problem);
  const [isInside, top = ''] = inside.stdout.split('\n');
  if (inside.code !== 0 || isInside !== 'true') {
    // A folder without a repository, a bare one, or one that belongs to another user.
    const why = inside.problem
      .split('\n', 1)
      .join('')
      .replace(/^fatal: /, '');
    throw new Error(`${NEEDS_GIT}, and git finds no work tree in ${root}${why === '' ? '' : `: ${why}`}`);
  }
  if (realpath(top) !== root || isElsewhere(root))
    throw new Error(
      `${NEEDS_GIT}; part of this one is elsewhere (its git folder, work tree or objects), so its files may not be the project's. Run the subagent without isolation.`,
    );
  const head = await git(root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  if (head.code !== 0) throw new Error(`${NEEDS_GIT}; this one has none yet.`);
  return head.stdout.trim();
}

/** Letters that are safe in a branch and a path; the words come from the model. */
function slugOf(description: string): string {
  const slug = description
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MAX_NAME)
    .replace(/^-+|-+$/g, '');
  return slug === '' ? 'work' : slug;
}

/**
 * `git status` in a form that can be parsed. Shows new files whatever the settings say, since a worktree without changes
 * is removed.
 */
const STATUS = ['status', '--porcelain=v1', '-z', '--untracked-files=normal', '--ignore-submodules=dirty'];

async function notesOf(git: Git, { root, path }: WorktreeRecord): Promise<readonly string[]> {
  const status = await git(root, STATUS);
  const changed = pathsIn(status.stdout).length;
  return [
    ...(changed === 0
      ? []
      : [
          `The user's uncommitted changes (${changed === 1 ? 'one file' : `${changed} files`}) are not in it: it has the last commit.`,
        ]),
    ...(lstatOf(join(path, '.gitmodules')) === undefined ? [] : ['Submodules are empty folders in it.']),
  ];
}

/** Removes it if nothing was changed in it since `base`; otherwise reports the changes. Never rejects. */
export async function endWorktree(git: Git, folder: string, record: WorktreeRecord): Promise<WorktreeEnd> {
  const { path, branch } = record;
  const found = await stateOf(git, record);
  if (!found.isChanged && (await removeWorktree(git, folder, record)))
    return { path, branch, isKept: false, summary: '', stat: '', ignored: found.ignored };
  const { summary, stat } = found;
  recordWorktree(folder, { ...record, isKept: true });
  return { path, branch, isKept: true, summary, stat, ignored: [] };
}

interface WorktreeState {
  /** True also if that cannot be determined. */
  readonly isChanged: boolean;
  /** True if files would be lost with it, and not only commits. */
  readonly hasFiles: boolean;
  /** E.g. "2 commits, 1 uncommitted file". */
  readonly summary: string;
  /** Changed files with their lines, for the model and the user. */
  readonly stat: string;
  /** Ignored files and folders at the top, which are removed with the worktree. */
  readonly ignored: readonly string[];
}

/** Lines of a diffstat, and characters of it. */
const MAX_FILES = 20;
const MAX_STAT = 3000;

/** Compares a worktree with the commit that it started from. Never rejects. */
async function stateOf(git: Git, { path, branch, base }: WorktreeRecord): Promise<WorktreeState> {
  const run = inWorktree(git, path);
  const status = await run(...STATUS, '--ignored=traditional');
  const head = await run('rev-parse', '--verify', '--quiet', 'HEAD^{commit}');
  if (status.code !== 0 || head.code !== 0)
    return {
      ...{ isChanged: true, hasFiles: true, ignored: [] },
      ...{ summary: 'git cannot read it', stat: status.problem || head.problem },
    };
  const entries = pathsIn(status.stdout);
  const changed = entries.filter(({ mark }) => mark !== '!!');
  const tip = await run('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`);
  const commits = await countOf(git, path, base, tip.code === 0 ? tip.stdout.trim() : head.stdout.trim());
  const places = [head.stdout.trim(), ...(tip.code === 0 ? [tip.stdout.trim()] : [])];
  const earlier = await visited(git, path);
  const isMoved = earlier === undefined || [...places, ...earlier].some((commit) => commit !== base);
  const hasFiles = changed.length > 0 || (await hasUnwatchedFiles(git, path));
  const isChanged = isMoved || hasFiles;
  const stat = isChanged ? await statOf(git, path, base, changed) : '';
  const summary = [counted(commits, 'commit'), counted(changed.length, 'uncommitted file')].filter(Boolean);
  return {
    ...{ isChanged, hasFiles },
    summary: summary.join(', ') || (isChanged ? 'changed' : 'no changes'),
    stat,
    ignored: entries.filter(({ mark }) => mark === '!!').map((one) => quotedName(one.path)),
  };
}

/**
 * Every commit in a worktree's HEAD reflog; undefined if git cannot list them. The reflog is removed with the worktree, and
 * may hold the only reference.
 */
async function visited(git: Git, path: string): Promise<readonly string[] | undefined> {
  const { code, stdout } = await git(path, ['log', '--walk-reflogs', '--format=%H', 'HEAD', '--']);
  return code === 0 ? [...new Set(stdout.split('\n').filter((commit) => commit !== ''))] : undefined;
}

/** Removes the folder, the record, and the branch if it is at `tip`. False if the folder is still there. */
async function removeWorktree(
  git: Git,
  folder: string,
  record: WorktreeRecord,
  tip = record.base,
): Promise<boolean> {
  const { root, path, branch } = record;
  const removed = await git(root, ['worktree', 'remove', '--force', '--force', path]);
  if (removed.code !== 0 && lstatOf(path) !== undefined) return false;
  // Fails if the branch has moved, and leaves it then.
  await git(root, ['update-ref', '-d', `refs/heads/${branch}`, tip]);
  forgetWorktree(folder, record.name);
  return true;
}

/**
 * True if there are files whose changes no status shows: those of an initialized submodule, and tracked files that the
 * index tells git to assume unchanged.
 */
async function hasUnwatchedFiles(git: Git, path: string): Promise<boolean> {
  const listed = await inWorktree(git, path)('ls-files', '--stage', '-v', '-z');
  return listed.code !== 0 || listed.stdout.split('\0').some((line) => isUnwatched(line, path));
}

/** Reads a line such as `h 100644 <id> 0\t<name>`; "S" = skipped, lower case = assumed unchanged. Source: git-ls-files. */
function isUnwatched(line: string, path: string): boolean {
  const [, tag = '', mode, name = ''] = /^(.) (\d+) [^\t]*\t(.*)$/s.exec(line) ?? [];
  // An empty folder is the place of a submodule; a file outside a sparse checkout does not exist.
  if (mode === '160000') return namesIn(join(path, name)).length > 0;
  return /[a-zS]/.test(tag) && lstatOf(join(path, name)) !== undefined;
}

async function countOf(git: Git, path: string, base: string, tip: string): Promise<number> {
  const { stdout } = await git(path, ['rev-list', '--count', `${base}..${tip}`]);
  return Number.parseInt(stdout, 10) || 0;
}

async function statOf(
  git: Git,
  path: string,
  base: string,
  changed: readonly StatusEntry[],
): Promise<string> {
  const { stdout } = await inWorktree(git, path)(
    ...['diff', '--no-ext-diff', '--no-textconv', '--no-color', '--ignore-submodules=dirty'],
    ...['--stat=100', `--stat-count=${MAX_FILES}`, base],
  );
  const fresh = changed.filter(({ mark }) => mark === '??');
  const more = fresh.length > MAX_FILES ? [` … and ${fresh.length - MAX_FILES} more new files`] : [];
  const lines = [
    stdout.trimEnd(),
    ...fresh.slice(0, MAX_FILES).map((one) => ` ${quotedName(one.path)} (new)`),
    ...more,
  ];
  return visibleText(lines.filter((line) => line !== '').join('\n'))
    .slice(0, MAX_STAT)
    .toWellFormed();
}

interface StatusEntry {
  /** Two letters: `??` for untracked, `!!` for ignored. */
  readonly mark: string;
  readonly path: string;
}

/** Parses `status --porcelain=v1 -z`; a rename is followed by the old name. */
function pathsIn(text: string): readonly StatusEntry[] {
  const fields = text.split('\0');
  const entries: StatusEntry[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? '';
    if (field === '') continue;
    entries.push({ mark: field.slice(0, 2), path: field.slice(3) });
    if (/^[RC]|^.[RC]/.test(field)) at++;
  }
  return entries;
}

function counted(count: number, what: string): string {
  return count === 0 ? '' : count === 1 ? `1 ${what}` : `${count} ${what}s`;
}

// Lists a project's worktrees, and removes those whose removal loses nothing.

/** `folder`: that of the project's worktrees. */
export function createWorktreePort(git: Git, folder: string): WorktreePort {
  return {
    list: () => Promise.all(readRecords(folder).map((record) => infoOf(git, record))),
    async clean() {
      const removed: string[] = [];
      const kept: string[] = [];
      for (const record of readRecords(folder)) {
        if (stateNow(record) === 'working') continue;
        const tip = await needlessTip(git, record);
        const isGone = tip !== undefined && (await removeWorktree(git, folder, record, tip));
        (isGone ? removed : kept).push(record.branch);
      }
      return { removed, kept };
    },
  };
}

/** The branches of worktrees whose program ended before their subagent did. */
export function orphanedBranches(folder: string): readonly string[] {
  return readRecords(folder).flatMap((one) => (stateNow(one) === 'left' ? [one.branch] : []));
}

async function infoOf(git: Git, record: WorktreeRecord): Promise<WorktreeInfo> {
  const { path, branch, owner } = record;
  const state = stateNow(record);
  const summary = state === 'working' ? '' : (await stateOf(git, record)).summary;
  return { path, branch, agent: owner.agent, description: owner.description, state, summary };
}

/** The tip of a branch without which nothing is lost: no changes, or only commits that the current one contains. */
async function needlessTip(git: Git, record: WorktreeRecord): Promise<string | undefined> {
  const { isChanged, hasFiles } = await stateOf(git, record);
  if (!isChanged) return record.base;
  const { root, path, branch } = record;
  const tips = await git(path, ['rev-parse', 'HEAD^{commit}', `refs/heads/${branch}^{commit}`]);
  if (hasFiles || tips.code !== 0) return undefined;
  const [head = '', tip = ''] = tips.stdout.trim().split('\n');
  // A detached HEAD moves away at the next checkout, and another branch of a subagent may be removed as well.
  const current = await git(root, ['symbolic-ref', '--quiet', 'HEAD']);
  const keeper = current.stdout.trim();
  if (current.code !== 0 || !keeper.startsWith('refs/heads/') || keeper.startsWith(`refs/heads/${BRANCHES}/`))
    return undefined;
  const earlier = await visited(git, path);
  if (earlier === undefined) return undefined;
  for (const one of new Set([head, tip, ...earlier]))
    if ((await git(root, ['merge-base', '--is-ancestor', one, keeper])).code !== 0) return undefined;
  return tip;
}
