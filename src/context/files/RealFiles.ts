import { realpathSync, statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';

/** Names that are looked up on disk at most; a log full of listings has many thousands. */
const MAX_LOOKUPS = 2000;

/** Finds the file that a name means; two names of one file (a link, `./a.ts`) give the same path. */
export class RealFiles {
  readonly #known = new Map<string, string | undefined>();

  /** The real path of the first directory's file that exists; undefined for folders and what is not there. */
  find(name: string, directories: readonly string[]): string | undefined {
    const candidates = isAbsolute(name) ? [name] : directories.map((directory) => resolve(directory, name));
    for (const candidate of candidates) {
      if (!this.#known.has(candidate))
        this.#known.set(candidate, this.#known.size < MAX_LOOKUPS ? realFile(candidate) : undefined);
      const path = this.#known.get(candidate);
      if (path !== undefined) return path;
    }
    return undefined;
  }
}

function realFile(path: string): string | undefined {
  try {
    const real = realpathSync(path);
    return statSync(real).isFile() ? real : undefined;
  } catch {
    return undefined;
  }
}
