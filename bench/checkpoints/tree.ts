/** Trees to measure: source-like files of a few kilobytes, ten or so to a folder. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILES_PER_FOLDER = 12;
const LINE = 'export const value = compute(first, second); // what a line of code is like\n';

/** Writes `count` files below the folder; sizes vary from 0.5 to 12 kB. */
export function makeFiles(folder: string, count: number): void {
  for (let index = 0; index < count; index += 1) {
    const group = Math.floor(index / FILES_PER_FOLDER);
    const parent = join(folder, `area${group % 30}`, `part${Math.floor(group / 30)}`);
    if (index % FILES_PER_FOLDER === 0) mkdirSync(parent, { recursive: true });
    const lines = 6 + ((index * 7919) % 150);
    writeFileSync(join(parent, `file${index}.ts`), `// file ${index}\n${LINE.repeat(lines)}`);
  }
}

export function commitAll(root: string): void {
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', ['-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', ...args], {
      cwd: root,
    });
  git('init', '-q');
  git('add', '.');
  git('commit', '-q', '-m', 'all');
  // As after a clone: objects of their own would have to be held on to one by one.
  git('repack', '-adq');
}
