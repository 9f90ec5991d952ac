import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * True if `made` is newer than all `sources`: files, or folders with everything in them. Folders count themselves, too,
 * since their times reveal removed files. False if any of them is missing.
 */
export async function isUpToDate(made, sources) {
  try {
    const { mtimeMs } = await stat(made);
    const paths = await Promise.all(sources.map(pathsBelow));
    const times = await Promise.all(paths.flat().map(async (path) => (await stat(path)).mtimeMs));
    return times.every((time) => time <= mtimeMs);
  } catch {
    return false;
  }
}

async function pathsBelow(source) {
  if (!(await stat(source)).isDirectory()) return [source];
  const names = await readdir(source, { recursive: true });
  return [source, ...names.map((name) => join(source, name))];
}
