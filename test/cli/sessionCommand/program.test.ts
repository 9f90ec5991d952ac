import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sessionVerbs } from '../../../src/cli/route.ts';
import { createSessionProgram } from '../../../src/cli/sessionCommand/program.ts';
import type { SearchHit } from '../../../src/protocol/sessions.ts';
import { type Outcome, runWith } from './ports.ts';
import { record } from './records.ts';

const hostile = 'Fix\u001b[2J \u001b]0;owned\u0007the\u202e login\nnow';
const sessions = [
  record({
    id: 'aaaaaaaa1',
    title: 'Fix the login',
    costUsd: 0.5,
    updatedAt: new Date('2025-03-03T11:50:00Z'),
  }),
  record({ id: 'aaaaaaaa2', title: hostile, gitBranch: 'feature/日本' }),
  record({ id: 'zip', title: 'Old one', isArchived: true, file: '/data/projects/here/archive/zip.jsonl.gz' }),
  record({ id: 'far', title: 'Far away', project: 'other', root: '/elsewhere', isMoved: true }),
];
const hit = (given: Partial<SearchHit> = {}): SearchHit => ({
  session: sessions[0] ?? record(),
  seq: 7,
  timestamp: new Date('2025-03-03T11:00:00Z'),
  who: 'you',
  snippet: 'why is the login slow',
  marks: [[11, 16]],
  ...given,
});
const runs = (...argv: string[]): Promise<Outcome> => runWith(argv, { sessions });

describe('list', () => {
  test('is the default, for this project, and safe for the terminal', async () => {
    const { code, stdout, stderr } = await runWith([], { sessions, isTerminal: true, width: 120 });
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(
      [
        'ID         LAST USED      SIZE  TOKENS   COST  BRANCH                  TITLE',
        'aaaaaaaa1  10 min ago  12.3 kB    1.2k  $0.50  main                    Fix the login',
        'aaaaaaaa2  yesterday   12.3 kB    1.2k         feature/日本            Fix the‹U+202E› login now',
        'zip        yesterday   12.3 kB    1.2k         main          archived  Old one',
        '',
      ].join('\n'),
    );
  });

  test('a program gets full ids, times and titles, however narrow the terminal', async () => {
    const title = 'long '.repeat(60).trim();
    const { stdout } = await runWith(['list'], { sessions: [record({ title })], width: 20 });
    const [, time = ''] = / {2}(\d{4}-\S+) {2}/.exec(stdout) ?? [];
    expect(time).toMatch(/^2025-03-0\dT\d\d:\d\d:00[+-]\d\d:\d\d$/);
    expect(new Date(time)).toEqual(new Date('2025-03-02T10:00:00Z'));
    expect(stdout).toContain(title);
  });

  test('with little space, title and age take precedence', async () => {
    const { stdout } = await runWith([], { sessions, isTerminal: true, width: 66 });
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'ID         LAST USED             TITLE',
      'aaaaaaaa1  10 min ago            Fix the login',
    ]);
  });

  test.each([20, 40, 80, 200])('at %i columns only the title is cut', async (width) => {
    const title = 'long '.repeat(60).trim();
    const { stdout } = await runWith([], { sessions: [record({ title })], isTerminal: true, width });
    const [head = '', line = ''] = stdout.split('\n');
    expect(line.length).toBeLessThanOrEqual(Math.max(width, head.indexOf('TITLE') + 12));
    expect(line).toContain('long');
    expect(line.endsWith('…')).toBe(true);
  });

  test('--all names the projects, --active omits archived sessions, --filter and --limit select', async () => {
    expect((await runs('list', '--all')).stdout).toMatch(/PROJECT[\s\S]*\/elsewhere +moved +Far away/);
    expect((await runs('--active')).stdout).not.toContain('Old one');
    expect((await runs('list', '--filter', 'Old')).stdout).not.toContain('Fix');
    expect((await runs('-n', '1')).stdout.trimEnd().split('\n')).toHaveLength(2);
  });

  test('--json prints one array with all known facts', async () => {
    const { stdout } = await runs('list', '--all', '--json');
    const list = JSON.parse(stdout) as Record<string, unknown>[];
    expect(list.map(({ id }) => id)).toEqual(['aaaaaaaa1', 'aaaaaaaa2', 'zip', 'far']);
    expect(list[0]).toEqual({
      id: 'aaaaaaaa1',
      file: '/data/projects/here/abc.jsonl',
      project: 'here',
      root: '/repo',
      isMoved: false,
      title: 'Fix the login',
      titleSource: 'prompt',
      createdAt: '2025-03-01T10:00:00.000Z',
      updatedAt: '2025-03-03T11:50:00.000Z',
      bytes: 12_345,
      gitBranch: 'main',
      messageCount: 12,
      promptCount: 2,
      model: 'mock-1',
      inputTokens: 1000,
      outputTokens: 200,
      costUsd: 0.5,
      isArchived: false,
      isPartial: false,
      lastLines: [],
    });
    expect(list[1]?.title).toBe(hostile);
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  });

  test('a terminal gets the newest 50 sessions, a program all of them', async () => {
    const many = Array.from({ length: 120 }, (_, index) => record({ id: `id${index}` }));
    const rows = ({ stdout }: Outcome): number => stdout.trimEnd().split('\n').length - 1;
    const shown = await runWith([], { sessions: many, isTerminal: true });
    expect([rows(shown), shown.stderr]).toEqual([50, expect.stringContaining('and 70 more: --limit 120')]);
    expect(rows(await runWith(['-n', '120'], { sessions: many, isTerminal: true }))).toBe(120);
    expect(rows(await runWith([], { sessions: many }))).toBe(120);
  });

  test('incomplete counts are noted next to the list', async () => {
    const { stdout, stderr } = await runWith(['--json'], { sessions, isComplete: false });
    expect(JSON.parse(stdout)).toHaveLength(3);
    expect(stderr).toContain('may be too low');
  });

  test('an empty list is reported and is not an error', async () => {
    expect(await runWith([], {})).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'There are no sessions in this project; --all searches every project.\n',
    });
    expect(JSON.parse((await runWith(['--json'], {})).stdout)).toEqual([]);
  });
});

