/** Outcomes that several tools share. */
import { PathMovedError } from '../disk/realFile.ts';
import type { Confinement } from '../protocol/sandbox.ts';
import type { ToolOutcome } from '../protocol/tools.ts';

/**
 * A failure that the model can act on. `summary` is a few words for the screen, `modelNotes` advice that the screen does
 * not show.
 */
export function failure(title: string, text: string, summary = 'failed', modelNotes = ''): ToolOutcome {
  const display = { title, summary, ...(modelNotes !== '' && { modelNotes }) };
  return { status: 'error', text: text + modelNotes, kind: 'text', display };
}

/** The outcome of a call that the user interrupted before it had a result. */
export function interrupted(title: string): ToolOutcome {
  return {
    status: 'partial',
    text: 'Interrupted by the user before it finished.',
    kind: 'text',
    display: { title, summary: 'interrupted' },
  };
}

const meanings: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; the file or its directory is not accessible to this user',
  EPERM: 'not permitted by the operating system',
  EROFS: 'the file system is read-only',
  ENOENT: 'no such file or directory',
  ENOTDIR: 'a part of the path is a file, not a directory',
  EISDIR: 'it is a directory',
  EEXIST: 'it already exists',
  ENOSPC: 'no space left on the device; free some and try again',
  EDQUOT: 'disk quota exceeded; free some space and try again',
  ELOOP: 'too many symbolic links; the path leads in a circle',
  ENAMETOOLONG: 'the file name is too long',
  EMFILE: 'too many open files; try again',
  EBUSY: 'it is in use by another program',
};

/** A sentence for the model about a system error or a moved path; undefined for anything else, which is a bug. */
export function describeSystemError(error: unknown): string | undefined {
  if (error instanceof PathMovedError) return error.message;
  const code = errorCode(error);
  // Node rejects NUL before calling the system; a model can still write one.
  if (code === 'ERR_INVALID_ARG_VALUE')
    return 'The input contains a NUL character, which paths and commands cannot contain. Leave it out.';
  if (code === undefined || !(error instanceof Error) || !('syscall' in error)) return undefined;
  const path = 'path' in error && typeof error.path === 'string' ? `${error.path}: ` : '';
  return `${path}${meanings[code] ?? error.message} (${code}).`;
}

/** The code of a system error, such as `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

export interface Notes {
  readonly forModel: readonly string[];
  readonly forUser: readonly string[];
}

/**
 * Notes about files that other programs run or read as configuration and that a command created or changed since the
 * last call, about folders that the sandbox hides as a whole, and about files that were replaced under its mounts.
 * `withheldFor`: see `withheldNotes`, whose note is enough about replaced files.
 */
export function sandboxNotes(
  confinement:
    | Pick<Confinement, 'changedProtectedFiles' | 'hiddenFolders' | 'exposedFiles' | 'whyStopped'>
    | undefined,
  withheldFor: readonly string[] = [],
): Notes {
  const changed = confinement?.changedProtectedFiles().join(', ') ?? '';
  const hidden = listed(confinement?.hiddenFolders?.() ?? []);
  const isWithheld = withheldFor.length > 0;
  const exposedFiles = confinement?.exposedFiles?.() ?? [];
  const exposed = listed(isWithheld ? [] : exposedFiles);
  const stopped = isWithheld ? undefined : confinement?.whyStopped?.();
  const withheld = withheldNotes(withheldFor);
  return {
    forModel: [
      ...withheld.forModel,
      ...(stopped === undefined ? [] : [`(The sandbox stopped it: ${stopped}.)`]),
      ...(exposed === ''
        ? []
        : [
            `(Another program replaced ${exposed} while it ran: for up to a second, the sandbox did not keep the old and the new content from it.)`,
          ]),
      ...(changed === ''
        ? []
        : [`(It created or changed ${changed}, which other programs run or read as settings.)`]),
      ...(hidden === ''
        ? []
        : [
            `(The sandbox hides all of ${hidden} from commands: the user's Read deny rules may cover files there.)`,
          ]),
    ],
    forUser: [
      ...withheld.forUser,
      ...(stopped === undefined ? [] : [`stopped: ${stopped}`]),
      ...(exposed === ''
        ? []
        : [
            `could for up to a second read or change what another program, if not the command itself, replaced while it ran: ${exposed}`,
          ]),
      ...(changed === '' ? [] : [`changed files that other programs run: ${changed}`]),
      ...(hidden === ''
        ? []
        : [
            `hidden as a whole, because Read deny rules may cover files there (see sandbox.allowRead): ${hidden}`,
          ]),
    ],
  };
}

/** Notes about hidden files because of which a command's output is withheld; none if there are no such files. */
export function withheldNotes(files: readonly string[]): Notes {
  if (files.length === 0) return { forModel: [], forUser: [] };
  const names = listed(files);
  return {
    forModel: [
      `(The output is withheld: another program replaced or created ${names} while the command ran, so the output may show what is hidden from it. Run the command again.)`,
    ],
    forUser: [`output withheld, because another program replaced or created ${names} while it ran`],
  };
}

const MAX_LISTED = 10;

/** Paths in a sentence. One that could end the sentence or begin a new line is quoted. */
export const listed = (paths: readonly string[]): string =>
  [
    ...paths.slice(0, MAX_LISTED).map((path) => (/^[\w./@~+-]+$/.test(path) ? path : JSON.stringify(path))),
    ...(paths.length > MAX_LISTED ? [`${paths.length - MAX_LISTED} more`] : []),
  ].join(', ');
