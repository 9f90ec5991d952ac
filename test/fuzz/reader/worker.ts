/**
 * Tests random commands against the reader's promises: `node test/fuzz/reader/worker.ts --minutes 10 --seed 1`. Runs
 * every command that needs no approval in bash, dash and zsh, and compares the words of every command that is understood.
 * Prints JSON lines: missing programs (which are not tested), counts, and each violation. `scripts/fuzzReader.mjs` starts
 * two of these.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decide } from '../../../src/permissions/decide.ts';
import { diskLookups } from '../../../src/permissions/lookups/diskLookups.ts';
import { lookupsOnce } from '../../../src/permissions/lookups/lookupsOnce.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import { loadShellParser } from '../../../src/permissions/shell/loadParser.ts';
import { runBatch } from './agreement.ts';
import { type Arena, arenaKinds } from './arena.ts';
import { canConfine, type Job, programsMissing, shellsHere } from './confine.ts';
import { Ground } from './Ground.ts';
import { randomFrom } from './random.ts';
import { randomJob } from './randomCommand.ts';
import { compareWords } from './recorded.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    batch: { type: 'string', default: '200' },
    folder: { type: 'string', default: tmpdir() },
    traps: { type: 'boolean', default: false },
    /** Compares words only. */
    words: { type: 'boolean', default: false },
    /** Generates only commands whose words another command prints. */
    found: { type: 'boolean', default: false },
    /** Uses only this kind of arena. */
    kind: { type: 'string' },
    /** A folder of programs that take precedence over the system's. */
    tools: { type: 'string' },
    /** The folder with both grammar files. */
    wasm: { type: 'string' },
  },
});
/** Few enough to end before the comparison's timeout. */
const COMPARED_AT_ONCE = 400;
if (!canConfine()) throw new Error('bwrap is needed.');
const { resolve } = createRequire(import.meta.url);
const say = (line: object): unknown => process.stdout.write(`${JSON.stringify(line)}\n`);
const base = realpathSync(mkdtempSync(join(values.folder, 'reader-')));
const parseCommand = await loadShellParser(values.wasm ?? join(resolve('../../../package.json'), '../dist'));
const policies = new WeakMap<Arena, Policy>();
/** Looks at each thing once: an arena that has changed is replaced. */
function policyFor(arena: Arena): Policy {
  const { root, home } = arena;
  const policy = policies.get(arena) ?? {
    mode: 'default',
    rules: [],
    root,
    additionalDirectories: [],
    home,
    platform: process.platform,
    ...lookupsOnce(diskLookups(process.env), () => 0).lookups,
    parseCommand,
    localSettingsFile: join(root, '.clawdcode.local.json'),
  };
  policies.set(arena, policy);
  return policy;
}
const grounds = arenaKinds
  .filter((kind) => values.kind === undefined || kind === values.kind)
  .map((kind) => new Ground(join(base, kind), kind, values.traps));
const shells = shellsHere();
const random = randomFrom(Number(values.seed));
const until = Date.now() + Number(values.minutes) * 60_000;
const counts = { generated: 0, unasked: 0, runs: 0, compared: 0, hung: 0, surprises: 0 };
try {
  const missing = await programsMissing((grounds[0] as Ground).arena, values.tools);
  say({ seed: Number(values.seed), traps: values.traps, missing });
  for (let turn = 0; Date.now() < until; turn += 1) {
    const ground = grounds[turn % grounds.length] as Ground;
    const { arena } = ground;
    const policy = policyFor(arena);
    const batch: Job[] = [];
    const understood: Job[] = [];
    const wanted = values.words ? understood : batch;
    while (wanted.length < Number(values.batch)) {
      const job = randomJob(random, arena.top, values.found);
      counts.generated += 1;
      if (!parseCommand(job.command).ok) continue;
      understood.push(job);
      if (values.words) continue;
      const access = { type: 'command', command: job.command, cwd: join(arena.root, job.folder) } as const;
      if (decide({ tool: 'Bash', access }, policy).behavior === 'allow') batch.push(job);
    }
    const { hung, surprises } = await runBatch(batch, ground, shells, values.tools);
    counts.unasked += batch.length;
    counts.runs += batch.length * shells.length - hung.length;
    counts.hung += hung.length;
    const all = [...surprises];
    // Comparing is cheap, so it includes the commands that need approval.
    for (let at = 0; at < understood.length; at += COMPARED_AT_ONCE) {
      const part = understood.slice(at, at + COMPARED_AT_ONCE);
      const compared = await compareWords(part, policyFor(ground.arena), ground.arena, shells);
      counts.compared += compared.runs;
      all.push(...compared.surprises);
    }
    counts.surprises += all.length;
    for (const surprise of all) say(surprise);
    say(counts);
  }
} finally {
  rmSync(base, { recursive: true, force: true });
}
