/**
 * `npm run bench:sandbox`: what the sandbox costs a command, side by side in one run. Each round runs the same command
 * without it, in it with a network, there as a git command, and in it as a command that only looks; the table has medians
 * and what is added.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Grant } from '../../src/protocol/permissions.ts';
import { createCommandSandbox } from '../../src/sandbox/Sandbox.ts';
import { programNames } from '../../src/sandbox/temporary/temporaryNames.ts';
import { EarlyProcess } from '../../src/tools/shell/EarlyProcess.ts';
import { OutputPipes } from '../../src/tools/shell/OutputPipes.ts';
import { SCRATCH_NAME } from '../../src/tools/shell/scratch.ts';
import { startCommand } from '../../src/tools/shell/startCommand.ts';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '60' } } });
const rounds = Number.parseInt(values.rounds, 10);

const base = realpathSync(mkdtempSync(join(tmpdir(), 'clawdcode-bench-sandbox-')));
const [root, home] = [join(base, 'home/project'), join(base, 'home')];
for (const folder of ['.git/hooks', 'src']) mkdirSync(join(root, folder), { recursive: true });
const { PATH = '' } = process.env;
const env = { PATH, HOME: home };
/** Stands for a git command: it takes no time itself. */
const GIT = ': git';

const sandbox = createCommandSandbox({
  ...{ mode: 'workspace-write', enabled: true, platform: process.platform, machine: process.arch },
  ...{ path: PATH, node: process.execPath, caches: {}, allowUnixSockets: false },
  places: () => ({
    ...{
      workspace: [root],
      home,
      env: {},
      dataRoot: join(home, '.clawdcode'),
      ownDirectories: [],
      temporary: [tmpdir()],
    },
    ...{
      allowWrite: [],
      denyRead: [],
      allowRead: [],
      isReadOnlyForCommands: () => false,
      isSensitive: () => false,
    },
  }),
  gitNotes: join(home, '.clawdcode/sandbox/git'),
  repositoryNotes: join(home, '.clawdcode/sandbox/repositories.json'),
  secretNotes: join(home, '.clawdcode/sandbox/secrets.json'),
  emptyFile: join(home, '.clawdcode/sandbox/empty'),
  setAsideNotes: join(home, '.clawdcode/sandbox/set-aside'),
  commandNotes: join(home, '.clawdcode/sandbox/commands'),
  temporary: { parentName: SCRATCH_NAME, isOfProgram: programNames({}) },
  scratchParent: (scratch) => dirname(scratch),
  environment: { granted: [], isToken: () => false },
  network: {
    verdict: () => 'deny',
    resolve: async () => [],
    localPorts: [],
    forwardPorts: true,
    reservedPorts: () => [],
  },
  limits: { memoryBytes: 2 ** 32, processes: 2048 },
  isBinding: false,
  isExcluded: () => false,
  gitUse: (command) =>
    command === GIT ? { type: 'only', folders: ['/'], isForeign: false } : { type: 'none' },
  steps: async (command) => [{ command, isConditional: false }],
  replacesPackages: () => false,
  gitRunsPrograms: () => false,
});

const pipes = new OutputPipes();
const early = new EarlyProcess(pipes);
const state = await sandbox.state();
if (state.type !== 'on') {
  console.log(`There is no sandbox here: ${state.reason}.`);
  process.exit(1);
}

async function timed(basis: Grant['basis'], command: string): Promise<number> {
  const startedAt = performance.now();
  const run = await startCommand(
    {
      ...{
        shell: '/bin/bash',
        command,
        cwd: root,
        env,
        ownPath: process.env.PATH ?? '',
        onChunk: () => undefined,
      },
      confine: (scratch) => sandbox.confine({ command, cwd: root, grant: { basis }, env, scratch }),
    },
    pipes,
    early,
  );
  await run.finished;
  const ms = performance.now() - startedAt;
  await run.release();
  return ms;
}

const kinds: readonly (readonly [string, Grant['basis'], string])[] = [
  ['without a sandbox', 'own', ':'],
  ['allowed by the user', 'user', ':'],
  ['the same, as a git command', 'user', GIT],
  ['read-only', 'read-only', ':'],
];
// The first of each pays for what is made once for a session.
const first = new Map<string, number>();
for (const [name, basis, command] of kinds) first.set(name, await timed(basis, command));
const times = new Map(kinds.map(([name]) => [name, [] as number[]]));
for (let round = 0; round < rounds; round++)
  for (const [name, basis, command] of kinds) times.get(name)?.push(await timed(basis, command));
sandbox.dispose();
early.dispose();
await pipes.dispose();
rmSync(base, { recursive: true, force: true });

const at = (name: string, share: number): number =>
  times.get(name)?.sort((a, b) => a - b)[Math.floor(rounds * share)] ?? Number.NaN;
const bare = at('without a sandbox', 0.5);
console.log(
  `| ${rounds} rounds | median ms | added ms | 90 % ms | first ms |\n| --- | ---: | ---: | ---: | ---: |`,
);
for (const [name] of kinds) {
  const median = at(name, 0.5);
  const shown = [median, median - bare, at(name, 0.9), first.get(name) ?? Number.NaN].map((ms) =>
    ms.toFixed(1),
  );
  console.log(`| ${name} | ${shown.join(' | ')} |`);
}
