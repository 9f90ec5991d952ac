import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Sessions as the program names them to a shell. Titles are a stranger's words: what they hold must not run. */
export const hostileSessions =
  "4f8kAAAA\tFix the login\n4f9zBBBB\tWhat $(touch owned) 'does'\nzz11CCCC\tfix tests; rm -rf x\n";

/** A folder for a shell's own files, and below it one to stand in, with a file and a folder whose names hold a blank. */
export function completionStage(shell: string): {
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
