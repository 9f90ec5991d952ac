/** Writes a changed text and words the outcome; shared by Write and Edit. */
import type { ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { shortPath } from '../paths.ts';
import { type Encoding, encodeText } from './encoding.ts';
import { diffFiles } from './fileDiff.ts';
import { sha256 } from './textFile.ts';
import { writeFileAtomic } from './writeFileAtomic.ts';

export interface TextChange {
  readonly path: string;
  /** Undefined for a new file. */
  readonly before: string | undefined;
  readonly after: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** What the model is told. */
  readonly report: string;
}

/** Puts the change on disk. Rejects with system errors. */
export async function saveText(change: TextChange, context: ToolContext): Promise<ToolOutcome> {
  const { path, before, after } = change;
  const title = shortPath(path, context.cwd());
  const bytes = encodeText(after, change.encoding, change.bom);
  await writeFileAtomic(path, bytes);
  context.cache?.drop(path);
  const { diff, added, removed } = await diffFiles(title, before, after);
  const kind = before === undefined ? 'created' : 'modified';
  return {
    status: 'ok',
    text: change.report,
    kind: 'edit',
    display: {
      title,
      summary: `+${added} -${removed}`,
      ...(before === undefined ? {} : { diff: headOfDiff(diff) }),
    },
    filesChanged: [{ path, kind, hash: sha256(bytes), added, removed }],
  };
}

/** Characters of a diff that are recorded: the reader sees 60 rows, and `/diff` makes it anew from the files. */
const MAX_DIFF = 12_000;

/** What a new file holds stands in the call that made it, and a diff would say it once more: it has none. */
function headOfDiff(diff: string): string {
  if (diff.length <= MAX_DIFF) return diff;
  return `${diff.slice(0, diff.lastIndexOf('\n', MAX_DIFF))}\n`;
}
