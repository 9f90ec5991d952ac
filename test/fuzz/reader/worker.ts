/**
 * Random commands against what the reader promises: `node test/fuzz/reader/worker.ts --minutes 10 --seed 1`. Every command
 * that would run without a question is run in bash, dash and zsh. Prints lines of JSON: counts, and each surprise.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decide, type Policy } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/diskLookups.ts';
import { loadShellParser } from '../../../src/permissions/shell.ts';
import { addTraps, canConfine, makeArena, runBatch, shellsHere } from './agreement.ts';
import { randomCommand, randomFrom } from './randomCommand.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    batch: { type: 'string', default: '400' },
    folder: { type: 'string', default: tmpdir() },
    traps: { type: 'boolean', default: false },
    /** Folder with both grammar files. */
    wasm: { type: 'string' },
  },
});
if (!canConfine()) throw new Error('bwrap is needed.');
const { resolve } = createRequire(import.meta.url);
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);
const base = mkdtempSync(join(values.folder, 'reader-'));
const top = join(base, 'top');
const make = () => {
  const arena = makeArena(top);
  if (values.traps) addTraps(arena);
  return arena;
};
const { root, home } = make();
const wasm = values.wasm ?? join(resolve('../../../package.json'), '../dist');
const policy: Policy = {
  mode: 'default',
  rules: [],
  root,
  additionalDirectories: [],
  ownDirectories: [],
  home,
  ...diskLookups(process.env),
  parseCommand: await loadShellParser(wasm),
  localSettingsFile: join(root, '.clawdcode.local.json'),
};
const shells = shellsHere();
const random = randomFrom(Number(values.seed));
const until = Date.now() + Number(values.minutes) * 60_000;
const counts = { generated: 0, unasked: 0, runs: 0, surprises: 0 };
try {
  while (Date.now() < until) {
    const batch: string[] = [];
    while (batch.length < Number(values.batch)) {
      const command = randomCommand(random);
      counts.generated += 1;
      const access = { type: 'command', command, cwd: root } as const;
      if (decide({ tool: 'Bash', access }, policy).behavior === 'allow') batch.push(command);
    }
    const found = await runBatch(batch, shells, make, top);
    counts.unasked += batch.length;
    counts.runs += batch.length * shells.length;
    counts.surprises += found.length;
    for (const surprise of found) say(surprise);
    say(counts);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
