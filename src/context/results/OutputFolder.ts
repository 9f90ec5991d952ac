/**
 * Writes full outputs as readable files: `<folder>/<tool>-<hash>.txt`, mode 0600 in a folder of mode 0700. These are
 * copies for people and their tools: the original is in the blob store, and a disk error only costs the path.
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

  /** `folder`: absolute; created when first needed. */
  constructor(folder: string, blobs: Blobs) {
    this.#folder = folder;
    this.#blobs = blobs;
  }

  /**
   * Writes an output and returns its path. Copies the stored `original`, which is limited in size and has no secrets;
   * `text` is written if nothing could be stored. Undefined on a disk error. The same output is written once.
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
      // Rename the file when it is complete: a reader must not see half of it.
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

/** Names of MCP tools may contain any characters. */
function safeName(tool: string): string {
  return tool.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 40) || 'output';
}
