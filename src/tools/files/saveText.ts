/** Previews a changed text, writes it and builds the outcome; shared by Write and Edit. */
import type { FilePlace } from '../../disk/realFile.ts';
import type { EditChecks } from '../../protocol/diagnostics.ts';
import type { Preview } from '../../protocol/permissions.ts';
import type { Settled, ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { failure } from '../outcomes.ts';
import { shortPath } from '../paths.ts';
import { count } from '../units.ts';
import { type Encoding, encodeText } from './encoding.ts';
import { diffFiles } from './fileDiff.ts';
import { sha256 } from './textFile.ts';
import { FileChangedError, writeFileAtomic } from './writeFileAtomic.ts';

export interface TextChange {
  readonly place: FilePlace;
  /** Stamp of the file to replace; undefined for a new one. */
  readonly stamp: string | undefined;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** The result text for the model. */
  readonly report: string;
}

/** A change to write, or an outcome that is already certain. */
export type PlannedChange = { readonly type: 'change'; readonly change: TextChange } | Settled;

/** Builds the diff that the user sees. */
export async function previewChange(change: TextChange, context: ToolContext): Promise<Preview> {
  const { path, realPath } = change.place;
  const { diff } = await diffFiles(shortPath(path, context.cwd()), change.before, change.after);
  const isNew = change.before === undefined;
  return { type: 'diff', path, ...(realPath !== path && { realPath }), diff, isNew };
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
    if (!(error instanceof FileChangedError)) throw error;
    const text = `${path} changed on disk just now, so it was left unchanged. Read it again, then try again.`;
    return failure(title, text, 'not changed');
  }
  context.cache?.drop(path);
  const { diff, added, removed } = await diffFiles(title, before, after);
  const kind = before === undefined ? 'created' : 'modified';
  const problems = await checks?.check({ path: place.realPath, before, after }, context.signal);
  return {
    status: 'ok',
    text: problems === undefined ? change.report : `${change.report}\n\n${problems.text}`,
    kind: 'edit',
    display: {
      title,
      summary: `+${added} -${removed}${problems === undefined ? '' : ` · ${count(problems.count, 'new problem')}`}`,
      ...(before === undefined ? {} : { diff: headOfDiff(diff) }),
    },
    filesChanged: [{ path, kind, hash: sha256(bytes), added, removed }],
  };
}

/** Maximum characters of a recorded diff: the screen shows 60 rows, and `/diff` computes it again from the files. */
const MAX_DIFF = 12_000;

/** Cuts a diff at a line break. New files have no diff: the tool call already contains their content. */
function headOfDiff(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff;
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n`;
}
