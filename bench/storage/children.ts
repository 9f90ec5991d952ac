/** The programs that the bench kills: each bundled once, because they start a thousand times. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Bundles a program beside this file into a folder; answers the file to run. */
export async function bundleChild(name: string, folder: string): Promise<string> {
  const outfile = join(folder, `${name}.mjs`);
  await build({
    entryPoints: [join(import.meta.dirname, `${name}.child.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    outfile,
    logLevel: 'error',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  });
  return outfile;
}

export interface Child {
  readonly process: ChildProcess;
  /** Whole lines that it has said so far; the last may have been torn. */
  lines(): readonly string[];
  errors(): string;
  /** Resolves when it has said its first line, or ended. */
  readonly begun: Promise<unknown>;
  readonly ended: Promise<unknown>;
}

export function start(command: string, args: readonly string[]): Child {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  let errors = '';
  const ended = once(child, 'close');
  const begun = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => {
      said += chunk;
      if (said.includes('\n')) resolve();
    });
    void ended.then(() => resolve());
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  return { process: child, lines: () => said.split('\n').slice(0, -1), errors: () => errors, begun, ended };
}
