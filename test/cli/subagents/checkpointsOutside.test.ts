import { expect, test } from 'vitest';
import type { CheckpointKeeper } from '../../../src/agent/checkpoints.ts';
import { checkpointsOutside } from '../../../src/cli/subagents/checkpointsOutside.ts';
import type { Access } from '../../../src/protocol/permissions.ts';
import type { CommandRequest, CommandSandbox, Confinement } from '../../../src/protocol/sandbox.ts';

const changes = { filesChanged: [], drafts: [] };
const { signal } = new AbortController();

/** In `/w`, in a sandbox that `cp` may leave. `seen`: what reaches the keeper and what starts, in order. */
function workIn(sharesFolders = false) {
  const seen: unknown[] = [];
  let running: readonly string[] = [];
  let followed: () => readonly string[] = () => [];
  const keeper: CheckpointKeeper = {
    scan: () => {},
    scanSoon: () => {},
    handleEvent: () => {},
    settled: async () => {},
    keep: async () => undefined,
    cancel: () => {},
    soFar: async () => [],
    before: async (one) => void seen.push(['before', one]),
    after: async (_id, _cause, one) => {
      seen.push(['after', one]);
      return changes;
    },
    lend: () => keeper,
    alone: (work) => work(),
    close: async () => {},
  };
  const confined = (isConfined: boolean) => ({ isConfined }) as Confinement;
  const sandbox = {
    confine: async ({ command }: CommandRequest) => confined(!command.startsWith('cp')),
    outside: () => confined(false),
  } as unknown as CommandSandbox;
  const lend = (one: () => readonly string[]): CheckpointKeeper => {
    followed = one;
    return keeper;
  };
  const place = checkpointsOutside(lend, sandbox, {
    isApart: (path) => path.startsWith('/w/'),
    sharesFolders: () => sharesFolders,
    running: () => running,
  });
  let calls = 0;
  const run = async (access: Access, ...programs: readonly (readonly ['confine' | 'outside', string])[]) => {
    await place.checkpoints.before(access, signal);
    for (const [how, command] of programs) {
      await place.sandbox[how]({ command } as CommandRequest, 'approved');
      seen.push(command);
    }
    calls += 1;
    await place.checkpoints.after(`c${calls}`, 'call', access, signal);
    return seen.splice(0);
  };
  /** Those of the running calls that the keeper knows. */
  const followedOf = (...callIds: readonly string[]): readonly string[] => {
    running = callIds;
    return followed();
  };
  return { run, followedOf };
}

const line = (command: string): Access => ({ type: 'command', command, cwd: '/w' });

test('writes in the worktree are left out, and of several files, only those in the project are recorded', async () => {
  const { run } = workIn();
  expect(await run({ type: 'write', paths: ['/w/a'] })).toEqual([]);
  const rest = { type: 'write', paths: ['/p/a'] };
  expect(await run({ type: 'write', paths: ['/w/a', '/p/a'] })).toEqual([
    ['before', rest],
    ['after', rest],
  ]);
});

test('a command that runs unconfined is recorded from before it starts, each on its own', async () => {
  const { run } = workIn();
  const make = line('make');
  expect(await run(make, ['confine', 'make'])).toEqual(['make']);
  const copy = line('cp a /p/a');
  expect(await run(copy, ['confine', 'cp a /p/a'])).toEqual([['before', copy], 'cp a /p/a', ['after', copy]]);
  expect(await run(make, ['confine', 'make'])).toEqual(['make']);
});

test('a command that runs outside after the sandbox blocked it is recorded too, and a line with one unconfined part', async () => {
  const { run } = workIn();
  const make = line('make');
  expect(await run(make, ['confine', 'make'], ['outside', 'make'])).toEqual([
    'make',
    ['before', make],
    'make',
    ['after', make],
  ]);
  const both = line('ls && cp a b && cp c d');
  expect(await run(both, ['confine', 'ls'], ['confine', 'cp a b'], ['confine', 'cp c d'])).toEqual([
    'ls',
    ['before', both],
    'cp a b',
    'cp c d',
    ['after', both],
  ]);
});

test('a confined command is recorded if it may write to folders that the user has added', async () => {
  const { run } = workIn(true);
  const make = line('make');
  expect(await run(make, ['confine', 'make'])).toEqual([['before', make], 'make', ['after', make]]);
});

test('recorded background commands are followed as long as they run, others are not', async () => {
  const { run, followedOf } = workIn();
  await run(line('make'), ['confine', 'make']);
  await run(line('cp a /p/a'), ['confine', 'cp a /p/a']);
  await run(line('make'), ['confine', 'make']);
  expect(followedOf('c1', 'c2', 'c3')).toEqual(['c2']);
  expect(followedOf('c1', 'c3')).toEqual([]);
});
