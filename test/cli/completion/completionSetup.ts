import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sessions as the program lists them for a shell. Titles come from elsewhere, so nothing in them may be executed. */
export const hostileSessions =
  "4f8kAAAA\tFix the login\n4f9zBBBB\tWhat $(touch owned) 'does'\nzz11CCCC\tfix tests; rm -rf x\n";

/**
 * A folder for the shell's own files, and in it a working directory with a file and a folder whose names contain a
 * space.
 */
export function setUpCompletion(shell: string): {
  readonly folder: string;
  readonly work: string;
  readonly clear: () => void;
} {
  const folder = mkdtempSync(join(tmpdir(), `clawdcode-${shell}-`));
  const work = join(folder, 'work');
  mkdirSync(join(work, 'a folder'), { recursive: true });
  writeFileSync(join(work, 'a file'), '');
  return { folder, work, clear: () => rmSync(folder, { recursive: true, force: true }) };
}