test.each([
  [['abc'], 8],
  [['aaaaaaaa1', 'aaaaaaaa2', 'b'], 9],
  [['same', 'same'], 8],
  [['0123456789abc', '0123456789abd'], 13],
])('of ids that start with %j a terminal shows %i characters', async (starts, length) => {
  const ids = starts.map((start) => `${start}-and-the-rest`);
  const { stdout } = await runWith([], { sessions: ids.map((id) => record({ id })), isTerminal: true });
  for (const id of ids) {
    expect(stdout).toContain(id.slice(0, length));
    expect(stdout).not.toContain(id.slice(0, length + 1));
  }
});

describe('search', () => {
  test('prints hits by session and how to open them', async () => {
    const hits = [
      hit(),
      hit({ session: sessions[2] ?? record() }),
      hit({ seq: 9, who: 'Bash', snippet: 'login\u001b[31m ok', marks: [[0, 5]] }),
    ];
    const { code, stdout, stderr, done } = await runWith(['search', 'login', 'slow'], {
      sessions,
      hits,
      isTerminal: true,
    });
    expect([code, done]).toEqual([0, ['search login slow']]);
    expect(stdout).toBe(
      [
        'aaaaaaaa1  Fix the login  10 min ago',
        '  #7 you: why is the login slow',
        '  #9 Bash: login ok',
        '',
        'zip  Old one  yesterday · archived',
        '  #7 you: why is the login slow',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe(
      'Read on: clawdcode session show aaaaaaaa1 --from 7 · resume: clawdcode --resume aaaaaaaa1\n',
    );
  });

  test('--json has the hits with short session records', async () => {
    const { stdout } = await runWith(['search', 'login', '--json'], { sessions, hits: [hit()] });
    expect(JSON.parse(stdout)).toEqual([
      {
        session: {
          id: 'aaaaaaaa1',
          title: 'Fix the login',
          project: 'here',
          root: '/repo',
          isArchived: false,
        },
        seq: 7,
        who: 'you',
        snippet: 'why is the login slow',
        marks: [[11, 16]],
        timestamp: '2025-03-03T11:00:00.000Z',
      },
    ]);
  });

  test('finding nothing is not an error; by default only this project is searched', async () => {
    const hits = [hit({ session: sessions[3] ?? record() })];
    expect(await runWith(['search', 'x'], { hits })).toMatchObject({ code: 0, stdout: '' });
    expect((await runWith(['search', 'x', '--all'], { hits })).stdout).toContain('Far away');
  });
});

describe('changes', () => {
  test('rename joins its arguments to one title on one line', async () => {
    const { code, done, stdout } = await runs('rename', 'zip', 'The', '  old \n one ');
    expect([code, done]).toEqual([0, ['rename zip to The old one']]);
    expect(stdout).toBe('Session zip is now called "The old one".\n');
    expect((await runs('rename', 'zip', '  ')).code).toBe(42);
  });

  test('fork prints only the new id', async () => {
    expect(await runs('fork', 'Fix the login')).toMatchObject({
      code: 0,
      stdout: 'new1\n',
      stderr: '',
      done: ['fork aaaaaaaa1 at undefined'],
    });
    expect((await runs('fork', 'zip', '--at', '#3')).done).toEqual(['fork zip at 3']);
    expect(JSON.parse((await runs('fork', 'zip', '--json')).stdout)).toEqual({
      id: 'new1',
      forkedFrom: 'zip',
    });
    expect(await runs('fork', 'zip', '--at', '99')).toMatchObject({ code: 42, stdout: '' });
  });

  test('archive and unarchive are idempotent', async () => {
    expect((await runs('archive', 'Fix the login')).done).toEqual(['archive aaaaaaaa1']);
    expect((await runs('archive', 'Fix the login')).stdout).toContain('12.3 kB → 1.2 kB');
    expect(await runs('archive', 'zip')).toMatchObject({ code: 0, done: [] });
    expect((await runs('unarchive', 'zip')).done).toEqual(['unarchive zip']);
    expect(await runs('unarchive', 'aaaaaaaa1')).toMatchObject({ code: 0, done: [] });
  });

  test('delete asks for confirmation, and only yes deletes', async () => {
    const yes = await runWith(['delete', 'zip'], { sessions, answer: true });
    expect(yes.asked).toEqual(['Delete session zip "Old one" (12.3 kB, 12 entries) permanently?']);
    expect([yes.code, yes.done]).toEqual([0, ['delete zip']]);
    expect(yes.stdout).toBe('Session zip is deleted; freed 50 kB.\n');
    expect(await runWith(['delete', 'zip'], { sessions, answer: false })).toMatchObject({
      code: 1,
      done: [],
    });
  });

  test('delete without a terminal needs --yes', async () => {
    const refused = await runs('delete', 'zip');
    expect([refused.code, refused.done]).toEqual([42, []]);
    expect(refused.stderr).toMatch(
      /Cannot ask for confirmation here: add --yes to delete .*\. Nothing was deleted\./,
    );
    expect(await runs('delete', 'zip', '--yes')).toMatchObject({ code: 0, done: ['delete zip'], asked: [] });
  });
});

describe('bad input exits with 42 and a suggestion', () => {
  test.each<[string[], RegExp]>([
    [['show', 'nothing'], /There is no session "nothing".*session list --all/],
    [['show', 'aaaaaaaa'], /"aaaaaaaa" matches 2 sessions[\s\S]*aaaaaaaa1 {2}Fix the login {2}\d+ \w+ ago\n/],
    [['show'], /missing required argument 'session'/],
    [['show', 'zip', '--from', 'x'], /'x' is invalid. It must be a whole number\./],
    [['show', 'zip', '--tail', '0'], /above 0/],
    [['list', '--limit', '-4'], /'-4' is invalid. It must be a whole number above 0\./],
    [['list', '--josn'], /unknown option '--josn'[\s\S]*--json/],
    [['list', 'is', 'broken'], /too many arguments/],
    [['search'], /missing required argument 'words'/],
  ])('%j', async (argv, reason) => {
    const { code, stdout, stderr } = await runs(...argv);
    expect([code, stdout]).toEqual([42, '']);
    expect(stderr).toMatch(reason);
    expect(stderr).not.toMatch(/[\u001b\u202e]/);
  });
});

test('--help has every subcommand and examples, and fits', async () => {
  const { code, stdout } = await runs('--help');
  expect(code).toBe(0);
  for (const verb of [
    'list',
    'show',
    'search',
    'rename',
    'fork',
    'archive',
    'unarchive',
    'delete',
    'verify',
    'repair',
  ])
    expect(stdout).toMatch(new RegExp(`^  ${verb} `, 'm'));
  expect(stdout).toContain('Examples:');
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  expect((await runs('help', 'show')).stdout).toContain('--tail <n>');
});

test('docs/sessions.md has every subcommand, and every field that --json prints', async () => {
  const guide = readFileSync(resolve(import.meta.dirname, '../../../docs/sessions.md'), 'utf8');
  for (const verb of sessionVerbs) expect(guide).toMatch(new RegExp(`^\\| .*\`${verb}[\` ]`, 'm'));
  const full = { ...record({ costUsd: 1, forkedFrom: 'abc' }) };
  const [listed] = JSON.parse((await runWith(['--json'], { sessions: [full] })).stdout) as object[];
  const hits = { sessions: [full], hits: [hit({ session: full })] };
  const [found] = JSON.parse((await runWith(['search', 'x', '--json'], hits)).stdout) as object[];
  for (const field of [...Object.keys(listed ?? {}), ...Object.keys(found ?? {})])
    expect(guide).toMatch(new RegExp(`^\\|[^|]*\`${field}\``, 'm'));
});

test('every subcommand of the program is routed to it, so that none becomes a prompt', () => {
  const program = createSessionProgram(
    () => expect.unreachable(),
    () => Promise.resolve(),
  );
  expect([...sessionVerbs]).toEqual(program.commands.map((command) => command.name()));
});
