/**
 * Notices about settings of other programs that have no effect here: once for each content of a file, remembered in
 * `notices.json` of the data folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import type { LoadedSettings, UnsupportedSettings } from '../config/types.ts';
import { type JsonFile, openJsonFile } from '../disk/jsonFile.ts';
import { JITLESS } from '../protocol/json.ts';

const fileSchema = z.looseObject({
  /** The content that was last reported, by path. */
  unsupportedSettings: z.record(z.string(), z.string()).default({}),
  /** Damaged files that were reported; see `damagedNotices`. */
  damagedFiles: z.array(z.string()).exactOptional(),
});

/** Files to remember: the oldest are forgotten, and reported again. */
const MAX_FILES = 500;

/** Returns the notices that have not been shown yet, and remembers them. Never rejects. */
export async function unsupportedNotices(
  dataRoot: string,
  { unsupported }: Pick<LoadedSettings, 'unsupported'>,
): Promise<readonly string[]> {
  if (unsupported.length === 0) return [];
  const file = noticesFile(dataRoot);
  const before = file.read().unsupportedSettings;
  const fresh = unsupported.filter(({ path, hash }) => before[path] !== hash);
  if (fresh.length === 0) return [];
  const remember = file.change((known) => {
    const told = new Map(Object.entries(known.unsupportedSettings));
    for (const { path, hash } of fresh) {
      told.delete(path);
      told.set(path, hash);
    }
    return { ...known, unsupportedSettings: Object.fromEntries([...told].slice(-MAX_FILES)) };
  });
  // Without it, the notice is shown again next time.
  await remember.catch(() => undefined);
  return fresh.map(unsupportedText);
}

const MAX_NAMES = 12;

/** One sentence that names the parts without effect. */
export function unsupportedText({ file, names }: UnsupportedSettings): string {
  const left = names.length - MAX_NAMES;
  const shown = names.slice(0, MAX_NAMES).map((name) => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  return `${file}: not supported here: ${[...shown, ...(left > 0 ? [`${left} more`] : [])].join(', ')}.`;
}

type Notices = z.infer<typeof fileSchema>;

/** The notices that the user has seen. */
export function noticesFile(dataRoot: string): JsonFile<Notices> {
  return openJsonFile<Notices>({
    file: join(dataRoot, 'notices.json'),
    parse: (value) => fileSchema.parse(value, JITLESS),
    empty: { unsupportedSettings: {} },
  });
}
