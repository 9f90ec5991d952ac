import { constants } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { readSmallText } from '../disk/fileLookups.ts';
import { runGit } from '../disk/ownGit.ts';
import { isInside, realpath } from '../disk/paths.ts';
import { editSettings, type SaveOutcome, type SettingsChange } from './change/editSettings.ts';
import type { SettingsRule, Values } from './types.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Adds a permission rule to a personal settings file, once; see `editLocalFile`. */
export function addLocalRule(
  file: string,
  behavior: SettingsRule['behavior'],
  rule: string,
  env: Variables,
): Promise<SaveOutcome> {
  return editLocalFile(file, (values) => changesFor(values, behavior, rule), env);
}

/**
 * Changes a personal settings file (`.clawdcode.local.json`) and keeps that file out of the repository's commits. `env`
 * is the environment for git.
 */
export async function editLocalFile(
  file: string,
  changes: (values: Values) => readonly SettingsChange[],
  env: Variables,
): Promise<SaveOutcome> {
  const saved = await editSettings(file, 'local', changes);
  // Optional: without git, or in a read-only repository, the rule applies anyway.
  if (saved.type === 'saved') await excludeFromGit(file, env).catch(() => undefined);
  return saved;
}

function changesFor(values: Values, behavior: SettingsRule['behavior'], rule: string): SettingsChange[] {
  const permissions = values.permissions as Partial<Record<string, string[]>> | undefined;
  const rules = permissions?.[behavior];
  if (rules === undefined) return [{ path: ['permissions', behavior], value: [rule] }];
  return rules.includes(rule) ? [] : [{ path: ['permissions', behavior, -1], value: rule }];
}

type Git = (args: readonly string[]) => Promise<{ readonly code: number | null; readonly output: string }>;

const TIMEOUT_MS = 5000;
const MAX_OUTPUT_BYTES = 1_000_000;

/** Adds the file to `.git/info/exclude` unless it is already ignored. */
async function excludeFromGit(file: string, env: Variables): Promise<void> {
  const directory = dirname(file);
  const git: Git = async (args) => {
    const call = { cwd: directory, args, timeoutMs: TIMEOUT_MS, maxBytes: MAX_OUTPUT_BYTES };
    const { code, stdout } = await runGit({ env, workspace: [directory] }, call);
    return { code, output: stdout.toString() };
  };
  const ignored = await git(['check-ignore', '--quiet', '--no-index', '--', file]);
  if (ignored.code !== 1) return;
  const { code, output } = await git([
    'rev-parse',
    '--git-common-dir',
    '--absolute-git-dir',
    '--show-toplevel',
  ]);
  const [common, own, top] = output.split('\n');
  if (code !== 0 || common === undefined || own === undefined || top === undefined) return;
  const folder = realpath(resolve(directory, common));
  // A `.git` file may name the repository of another project.
  const isOwn =
    isInside(folder, realpath(top)) || (isInside(realpath(own), folder) && (await pointsBack(own, top, git)));
  if (!isOwn) return;
  const info = join(folder, 'info');
  await mkdir(info, { recursive: true });
  // An unpacked archive may contain links there: a line must not be added to some other file of the user.
  if (realpath(info) !== info) return;
  await appendLine(join(info, 'exclude'), basename(file));
}

/** True if the git folder elsewhere is that of this linked worktree or submodule, and says so itself. */
async function pointsBack(gitFolder: string, top: string, git: Git): Promise<boolean> {
  const link = readSmallText(join(gitFolder, 'gitdir')).trim();
  if (link !== '') return realpath(resolve(gitFolder, dirname(link))) === realpath(top);
  const { output } = await git(['config', '--get', 'core.worktree']);
  const named = output.replace(/\n$/, '');
  return named !== '' && realpath(resolve(gitFolder, named)) === realpath(top);
}

/** Adds nothing to a file with several hard links, to anything but a regular file, or to an implausibly large file. */
async function appendLine(path: string, line: string): Promise<void> {
  const { O_RDWR, O_CREAT, O_APPEND, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(path, O_RDWR | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK, 0o644);
  try {
    const info = await handle.stat();
    if (!info.isFile() || info.nlink > 1 || info.size > MAX_EXCLUDE_BYTES) return;
    const text = await handle.readFile('utf8');
    await handle.writeFile(`${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`);
  } finally {
    await handle.close();
  }
}

const MAX_EXCLUDE_BYTES = 1_000_000;
