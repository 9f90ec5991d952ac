/**
 * Full outputs as readable files: `<folder>/<tool>-<hash>.txt`, 0600 in a folder of 0700. Copies for people and
 * their tools: the blob store keeps the original, and a folder that refuses costs the pointer, not the result.
 */
import { createHash } from 'node:crypto';
import { copyFile, lstat, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobRef } from '../../protocol/entries/fields.ts';
import { makeFolder } from '../storage/folders.ts';
import { newId } from '../storage/ids.ts';
import type { Blobs } from '../storage/sessionStore.ts';
import { memoryIdOf } from './ObservationTruncator.ts';

export class OutputFolder {
  readonly #folder: string;
  readonly #blobs: Blobs;

  /** `folder`: absolute; made when it is first needed. */
  constructor(folder: string, blobs: Blobs) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /**
   * Writes an output and gives its path. The stored `original` is copied, with its bounds and without secrets;
   * `text` is written where nothing could be stored. Undefined when the disk refuses. The same output is one file.
   */
  async save(tool: string, original: BlobRef | undefined, text: string): Promise<string | undefined> {
    const clean = original === undefined ? Buffer.from(this.#blobs.textOf(text)) : undefined;
    const hash =
      original?.hash ??
      createHash('sha256')
        .update(clean ?? '')
        .digest('hex');
    const path = join(this.#folder, `${safeName(tool)}-${memoryIdOf(hash)}.txt`);
    try {
      const there = await lstat(path).catch(() => undefined);
      if (there?.isFile() === true && there.size === (original?.bytes ?? clean?.length)) return path;
      await makeFolder(this.#folder);
      // Renamed when it is complete: a reader that follows the pointer must not see half of it.
      const unfinished = join(this.#folder, `.${newId()}`);
      try {
        if (clean === undefined) await copyFile(this.#blobs.pathOf(hash), unfinished);
        else await writeFile(unfinished, clean, { mode: 0o600, flag: 'wx' });
        await rename(unfinished, path);
      } catch (error) {
        await rm(unfinished, { force: true });
        throw error;
      }
      return path;
    } catch {
      return undefined;
    }
  }
}

/** A tool of a server may be named anything. */
function safeName(tool: string): string {
  return tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40) || 'output';
}
