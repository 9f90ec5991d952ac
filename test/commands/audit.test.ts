import { expect, test } from 'vitest';
import {
  auditPage,
  auditRow,
  createGapCounter,
  incompleteness,
  isNotable,
} from '../../src/commands/pages/auditPage.ts';
import { plainText } from '../../src/commands/pages/page.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';

function result(seq: number, toolResult: Partial<NonNullable<JSONLEntry['toolResult']>>): JSONLEntry {
  return {
    ...{
      v: 1,
      seq,
      uuid: `u${seq}`,
      parentUuid: null,
      sessionId: 's',
      timestamp: '2026-01-02T03:04:05.678Z',
    },
    ...{ type: 'tool_result', cwd: '/p', version: '1', message: { role: 'user', content: '' } },
    toolResult: { id: `c${seq}`, output: '', status: 'ok', ...toolResult },
  };
}

const entries: readonly JSONLEntry[] = [
  result(1, { name: 'Read', display: { title: 'a.ts' }, permission: { basis: 'read-only' } }),
  result(2, {
    name: 'Bash',
    display: { title: 'npm install' },
    permission: { basis: 'user', reason: 'No rule allows npm install.' },
    sandbox: { mode: 'workspace-write', hosts: ['registry.example:443'], refusedHosts: ['evil.example:80'] },
    filesChanged: [{ path: '/p/package-lock.json', kind: 'created' }],
  }),
  result(3, {
    name: 'Bash',
    status: 'denied',
    display: { title: 'rm -rf x' },
    permission: {
      basis: 'rule',
      reason: 'Rule Bash(rm:*).',
      rule: { text: 'Bash(rm:*)', source: '.clawdcode.json' },
    },
  }),
  result(4, { name: 'Edit', display: { title: 'old session' } }),
  { ...result(5, {}), subtype: 'shell', toolResult: undefined, data: { command: 'make' } } as JSONLEntry,
  { ...result(6, {}), type: 'assistant', toolResult: undefined } as JSONLEntry,
  result(7, {
    name: 'Edit',
    display: { title: 'b.ts' },
    permission: { basis: 'judge', reason: 'Allowed by auto: it is the fix.' },
  }),
];

test('every call is listed with what let it run, its sandbox, its hosts and its files', () => {
  const rows = entries.flatMap((entry) => auditRow(entry) ?? []);
  const shown = rows.filter(isNotable);
  expect(rows.length - shown.length).toBe(1);
  expect(plainText(auditPage(shown, 1))).toBe(
    [
      '5 calls. 1 that only looked is left out.',
      '#2     2026-01-02 03:04:05  ran  Bash  npm install',
      '       you approved it: No rule allows npm install.',
      '       sandbox: workspace-write',
      '       reached: registry.example:443',
      '       refused: evil.example:80',
      '       created /p/package-lock.json',
      '#3     2026-01-02 03:04:05  denied  Bash  rm -rf x',
      '       by rule Bash(rm:*) (.clawdcode.json)',
      '#4     2026-01-02 03:04:05  ran  Edit  old session',
      '#5     2026-01-02 03:04:05  ran  !  make',
      '       typed by you',
      '#7     2026-01-02 03:04:05  ran  Edit  b.ts',
      '       by the judge of the mode auto · Allowed by auto: it is the fix.',
    ].join('\n'),
  );
});

test('a page of a log with gaps says so first', () => {
  const gaps = createGapCounter();
  for (const seq of [0, 1, 1, 4, 5, 3, 9]) gaps.see(seq);
  expect(gaps.missing()).toBe(5);
  const page = plainText(auditPage([], 0, incompleteness(gaps.missing(), 0)));
  expect(page).toMatch(/^0 calls\.\nThis log is incomplete: 5 entries are missing\./);
  expect(incompleteness(0, 0)).toBeUndefined();
});
