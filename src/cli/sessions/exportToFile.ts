/** Exports a session to a file; returns its path and the number of secrets left out. */
import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { link, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ExportFormat, ExportOptions } from '../../export/exportSession.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';

type ExportedFile =
  | {
      readonly type: 'done';
      /** Absolute path. */
      readonly file: string;
      /** Number of different secrets that were replaced. */
      readonly secrets: number;
    }
  | { readonly type: 'failed'; readonly message: string };

/** The target: a file that must not exist, or a folder in which a free name is chosen. Absolute. */
type ExportTarget = { readonly file: string } | { readonly folder: string };

/** Exports a session. Never overwrites a file, and leaves no partial file behind. */
export async function exportToFile(
  entries: AsyncIterable<JSONLEntry> | Iterable<JSONLEntry>,
  options: ExportOptions,
  target: ExportTarget,
): Promise<ExportedFile> {
  const wanted = 'file' in target ? target.file : join(target.folder, await nameFor(options));
  const exists = `${wanted} already exists and is not overwritten. Name another file.`;
  if ('file' in target && (await isThere(wanted))) return { type: 'failed', message: exists };
  const marks = new Set<string>();
  const part = join(dirname(wanted), `.${randomBytes(6).toString('hex')}.part`);
  const { exportSession } = await import('../../export/exportSession.ts');
  const pieces = exportSession(entries, { ...options, onRedacted: (mark) => marks.add(mark) });
  try {
    await pipeline(Readable.from(pieces), createWriteStream(part, { flags: 'wx', mode: 0o600 }));
    const file = await giveName(part, wanted, 'folder' in target);
    if (file === undefined) return { type: 'failed', message: exists };
    return { type: 'done', file, secrets: marks.size };
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    if (isMissing) return { type: 'failed', message: `There is no folder ${dirname(wanted)} to write to.` };
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'failed', message: `The session could not be written to ${wanted}: ${why}` };
  } finally {
    await rm(part, { force: true }).catch(() => {});
  }
}

/** Redacts the title, which may come from the first prompt: a secret in it must not become part of a file name. */
async function nameFor({ format, meta, redact, own = [] }: ExportOptions): Promise<string> {
  if (redact === false) return exportName({ format, meta });
  const { redact: clean } = await import('../../redact/redact.ts');
  return exportName({ format, meta: { ...meta, title: clean(meta.title, { own }) } });
}

/** Returns for example `clawdcode-2026-03-01-fix-the-login.md`. */
function exportName({ format, meta }: Pick<ExportOptions, 'format' | 'meta'>): string {
  const words =
    meta.title
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [];
  let slug = '';
  for (const word of words) {
    const longer = slug === '' ? word : `${slug}-${word}`;
    if (Buffer.byteLength(longer) > 60) break;
    slug = longer;
  }
  return (
    ['clawdcode', meta.exportedAt.toISOString().slice(0, 10), slug || meta.sessionId.slice(0, 8)].join('-') +
    endings[format]
  );
}

const endings: Readonly<Record<ExportFormat, string>> = {
  md: '.md',
  html: '.html',
  json: '.json',
  jsonl: '.jsonl',
};

/** Gives the finished file its name, adding a number if allowed and necessary; undefined if the name is taken. */
async function giveName(part: string, wanted: string, mayCount: boolean): Promise<string | undefined> {
  const ending = extname(wanted);
  const stem = join(dirname(wanted), basename(wanted, ending));
  for (let count = 1; count <= 1000; count++) {
    const file = count === 1 ? wanted : `${stem}-${count}${ending}`;
    try {
      // Unlike a rename, a link fails if the name is taken.
      await link(part, file);
      return file;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EEXIST') {
        if (!mayCount) return undefined;
        continue;
      }
      // Some file systems do not support links.
      if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
      if (await isThere(file)) {
        if (!mayCount) return undefined;
        continue;
      }
      await rename(part, file);
      return file;
    }
  }
  throw new Error(`there are a thousand files like ${wanted} already`);
}

async function isThere(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}
