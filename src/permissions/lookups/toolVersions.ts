import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** `.tool-versions`, `.node-version`, `.nvmrc` and the like: each names the version of a tool. */
const versionFile = /^\.(?:[\w-]+-versions?|nvmrc)$/;
/** A folder in the place of a version: https://asdf-vm.com/manage/configuration.html */
const fromFolder = /(?:^|\s)["']?path:/m;
const MAX_BYTES = 64 * 1024;

/**
 * The file, in a directory or above it, that has a version manager (asdf, mise) run a tool from a folder: then any program
 * may be one of the project. What cannot be read counts as one. Never throws.
 */
export function toolsFolderNamed(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    const folder = at;
    const found = namesIn(folder)
      .filter((name) => versionFile.test(name))
      .map((name) => join(folder, name))
      .find(namesFolder);
    if (found !== undefined || at === dirname(at)) return found;
  }
}

function namesFolder(file: string): boolean {
  try {
    const info = statSync(file, { throwIfNoEntry: false });
    if (info === undefined || info.isDirectory()) return false;
    return !info.isFile() || info.size > MAX_BYTES || fromFolder.test(readFileSync(file, 'utf8'));
  } catch {
    return true;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
