import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/**
 * Creates a file so deep in a folder that this program cannot open it by its path, but `grep -r` can. Removed when the
 * test ends. Returns the outermost of the created folders.
 */
export function createDeepFile(folder: string, name: string, text: string): string {
  const top = join(folder, 'd'.repeat(200));
  const script = `
    const { mkdirSync, writeFileSync } = require('node:fs');
    for (let depth = 0; depth < 24; depth += 1) {
      mkdirSync('d'.repeat(200));
      process.chdir('d'.repeat(200));
    }
    writeFileSync(${JSON.stringify(name)}, ${JSON.stringify(text)});`;
  execFileSync(process.execPath, ['-e', script], { cwd: folder });
  onTestFinished(() => void execFileSync('rm', ['-rf', top]));
  return top;
}
