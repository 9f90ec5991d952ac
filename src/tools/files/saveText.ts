/** Previews a changed text, writes it and builds the outcome; shared by Write and Edit. */

import { randomBytes } from 'node:crypto';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { StructuredPatchHunk } from 'diff';
import {
  inRealFolder,
  inWritableFolder,
  PathMovedError,
  type RealFolder,
  type ResolvedPath,
} from '../../disk/realFile.ts';
import type { EditChecks } from '../../protocol/diagnostics.ts';
import { type FileFacts, fileStamp } from '../../protocol/files/fileStamp.ts';
import type { Preview } from '../../protocol/permissions.ts';
import { count } from '../../protocol/text/numbers.ts';
import type { Settled, ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { errorCode, failure } from '../outcomes.ts';
import { shortPath } from '../paths.ts';
import { endsLinesWithPairs, plainLines } from './lineEnds.ts';
import { type Encoding, encodeText, sha256 } from './textFile.ts';

export interface TextChange {
  readonly place: ResolvedPath;
  /** Stamp of the file to replace; undefined for a new one. */
  readonly stamp: string | undefined;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** The result text for the model. */
  readonly report: string;
  /** The fields of the result for hooks that differ between Write and Edit. */
  readonly response: object;
}

/** A change to write, or the outcome if there is nothing to write. */
export type PlannedChange = { readonly type: 'change'; readonly change: TextChange } | Settled;

/** Builds the diff that the user sees. */
export async function previewChange(change: TextChange, context: ToolContext): Promise<Preview> {
  const { path, realPath } = change.place;
  const { diff } = await diffFiles(shortPath(path, context.cwd()), change.before, change.after);
  const isNew = change.before === undefined;
  return {
    ...{ type: 'diff', path, ...(realPath !== path && { realPath }), diff, isNew },
    ...(isNew && endsLinesWithPairs(change.after) && { endsLinesWithPairs: true }),
  };
}

/**
 * Writes the change to disk, and adds the problems that a language server finds in it. Rejects with system errors or a
 * `PathMovedError`.
 */
export async function saveText(
  change: TextChange,
  context: ToolContext,
  checks: EditChecks | undefined,
): Promise<ToolOutcome> {
  const { place, before, after } = change;
  const { path } = place;
  const title = shortPath(path, context.cwd());
  const bytes = encodeText(after, change.encoding, change.bom);
  try {
    await writeFileAtomic(place.realPath, bytes, change.stamp);
  } catch (error) {
    const code = errorCode(error) ?? '';
    const isFixed = before !== undefined && ['EACCES', 'EPERM', 'EROFS'].includes(code);
    if (!isFixed && !(error instanceof FileChangedError)) throw error;
    const text = isFixed
      ? `${path} was not modified: its folder is read-only for this user, so the file cannot be replaced (${code}).`
      : `${path} has just changed on disk, so it was not modified. Read it again, then retry.`;
    return failure(title, text, 'not changed');
  }
  context.cache?.drop(path);
  const { diff, hunks, added, removed } = await diffFiles(title, before, after);
  const kind = before === undefined ? 'created' : 'modified';
  const problems = await checks?.check({ path: place.realPath, before, after }, context.signal);
  return {
    status: 'ok',
    text: problems === undefined ? change.report : `${change.report}\n\n${problems.text}`,
    kind: 'edit',
    display: {
      title,
      summary: `+${added} −${removed}${problems === undefined ? '' : ` · ${count(problems.count, 'new problem')}`}`,
      ...(before === undefined ? {} : { diff: headOfDiff(diff) }),
    },
    filesChanged: [{ path, kind, hash: sha256(bytes), added, removed }],
    response: () => ({
      filePath: path,
      originalFile: before ?? null,
      structuredPatch: before === undefined ? [] : hunks.map(hunkOf),
      userModified: false,
      ...change.response,
    }),
  };
}

/** Drops properties that the diff library may add. */
const hunkOf = ({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk): object => ({
  ...{ oldStart, oldLines, newStart, newLines, lines },
});

/** Maximum characters of a recorded diff: the screen shows 60 rows, and `/diff` computes it again from the files. */
const MAX_DIFF = 12_000;

/** Cuts a diff at a line break. New files have no diff: the tool call already contains their content. */
function headOfDiff(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff;
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n`;
}

// Unified diffs for display.

const CONTEXT_LINES = 3;
/** A diff of two very different large files can take quadratic time; after this limit it is shown as one hunk. */
const MAX_DIFF_MS = 1000;

interface FileDiff {
  /** In unified format. */
  readonly diff: string;
  readonly hunks: readonly StructuredPatchHunk[];
  readonly added: number;
  readonly removed: number;
}

/** Compares two versions of a file; `before` is undefined for a new one. Loads the diff library on first use. */
export async function diffFiles(name: string, before: string | undefined, after: string): Promise<FileDiff> {
  const { FILE_HEADERS_ONLY, formatPatch, structuredPatch } = await import('diff');
  // A single carriage return can change how a shell reads a line, so only those that all lines have are left out.
  const isUniform = [before ?? '', after].every((text) => text === '' || endsLinesWithPairs(text));
  const oldText = isUniform ? plainLines(before ?? '').text : (before ?? '');
  const newText = isUniform ? plainLines(after).text : after;
  const oldName = before === undefined ? '/dev/null' : name;
  const patch = structuredPatch(oldName, name, oldText, newText, undefined, undefined, {
    context: CONTEXT_LINES,
    timeout: MAX_DIFF_MS,
  }) ?? {
    oldFileName: oldName,
    newFileName: name,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [oneHunk(oldText, newText)],
  };
  const changed = patch.hunks.flatMap((hunk) => hunk.lines);
  return {
    diff: formatPatch(patch, FILE_HEADERS_ONLY),
    hunks: patch.hunks,
    added: changed.filter((line) => line.startsWith('+')).length,
    removed: changed.filter((line) => line.startsWith('-')).length,
  };
}

/** Everything between the first and the last difference as one hunk: the old lines removed, the new ones added. */
function oneHunk(before: string, after: string): StructuredPatchHunk {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const [removed, added] = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  return {
    oldStart: start + 1,
    oldLines: removed.length,
    newStart: start + 1,
    newLines: added.length,
    lines: [...removed.flatMap((line) => signed('-', line)), ...added.flatMap((line) => signed('+', line))],
  };
}

/** Each line with its line feed. */
const linesOf = (text: string): readonly string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const signed = (sign: '+' | '-', line: string): readonly string[] =>
  line.endsWith('\n') ? [`${sign}${line.slice(0, -1)}`] : [`${sign}${line}`, '\\ No newline at end of file'];

// Replaces a file atomically: readers see the old or the new content, never part of it.

/** The file is not the one from which the change was computed. */
class FileChangedError extends Error {
  override readonly name = 'FileChangedError';
}

/**
 * Writes the bytes to the real path, which contains no links; creates directories; keeps mode and owner. A read-only
 * directory of the user is writable in the meantime. `stamp` is that of the file to replace, undefined if there is none. Rejects with a `FileChangedError` or a `PathMovedError` if
 * something else is there, and with system errors.
 */
export async function writeFileAtomic(
  realPath: string,
  bytes: Uint8Array,
  stamp: string | undefined,
): Promise<void> {
  const name = basename(realPath);
  const write = async (folder: RealFolder): Promise<void> => {
    const old = await unchanged(folder, name, realPath, stamp);
    const temporary = folder.at(`.${name.slice(0, 200)}.${randomBytes(6).toString('hex')}.tmp`);
    try {
      const file = await open(temporary, 'wx', old === undefined ? 0o666 : 0o600);
      try {
        await file.writeFile(bytes);
        if (old !== undefined) {
          await file.chown(Number(old.uid), Number(old.gid)).catch(() => undefined);
          await file.chmod(Number(old.mode & 0o7777n));
        }
        await file.datasync();
      } finally {
        await file.close();
      }
      await unchanged(folder, name, realPath, stamp);
      folder.check();
      await rename(temporary, folder.at(name));
    } finally {
      await rm(temporary, { force: true });
    }
  };
  const folder = dirname(realPath);
  if (stamp === undefined) await inRealFolder(folder, write, { create: true });
  else await inWritableFolder(folder, write);
}

interface Entry extends FileFacts {
  readonly mode: bigint;
  readonly uid: bigint;
  readonly gid: bigint;
}

/** The entry to replace; throws unless it is the one from which the change was computed. */
async function unchanged(
  folder: RealFolder,
  name: string,
  realPath: string,
  stamp: string | undefined,
): Promise<Entry | undefined> {
  const info = await lstat(folder.at(name), { bigint: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (info?.isSymbolicLink()) throw new PathMovedError(realPath);
  if ((info && fileStamp(info)) !== stamp) throw new FileChangedError(realPath);
  return info;
}
