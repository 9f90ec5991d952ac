import { expect, test } from 'vitest';
import type { FileCheckpoints } from '../../src/protocol/checkpoints.ts';
import type { PermissionDecision } from '../../src/protocol/permissions.ts';
import type { SandboxState } from '../../src/protocol/sandbox.ts';
import type { ToolOutcome } from '../../src/protocol/tools.ts';
import { calls, fails, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { startAgent } from './testAgent.ts';

test('the log is synced to disk only before calls that may change something', async () => {
  const order: string[] = [];
  const note = (what: string) => async () => {
    order.push(what);
    return ok(what);
  };
  const { ask, context } = await startAgent({
    tools: [
      smallTool('Read', { readOnly: true, run: note('Read') }),
      smallTool('Bash', { run: note('Bash') }),
    ],
    answers: [calls(['a', 'Read'], ['b', 'Bash']), says('Done.')],
  });
  const sync = context.sync.bind(context);
  context.sync = async () => {
    order.push('synced');
    await sync();
  };
  await ask('Go');
  expect(order).toEqual(['Read', 'synced', 'Bash', 'synced']);
});

const on: SandboxState = { type: 'on', mode: 'workspace-write' };
const off: SandboxState = { type: 'off', reason: 'switched off' };

test.each<
  [
    string,
    PermissionDecision['basis'] & string,
    SandboxState,
    NonNullable<ToolOutcome['sandbox']>['mode'],
    string[],
    hiding?: string[],
  ]
>([
  ['a read-only command in the sandbox waits for no sync or scan', 'read-only', on, 'read-only', ['Bash']],
  ['a command with hidden files waits for no sync or scan', 'mode', on, 'read-only', ['Bash'], ['/srv/.env']],
  [
    'a command that may change files waits for the sync and the scans',
    'rule',
    on,
    'workspace-write',
    ['synced', 'scanned', 'Bash', 'captured'],
  ],
  [
    'a command without a sandbox waits for the sync and the scans',
    'read-only',
    off,
    'none',
    ['synced', 'scanned', 'Bash', 'captured'],
  ],
])('%s', async (_, basis, state, mode, expected, hiding) => {
  const order: string[] = [];
  const files: Pick<FileCheckpoints, 'baseline' | 'capture'> = {
    baseline: async () => void order.push('scanned'),
    capture: async () => {
      order.push('captured');
      return { changes: [], notes: [] };
    },
  };
  const { ask, context } = await startAgent({
    tools: [
      smallTool('Bash', {
        access: { type: 'command', command: 'cat a', cwd: '/srv' },
        run: async () => {
          order.push('Bash');
          return { ...ok('ran'), sandbox: { mode } };
        },
      }),
    ],
    answers: [calls(['a', 'Bash']), says('Done.')],
    decide: async () => ({ behavior: 'allow', reason: 'It may.', basis, hiding }),
    sandbox: { state: async () => state },
    files: files as FileCheckpoints,
  });
  const sync = context.sync.bind(context);
  context.sync = async () => {
    if (!order.includes('Bash')) order.push('synced');
    await sync();
  };
  await ask('Go');
  // On a slow machine a scan may also start on its own before the command.
  const isWaitedFor = order.includes('synced');
  expect(order.filter((step) => isWaitedFor || step !== 'scanned')).toEqual(expected);
});

test('a failed turn is synced to disk when it ends', async () => {
  const { ask, context } = await startAgent({
    answers: [fails({ kind: 'auth', message: 'Refused.', retryable: false })],
  });
  const sync = context.sync.bind(context);
  let last: string | undefined;
  context.sync = async () => {
    await sync();
    last = context.entries().at(-1)?.subtype;
  };
  await ask('Go');
  expect(last).toBe('turn_end');
});
