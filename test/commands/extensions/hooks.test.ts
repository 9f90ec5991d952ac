import { expect, test } from 'vitest';
import { hooks } from '../../../src/commands/extensions/hooks.ts';
import { plainText } from '../../../src/commands/pages/page.ts';
import type { HookEvent, HookStatus } from '../../../src/protocol/extensions/hooks.ts';
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

test('a hook of several events is listed once, with the last run for each of them', async () => {
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
