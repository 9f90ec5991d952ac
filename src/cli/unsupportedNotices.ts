/**
 * Notices about settings of other programs that have no effect here: once for each content of a file, remembered in
 * `notices.json` of the data folder.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../config/files.ts';
import type { LoadedSettings, UnsupportedSettings } from '../config/types.ts';
import { JITLESS } from '../protocol/jitless.ts';

const fileSchema = z.looseObject({
  /** The content that was last reported, by path. */
  unsupportedSettings: z.record(z.string(), z.string()).default({}),
});

/** Files to remember: the oldest are forgotten, and reported again. */
const MAX_FILES = 500;

/** Returns the notices that have not been shown yet, and remembers them. Never rejects. */
export async function unsupportedNotices(
  dataRoot: string,
  { unsupported }: Pick<LoadedSettings, 'unsupported'>,
): Promise<readonly string[]> {
  if (unsupported.length === 0) return [];
  const file = join(dataRoot, 'notices.json');
  const known = await readNotices(file);
  const told = new Map(Object.entries(known.unsupportedSettings));
  const fresh = unsupported.filter(({ path, hash }) => told.get(path) !== hash);
  if (fresh.length === 0) return [];
  for (const { path, hash } of fresh) {
    told.delete(path);
    told.set(path, hash);
  }
  const unsupportedSettings = Object.fromEntries([...told].slice(-MAX_FILES));
  const text = `${JSON.stringify({ ...known, unsupportedSettings }, null, 2)}\n`;
  // Without it, the notice is shown again next time.
  await writePrivateFile(file, text).catch(() => undefined);
  return fresh.map(unsupportedText);
}

const MAX_NAMES = 12;

/** One sentence that names what has no effect. */
export function unsupportedText({ file, names }: UnsupportedSettings): string {
  const left = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  return `${file}: not supported here: ${[...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ')}.`;
}

async function readNotices(file: string): Promise<z.infer<typeof fileSchema>> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  try {
    return fileSchema.parse(JSON.parse(text), JITLESS);
  } catch {
    return { unsupportedSettings: {} };
  }
}
