/** Reads the environment for the model: platform, date and the state of the repository. */
import { release, type } from 'node:os';
import type { Environment } from '../../agent/systemPrompt.ts';
import { blockingFile, mayHaveRepository } from '../../disk/gitFiles.ts';
import { runGit } from '../../disk/ownGit.ts';
import { gitRunsPrograms } from '../../permissions/lookups/gitPrograms.ts';
import { localDay } from '../../protocol/text/localTime.ts';
import type { AppPaths } from './appPaths.ts';
import { gitFor, isSystemProgram, type LookUpPlace } from './lookUp.ts';

/** Timeout of git, in milliseconds; a slow repository is left out rather than delaying the first request. */
const GIT_TIMEOUT = 2000;
const CHANGED_FILES = 20;

/** Milliseconds after which a prefetched result is stale, because the user was asked something in between. */
const FRESH_MS = 2000;

type Place = LookUpPlace & Pick<AppPaths, 'cwd'>;

/** Reads the environment; the place has all folders of the workspace by then. */
export type ReadEnvironment = (place: Place) => Promise<Environment>;

/**
 * Starts reading immediately, since git takes as long as loading the program and its settings. Not if git is installed
 * where a directory that only the settings add to the workspace could be.
 */
export function prefetchEnvironment(place: Place): ReadEnvironment {
  if (!isSystemProgram('git', place)) return (settled) => readEnvironment(settled, new Date());
  return prefetch(() => readEnvironment(place, new Date()), FRESH_MS);
}

export async function readEnvironment(place: Place, now: Date): Promise<Environment> {
  const { cwd: directory } = place;
  const git = await gitState(place);
  return {
    directory,
    platform: `${type()} ${release()}`,
    date: localDay(now),
    ...(git === undefined ? {} : { git }),
  };
}

async function gitState(place: Place): Promise<string | undefined> {
  const { cwd: directory } = place;
  if (!mayHaveRepository(directory)) return undefined;
  const blocking = blockingFile(directory, place.env);
  // The model may be about to run git itself.
  if (blocking !== undefined)
    return `not asked, because git would wait for ${quotedUnlessPlain(bounded(blocking))}, which is a pipe, a device or a huge file`;
  // The user has not yet agreed to run this folder's programs.
  if (gitRunsPrograms(directory))
    return 'not asked, because its configuration names programs to start, or files elsewhere';
  const [status, log] = await Promise.all([
    // Submodules have their own configurations.
    git(place, [
      'status',
      '--porcelain=v1',
      '--branch',
      '--untracked-files=normal',
      '--ignore-submodules=dirty',
    ]),
    git(place, ['log', '--max-count=3', '--format=%h %s']),
  ]);
  if (status === undefined) return undefined;
  const [head = '', ...changed] = status.trimEnd().split('\n');
  const branch = quotedUnlessPlain(
    bounded(head.replace(/^## (No commits yet on )?/, '').split('...')[0] ?? ''),
  );
  const shown = changed.slice(0, CHANGED_FILES).map(changedFile);
  const more = changed.length > shown.length ? ` and ${changed.length - shown.length} more` : '';
  const lines = [
    `branch ${branch}; ${changed.length === 0 ? 'clean' : `changed: ${shown.join(', ')}${more}`}`,
  ];
  if (log !== undefined && log.trim() !== '')
    lines.push(
      'Last commits, in the words of their authors:',
      ...log.trimEnd().split('\n').map(quotedSubject),
    );
  return lines.join('\n');
}

/**
 * Maximum characters of each text from the repository: it is untrusted data and must not be mistaken for the program's
 * own text.
 */
const MAX_CHARACTERS = 120;

function bounded(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, ' ');
  return line.length <= MAX_CHARACTERS ? line : `${line.slice(0, MAX_CHARACTERS).toWellFormed().trimEnd()}…`;
}

/** Formats one line of the status, e.g. ` M src/a.ts`, `R  a -> b`; git already quotes names with spaces. */
function changedFile(line: string): string {
  const short = bounded(line);
  return `${short.slice(0, 3)}${short.slice(3).split(' -> ').map(quotedUnlessPlain).join(' -> ')}`;
}

/** Quotes a name with characters that delimit the list around it: it could otherwise imitate our own text. */
function quotedUnlessPlain(name: string): string {
  return name.startsWith('"') || /^[^;,:<>"'`[\]{}]*$/.test(name) ? name : JSON.stringify(name);
}

function quotedSubject(line: string): string {
  const [, hash = '', subject = ''] = /^(\S+) ?(.*)$/.exec(line) ?? [];
  return `${hash} ${JSON.stringify(bounded(subject))}`;
}

/** Returns the output of one read-only git command; undefined without a repository or git. */
async function git(place: Place, args: readonly string[]): Promise<string | undefined> {
  const call = { cwd: place.cwd, args, timeoutMs: GIT_TIMEOUT, maxBytes: 4_000_000 };
  const { code, stdout } = await runGit(gitFor(place), call);
  if (code !== 0) return undefined;
  const text = stdout.toString();
  // Names and subjects may contain tokens, but most contain nothing that is long enough.
  if (!/(?=\S*\d)[\w-]{20}/.test(text)) return text;
  return (await import('../../redact/redact.ts')).redact(text);
}

/**
 * Starts reading immediately: the first call within `freshMs` gets that result, any other call reads again. `now`:
 * milliseconds from any starting point.
 */
export function prefetch<T>(
  read: () => Promise<T>,
  freshMs: number,
  now: () => number = () => performance.now(),
): () => Promise<T> {
  const startedAt = now();
  let ahead: Promise<T> | undefined = read();
  // The caller gets the error; if there is no caller, it must not be an unhandled rejection.
  ahead.catch(() => {});
  return () => {
    const found = now() - startedAt < freshMs ? ahead : undefined;
    ahead = undefined;
    return found ?? read();
  };
}
