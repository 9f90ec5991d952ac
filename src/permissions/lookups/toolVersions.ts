import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isDirectory } from './filesBelow.ts';
import { readFileNow } from './readFileNow.ts';

/** `.tool-versions`, `.node-version`, `.nvmrc` and the like: each names the version of a tool. */
const versionFile = /^\.(?:[\w-]+-versions?|nvmrc)$/;
/** A folder instead of a version: https://asdf-vm.com/manage/configuration.html */
const fromFolder = /(?:^|\s)["']?path:/m;
const MAX_BYTES = 64 * 1024;

/**
 * The file, in a directory or its parents, that makes a version manager (asdf, mise) run a tool from a folder: any
 * program may then be one of the project. An unreadable file counts. Never throws.
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
  if (isDirectory(file)) return false;
  const found = readFileNow(file, MAX_BYTES);
  return found !== null && (found === undefined || fromFolder.test(found.toString('utf8')));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
