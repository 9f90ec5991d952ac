import { expect, test } from 'vitest';
import { plainText } from '../../../src/commands/pages/page.ts';
import type { CommandResult } from '../../../src/commands/types.ts';
import { runHeadless } from '../../../src/headless/runHeadless.ts';
import type { RestoreStep, TurnRecord } from '../../../src/protocol/checkpoints.ts';
import { type ScriptedContext, scriptedAgent, state } from '../../headless/scriptedAgent.ts';
import { commandHost, run } from '../commandHost.ts';

const { root } = state;

const turn = (number: number, fields: Partial<TurnRecord> = {}): TurnRecord => ({
  uuid: `u${number}`,
  seq: number,
  beforeSeq: number - 1,
  text: `request ${number}`,
  timestamp: '2030-01-02T11:30:00Z',
  steps: 1,
  files: 0,
  lines: { added: 0, removed: 0 },
  ...fields,
});
const turns = [
  turn(1, { files: 1, lines: { added: 2, removed: 0 } }),
  turn(2, { files: 300, lines: undefined }),
];

const steps: readonly RestoreStep[] = [
  {
    path: `${root}/a.ts`,
    action: 'modify',
    added: 1,
    removed: 1,
    diff: '--- a.ts\n+++ a.ts\n@@ -1,2 +1,2 @@\n same\n-old\n+new\n',
    from: { type: 'file', mode: 0o644, bytes: 3 },
    to: { type: 'file', mode: 0o755, bytes: 3 },
  },
  { path: '/elsewhere/b', action: 'refuse', reason: 'you changed it', added: 0, removed: 0 },
];

const host = (context: ScriptedContext, script: Parameters<typeof scriptedAgent>[0] = []) =>
  commandHost({ agent: scriptedAgent(script, state, context) });

function textOf(result: CommandResult): string {
  if (result.type === 'notice') return result.text;
  if (!('page' in result)) throw new Error(`no text in ${result.type}`);
  return plainText(result.page);
}

test('/rewind lists the turns by distance', async () => {
  for (const name of ['rewind', 'undo', 'checkpoint']) {
    const result = await run(name, '', host({ turns }));
    expect(result).toMatchObject({ type: 'dialog', dialog: 'rewind' });
    expect(textOf(result).split('\n')).toEqual([
      'Turns, 1 being the latest',
      '  2  2030-01-02 11:30  +2 −0 in 1 file  request 1',
      '  1  2030-01-02 11:30  in 300 files     request 2',
    ]);
  }
  expect(textOf(await run('rewind', '', host({})))).toBe('No prompts yet.');
});

test('/rewind with a number shows that turn and the effects of rewinding to it', async () => {
  const plans = [{ turn: turns[0] ?? turn(1), plan: { steps }, notes: ['node_modules is not covered'] }];
  const result = await run('rewind', '2', host({ turns, plans }));
  expect(result).toMatchObject({ type: 'dialog', dialog: 'rewind', turn: { uuid: 'u1' } });
  expect(textOf(result).split('\n')).toEqual([
    'Rewinding to before “request 1” would change these files',
    '  a.ts  +1 −1 · permissions 644 → 755',
    '  /elsewhere/b  left unchanged · you changed it',
    '',
    'a.ts',
    '@@ -1,2 +1,2 @@',
    ' same',
    '-old',
    '+new',
    '',
    '! node_modules is not covered',
  ]);
});

test('of the many files of an install, the pages name the first and count the rest', async () => {
  const installed = Array.from({ length: 12_348 }, (_, at) => ({
    path: `${root}/node_modules/p${at}.js`,
    action: 'refuse' as const,
    reason: 'it changed',
    added: 0,
    removed: 0,
  }));
  const plans = [{ turn: turns[0] ?? turn(1), plan: { steps: [...installed, ...steps] }, notes: [] }];
  const text = textOf(await run('rewind', '2', host({ turns, plans })));
  expect(text.split('\n').slice(1, 7)).toEqual([
    '  node_modules/p0.js  left unchanged · it changed',
    '  node_modules/p1.js  left unchanged · it changed',
    '  node_modules/p2.js  left unchanged · it changed',
    '  … and 12,345 more in node_modules/  left unchanged',
    '  a.ts  +1 −1 · permissions 644 → 755',
    '  /elsewhere/b  left unchanged · you changed it',
  ]);
});

test('/rewind undo is an op; an invalid number, a missing turn and a running turn are reported', async () => {
  expect(await run('rewind', 'undo', host({ turns }))).toEqual({ type: 'op', op: { type: 'undo_rewind' } });
  expect(textOf(await run('rewind', '0', host({ turns })))).toContain('1 is the latest');
  expect(textOf(await run('rewind', '9', host({ turns })))).toContain('This session has 2 turns.');
  const busy = commandHost({ agent: scriptedAgent([], { ...state, busy: true }, { turns }) });
  expect(textOf(await run('rewind', '', busy))).toContain('Press Esc');
});

test('/diff shows the session or one turn, with its counts', async () => {
  const session = await run('diff', '', host({ turns, changes: steps }));
  expect(textOf(session).split('\n')[0]).toBe('This session changed 2 files, +1 −1');
  const last = await run('diff', 'last', host({ turns, changes: steps }));
  expect(textOf(last).split('\n')[0]).toBe('“request 2” changed 2 files, +1 −1');
  expect(textOf(await run('diff', '3', host({ turns, changes: steps })))).toContain('2 turns');
  expect(textOf(await run('diff', '', host({ turns, changes: [] })))).toBe('This session changed no file.');
});

test('a long diff is shown up to a limit, with the number of remaining lines', async () => {
  const diff = (lines: number): string =>
    `--- a\n+++ a\n@@ -0,0 +1,${lines} @@\n${Array.from({ length: lines }, (_, at) => `+${at}\n`).join('')}`;
  const long = Array.from({ length: 250 }, (_, at) => ({
    path: `${root}/${at}`,
    action: 'create' as const,
    added: 300,
    removed: 0,
    diff: diff(300),
  }));
  const text = textOf(await run('diff', '', host({ turns, changes: long })));
  expect(text).toContain('… 50 more files\n');
  expect(text).toMatch(/… \d+ more lines\n/);
  expect(text).toMatch(/… 248 more files with diffs$/);
  expect(text.split('\n').length).toBeLessThan(800);
});

test('with -p the commands answer with text, and /rewind undo with its result', async () => {
  const printed = async (
    prompt: string,
    one = host({ turns, changes: steps }),
  ): Promise<[number, string]> => {
    let out = '';
    const write = (text: string): void => {
      out += text;
    };
    const code = await runHeadless({
      agent: one.agent,
      host: async () => one,
      modelInfo: one.modelInfo,
      prompt,
      outputFormat: 'text',
      write,
      writeError: write,
      now: () => 0,
    });
    return [code, out];
  };
  expect((await printed('/rewind'))[1]).toContain('request 2');
  expect((await printed('/diff'))[1]).toContain('+new');
  const undone = (outcome: 'done' | 'refused') =>
    host({ turns }, [
      {
        on: { type: 'undo_rewind' },
        say: [
          {
            type: 'rewind_ended',
            report: { type: 'undo', outcome, message: `It is ${outcome}.`, conversation: true },
          },
        ],
      },
    ]);
  expect(await printed('/rewind undo', undone('done'))).toEqual([0, 'It is done.\n']);
  const [code, text] = await printed('/rewind undo', undone('refused'));
  expect(code).not.toBe(0);
  expect(text).toBe('clawdcode: It is refused.\n');
});
