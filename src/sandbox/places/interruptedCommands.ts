/**
 * Records what was dangerous before a command that may change git folders, so that what the command leaves behind is
 * recognized even if we are killed before we can check: the next session then treats it as changed by a command.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { namesIn, readFileNow } from '../../disk/fileLookups.ts';
import { isRunning } from '../../disk/isRunning.ts';

/** Paths with their stamps. */
type Stamps = ReadonlyMap<string, string>;

interface InterruptedCommands {
  /** Call this before a command runs; returns a function to call when its changes have been handled. Never throws. */
  begin(roots: readonly string[], before: Stamps): () => void;
  /** The paths in `now` that commands of killed sessions left behind. Returned once; never throws. */
  take(roots: readonly string[], now: Stamps): ReadonlySet<string>;
}

let lastCommand = 0;

const MAX_BYTES = 64 * 2 ** 20;

/** `notes`: a folder for the notes of all sessions, which commands cannot write to. */
export function createInterruptedCommands(notes: string, maxBytes = MAX_BYTES): InterruptedCommands {
  return {
    begin(roots, before) {
      lastCommand += 1;
      const file = join(notes, `${process.pid}-${lastCommand}`);
      try {
        mkdirSync(notes, { recursive: true, mode: 0o700 });
        const text = JSON.stringify({ roots, before: [...before] });
        // Without the list, everything counts as left behind by the command.
        const isReadable = Buffer.byteLength(text) <= maxBytes;
        writeFileSync(file, isReadable ? text : JSON.stringify({ roots, before: [] }), { mode: 0o600 });
      } catch {
        // If the disk is full, only this session knows.
      }
      return () => rmSync(file, { force: true });
    },
    take(roots, now) {
      const left = new Set<string>();
      for (const name of namesIn(notes)) {
        if (isRunning(Number.parseInt(name, 10))) continue;
        const note = noteIn(join(notes, name), maxBytes);
        if (note !== undefined && !note.roots.some((root) => roots.includes(root))) continue;
        // If the end is missing, the command had not started.
        if (note !== undefined)
          for (const [path, stamp] of now) if (note.before.get(path) !== stamp) left.add(path);
        rmSync(join(notes, name), { force: true });
      }
      return left;
    },
  };
}

const noteSchema = z.object({
  roots: z.array(z.string()),
  before: z.array(z.tuple([z.string(), z.string()])),
});

function noteIn(
  file: string,
  maxBytes: number,
): { readonly roots: readonly string[]; readonly before: Stamps } | undefined {
  try {
    const { roots, before } = noteSchema.parse(
      JSON.parse(readFileNow(file, maxBytes)?.toString('utf8') ?? ''),
    );
    return { roots, before: new Map(before) };
  } catch {
    return undefined;
  }
}
