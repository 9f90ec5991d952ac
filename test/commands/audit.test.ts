import { expect, test } from 'vitest';
import {
  type AuditRow,
  auditPage,
  createAuditReader,
  createGapCounter,
  incompleteness,
  isNotable,
} from '../../src/commands/pages/auditPage.ts';
import { plainText } from '../../src/commands/pages/page.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { madeUpEntry } from '../madeUpEntry.ts';

function result(seq: number, toolResult: Partial<NonNullable<JSONLEntry['toolResult']>>): JSONLEntry {
  return {
    ...{
      v: 1,
      seq,
      uuid: `u${seq}`,
      parentUuid: null,
      sessionId: 's',
      timestamp: new Date(2026, 0, 2, 3, 4, 5, 678).toISOString(),
    },
    ...{ type: 'tool_result', cwd: '/p', version: '1', message: { role: 'user', content: '' } },
    toolResult: { id: `c${seq}`, output: '', status: 'ok', ...toolResult },
  };
}

function asked(seq: number, id: string, name: string, input: unknown): JSONLEntry {
  return madeUpEntry({
    ...result(seq, {}),
    type: 'tool_use',
    toolResult: undefined,
    tool: { id, name, input },
  });
}

/** The row of each entry, and of each call that has no result. */
function rowsOf(log: readonly JSONLEntry[]): readonly AuditRow[] {
  const reader = createAuditReader();
  return [...log.flatMap((entry) => reader.see(entry)), ...reader.rest()];
}

const reply = (seq: number): JSONLEntry =>
  madeUpEntry({ ...result(seq, {}), type: 'assistant', toolResult: undefined });

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

test('every call is listed with the reason it ran, its sandbox, its hosts and its files', () => {
  const rows = rowsOf(entries);
  const shown = rows.filter(isNotable);
  expect(rows.length - shown.length).toBe(1);
  expect(plainText(auditPage(shown, 1))).toBe(
    [
      '5 calls. 1 read-only call is left out.',
      '#2     2026-01-02 03:04:05  ran  Bash  npm install',
      '       you approved it · why it asked: No rule allows npm install.',
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

test('a call without a result is listed, wherever it is in the log', () => {
  const rows = rowsOf([
    reply(1),
    asked(2, 'a', 'Bash', { command: 'make deploy' }),
    asked(3, 'b', 'Edit', { file_path: '/p/x.ts' }),
    result(4, { id: 'b', name: 'Edit', display: { title: 'x.ts' } }),
    // Some servers count the calls of each reply from one.
    reply(5),
    asked(6, 'a', 'WebFetch', { url: 'https://x.example/' }),
  ]);
  expect(rows.map(({ seq, tool, title, verdict }) => [seq, tool, title, verdict])).toEqual([
    [4, 'Edit', 'x.ts', 'ran'],
    [2, 'Bash', 'make deploy', 'unfinished'],
    [6, 'WebFetch', 'https://x.example/', 'unfinished'],
  ]);
  expect(rows.every(isNotable)).toBe(true);
  expect(plainText(auditPage(rows, 0))).toContain(
    '#2     2026-01-02 03:04:05  unfinished  Bash  make deploy\n       It has no result: it may have run',
  );
});

test('a user’s command without an end is listed, and one with an end is listed once', () => {
  const typed = (seq: number, subtype: string, command: string): JSONLEntry =>
    ({ ...result(seq, {}), type: 'system', subtype, toolResult: undefined, data: { command } }) as JSONLEntry;
  const rows = rowsOf([
    typed(1, 'shell_start', 'make'),
    typed(2, 'shell', 'make'),
    typed(3, 'shell_start', 'make deploy'),
    typed(4, 'shell_start', 'make clean'),
    reply(5),
  ]);
  expect(rows.map(({ seq, tool, title, verdict, basis }) => [seq, tool, title, verdict, basis])).toEqual([
    [2, '!', 'make', 'ran', 'own'],
    [3, '!', 'make deploy', 'unfinished', 'own'],
    [4, '!', 'make clean', 'unfinished', 'own'],
  ]);
});

test('a call that a resume closed keeps what it was', () => {
  const closed = { id: 'a', name: 'Bash', status: 'interrupted', display: { title: 'Bash' } } as const;
  const [row] = rowsOf([asked(1, 'a', 'Bash', { command: 'rm -rf build' }), result(2, closed)]);
  expect(row).toMatchObject({ verdict: 'interrupted', title: 'rm -rf build', command: 'rm -rf build' });
});

test('a command is shown line by line, and a long one from both ends', () => {
  const command = ['cat <<EOF', '  first', '\u001b[2Jlast', 'EOF'].join('\n');
  const [row] = rowsOf([
    asked(1, 'a', 'Bash', { command }),
    result(2, { id: 'a', name: 'Bash', display: { title: 'cat <<EOF … (+3 lines)' } }),
  ]);
  expect(row?.command).toBe(command);
  expect(plainText(auditPage(row === undefined ? [] : [row], 0))).toContain(
    'Bash  cat <<EOF\n       │   first\n       │ ‹U+001B›[2Jlast\n       │ EOF',
  );

  const long = Array.from({ length: 300 }, (_, index) => `echo ${index}`).join('\n');
  const wide = `: ${'x'.repeat(9000)}; rm -rf ~`;
  const page = plainText(
    auditPage(
      rowsOf([asked(1, 'a', 'Bash', { command: long }), asked(2, 'b', 'Bash', { command: wide })]),
      0,
    ),
  );
  expect(page).toContain('echo 9\n       │ … 280 more lines; clawdcode session audit --json shows them …');
  expect(page).toContain('echo 299');
  expect(page).toMatch(/x … \d+ more characters … x+; rm -rf ~/);
});

test('the end of a background task names the hosts that it reached', () => {
  const data = {
    ...{ id: 'b1', command: 'npm run dev\nexit 1', code: 1 },
    sandbox: { mode: 'workspace-write', hosts: ['a.example:443'], refusedHosts: ['b.example:80'] },
  };
  const message = {
    role: 'system',
    content: 'Background task b1 ended with exit code 1 after 3 s.',
  } as const;
  const ended = madeUpEntry({
    ...result(9, {}),
    ...{ type: 'system', subtype: 'task', toolResult: undefined, message, data },
  });
  expect(plainText(auditPage(rowsOf([ended]), 0))).toContain(
    [
      '#9     2026-01-02 03:04:05  failed  task b1  npm run dev',
      '       │ exit 1',
      '       Background task b1 ended with exit code 1 after 3 s.',
      '       sandbox: workspace-write',
      '       reached: a.example:443',
      '       refused: b.example:80',
    ].join('\n'),
  );
});

test('a search names the files that were hidden from it', () => {
  const permission = { basis: 'read-only', hiding: ['/p/.env', '/p/server.key'] } as const;
  const rows = rowsOf([
    result(1, {
      name: 'Bash',
      display: { title: 'grep -r x .' },
      permission: { ...permission, hiding: [...permission.hiding] },
    }),
  ]);
  expect(plainText(auditPage(rows, 0, undefined))).toContain('hidden from it: /p/.env, /p/server.key');
});
