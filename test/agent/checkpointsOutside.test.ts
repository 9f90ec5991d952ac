import { expect, test } from 'vitest';
import type { CheckpointKeeper } from '../../src/agent/checkpoints.ts';
import { checkpointsOutside } from '../../src/cli/subagents/subagentPort.ts';
import type { Access } from '../../src/protocol/permissions.ts';

const changes = { filesChanged: [], drafts: [] };

/** What reaches the keeper when a call with this access runs in `/w`. */
async function reaching(access: Access, isConfined: boolean): Promise<readonly Access[]> {
  const seen: Access[] = [];
  const keeper: CheckpointKeeper = {
    scan: () => {},
    scanSoon: () => {},
    handleEvent: () => {},
    settled: async () => {},
    before: async (one) => void seen.push(one),
    after: async (_id, _cause, one) => {
      seen.push(one);
      return changes;
    },
    lend: () => keeper,
    alone: (work) => work(),
    close: async () => {},
  };
  const outside = checkpointsOutside(keeper, {
    isApart: (path) => path.startsWith('/w/'),
    isConfined: async () => isConfined,
  });
  const { signal } = new AbortController();
  await outside.before(access, signal);
  await outside.after('c1', 'call', access, signal);
  return seen;
}

test('writes in the worktree are left out; of several files, only those in the project are recorded', async () => {
  expect(await reaching({ type: 'write', paths: ['/w/a'] }, true)).toEqual([]);
  const rest = { type: 'write', paths: ['/p/a'] };
  expect(await reaching({ type: 'write', paths: ['/w/a', '/p/a'] }, true)).toEqual([rest, rest]);
});

test('a command triggers a scan only if it could change the project', async () => {
  const command: Access = { type: 'command', command: 'make', cwd: '/w' };
  expect(await reaching(command, true)).toEqual([]);
  expect(await reaching(command, false)).toEqual([command, command]);
});
