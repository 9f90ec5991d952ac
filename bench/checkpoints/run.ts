/**
 * `npm run bench:checkpoints`: what looking at a tree costs, for a git repository, one with ignored files, and a
 * plain folder. `--files 10000` says how many; docs/checkpoints.md explains the table.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { commitAll, makeFiles } from './tree.ts';

const { values } = parseArgs({ options: { files: { type: 'string', default: '10000' } } });
const count = Number.parseInt(values.files, 10);

interface Timed {
  readonly ms: number;
  readonly cpuMs: number;
  readonly sliceMs: number;
}
interface Measured {
  readonly entries: number;
  readonly first: Timed;
  readonly again: Timed;
  readonly scan: Timed;
  readonly few: Timed;
  readonly many: Timed;
  readonly heapMb: number;
  readonly rssMb: number;
}

const kinds: readonly (readonly [string, (root: string) => void])[] = [
  [
    'git repository',
    (root) => {
      makeFiles(root, count);
      commitAll(root);
    },
  ],
  [
    'git, a third ignored',
    (root) => {
      const ignored = Math.floor(count / 3);
      makeFiles(root, count - ignored);
      writeFileSync(join(root, '.gitignore'), 'out/\n');
      commitAll(root);
      makeFiles(join(root, 'out'), Math.min(ignored, 5_000));
    },
  ],
  ['plain folder', (root) => makeFiles(root, count)],
];

const shown = ({ ms, cpuMs, sliceMs }: Timed): string =>
  [ms, cpuMs, sliceMs].map((one) => one.toFixed(0)).join(' / ');
const rows: string[][] = [
  ['', 'entries', 'first look', 'next look', 'scan', '1 changed', '100 changed', 'heap MB', 'RSS MB'],
];
for (const [name, make] of kinds) {
  const base = mkdtempSync(join(tmpdir(), 'clawdcode-bench-checkpoints-'));
  const root = join(base, 'project');
  mkdirSync(root);
  make(root);
  // Git takes what was written in the same tick as its index for doubtful.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const args = ['--expose-gc', join(import.meta.dirname, 'measure.ts'), root, join(base, 'folder')];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' });
  const found = JSON.parse(output) as Measured;
  rmSync(base, { recursive: true, force: true });
  rows.push([
    name,
    String(found.entries),
    ...[found.first, found.again, found.scan, found.few, found.many].map(shown),
    found.heapMb.toFixed(1),
    found.rssMb.toFixed(1),
  ]);
}

process.stdout.write(
  `\n${count} files; milliseconds / of the processor / longest without a pause (medians of 7, but for the first look)\n\n`,
);
const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
for (const row of rows)
  process.stdout.write(`${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`);
