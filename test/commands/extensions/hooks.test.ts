import { expect, test } from 'vitest';
import { hooks } from '../../../src/commands/extensions/hooks.ts';
import { plainText } from '../../../src/commands/pages/page.ts';
import type { HookEvent, HookStatus } from '../../../src/protocol/extensions/hooks.ts';
import type { McpPort } from '../../../src/protocol/extensions/mcp.ts';
import { type RunningProgram, serverRole } from '../../../src/protocol/settingsPrograms.ts';
import { commandHost } from '../commandHost.ts';

const status = (event: HookEvent, command: string, more: Partial<HookStatus> = {}): HookStatus => ({
  ...{ hook: { event, matcher: '', type: 'command', command }, label: command },
  ...{ scope: 'user', source: '~/.clawdcode/config.json', runs: 0 },
  ...more,
});

async function page(all: readonly HookStatus[]): Promise<string> {
  const result = await hooks.run('', commandHost({ hooks: () => all }));
  return result.type === 'page' ? plainText(result.page) : '';
}

test('a hook for several events is listed once, with the last run for each of them', async () => {
  const last = { outcome: 'ok', durationMs: 12 } as HookStatus['last'] & object;
  const all = [
    status('PreToolUse', './log.sh', { last, runs: 3 }),
    status('PreToolUse', './check.sh', { last, runs: 1 }),
    status('PostToolUse', './log.sh'),
    status('Stop', './log.sh', { last: { ...last, outcome: 'failed', problem: 'exit 1' }, runs: 1 }),
    status('Stop', './log.sh', { source: '.claude/settings.json', ignored: 'this folder is not trusted' }),
  ];
  expect(await page(all)).toBe(
    [
      'PreToolUse, PostToolUse, Stop',
      '  ./log.sh',
      '    ~/.clawdcode/config.json',
      '    PreToolUse last: ran · 12 ms · 3 runs',
      '    Stop last: failed: exit 1 · 12 ms',
      '',
      'PreToolUse',
      '  ./check.sh',
      '    ~/.clawdcode/config.json',
      '    last: ran · 12 ms',
      '',
      'Stop',
      '  ./log.sh',
      '    .claude/settings.json',
      '    does not run: this folder is not trusted',
    ].join('\n'),
  );
});

test('unapproved changes are named, and only a clear yes lifts the restrictions', async () => {
  const changes = { since: new Date(2026, 2, 3).getTime(), paths: ['/p/package.json'], hasOthers: true };
  let confirmed = 0;
  const confirm = async (): Promise<void> => void confirmed++;
  const host = commandHost({
    hooks: () => [status('Stop', './log.sh')],
    unapprovedChanges: {
      list: async () => (confirmed === 0 ? changes : undefined),
      begin: async () => ({ changes, confirm }),
      running: async () => [],
    },
  });
  const shown = await hooks.run('', host);
  expect(shown.type === 'page' && plainText(shown.page)).toMatch(
    /^Changes that you were not asked about one by one\n {2}\/p\/package\.json\n {2}and what commands and tools changed since 2026-03-03\n[\s\S]*\/hooks reviewed\.\n\nStop\n/,
  );
  const none = await hooks.run('', { ...host, hooks: () => [] });
  expect(none.type === 'page' && plainText(none.page)).toMatch(/\n\nNo hooks\. Define them/);
  const asked = await hooks.run('reviewed', host);
  if (asked.type !== 'dialog' || asked.dialog !== 'confirm') throw new Error('no question');
  expect(plainText(asked.page)).toContain('/p/package.json');
  await asked.question.answer(false);
  expect(confirmed).toBe(0);
  await asked.question.answer(true);
  expect(confirmed).toBe(1);
  expect(hooks.needsUser?.('reviewed')).toBeDefined();
  expect(hooks.needsUser?.('')).toBeUndefined();
});

test('without such changes there is nothing to review, and a review that cannot be stored says so', async () => {
  expect(await hooks.run('reviewed', commandHost())).toMatchObject({
    type: 'notice',
    text: expect.stringMatching(/^No files/),
  });
  const begin = () => Promise.reject(new Error('the disk is full.'));
  const host = commandHost({
    unapprovedChanges: { list: async () => undefined, begin, running: async () => [] },
  });
  const text = 'The review cannot be stored: the disk is full.';
  expect(await hooks.run('reviewed', host)).toEqual({ type: 'notice', level: 'error', text });
});

test('running tasks that may change files prevent a review; MCP servers restart for it', async () => {
  const changes = { paths: ['/p/package.json'], hasOthers: false };
  const steps: string[] = [];
  let running: RunningProgram[] = [{ command: 'sleep 9; make' }];
  const mcp = {
    status: () => [{ name: 'docs' }, { name: 'web' }],
    async setEnabled(name: string, isEnabled: boolean) {
      steps.push(`${name} ${isEnabled ? 'on' : 'off'}`);
      running = running.filter(({ role }) => role !== serverRole(name));
    },
  } as unknown as McpPort;
  const host = commandHost({
    mcp,
    unapprovedChanges: {
      list: async () => (steps.includes('confirmed') ? undefined : changes),
      begin: async () => ({ changes, confirm: async () => void steps.push('confirmed') }),
      running: async () => running,
    },
  });
  const refused = /^1 program is still running and may change more: sleep 9; make\. Stop it \(Esc, \/tasks\)/;
  expect(await hooks.run('reviewed', host)).toMatchObject({ text: expect.stringMatching(refused) });
  running = [{ role: serverRole('docs'), command: './server' }];
  const asked = await hooks.run('reviewed', host);
  if (asked.type !== 'dialog' || asked.dialog !== 'confirm') throw new Error('no question');
  // Started while the user reads.
  running.push({ command: 'sleep 9; make' });
  expect(await asked.question.answer(true)).toMatchObject({ text: expect.stringMatching(refused) });
  expect(steps).toEqual(['docs off', 'docs on']);
  running = [{ role: serverRole('docs'), command: './server' }];
  expect(await asked.question.answer(true)).toMatchObject({ text: expect.stringMatching(/outside/) });
  expect(steps.slice(2)).toEqual(['docs off', 'confirmed', 'docs on']);
});

test('with ask, the next start asks again about a folder that is not trusted', async () => {
  let asked = 0;
  const askAboutFolder = async () => {
    asked += 1;
  };
  const trusted = commandHost({ askAboutFolder });
  expect(await hooks.run('ask', trusted)).toMatchObject({
    text: expect.stringMatching(/^You trust this folder/),
  });
  expect(asked).toBe(0);
  const status = () => ({ ...trusted.status(), trusted: false });
  expect(await hooks.run('ask', commandHost({ askAboutFolder, status }))).toMatchObject({
    text: expect.stringMatching(/^The next start here asks/),
  });
  expect(asked).toBe(1);
  const fails = commandHost({ status, askAboutFolder: () => Promise.reject(new Error('the disk is full.')) });
  expect(await hooks.run('ask', fails)).toMatchObject({ text: 'This cannot be stored: the disk is full.' });
  expect(await hooks.run('x', fails)).toMatchObject({ level: 'error' });
});
