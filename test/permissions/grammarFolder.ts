import { mkdtempSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** A new folder in `parent` with the grammar files, from the same packages as in the build. */
export function grammarFolder(parent: string): string {
  const { resolve } = createRequire(import.meta.url);
  const directory = mkdtempSync(join(parent, 'wasm-'));
  for (const [name, from] of [
    ['web-tree-sitter.wasm', 'web-tree-sitter/web-tree-sitter.wasm'],
    ['tree-sitter-bash.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'],
  ] as const)
    symlinkSync(resolve(from), join(directory, name));
  return directory;
}
