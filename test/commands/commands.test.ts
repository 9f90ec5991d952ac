import { describe, expect, test } from 'vitest';
import { allCommands } from '../../src/commands/allCommands.ts';
import { dollars, percent } from '../../src/commands/figures.ts';
import { factsPage, plainText } from '../../src/commands/pages/page.ts';
import { explanationPage } from '../../src/commands/permissions/permissions.ts';
import type { CommandResult } from '../../src/commands/types.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { explainedIn } from '../../src/protocol/explainedCall.ts';
import type { SandboxState } from '../../src/protocol/sandbox.ts';
import { grouped } from '../../src/protocol/text/numbers.ts';
import { scriptedAgent, state } from '../headless/scriptedAgent.ts';
import { madeUpEntry } from '../madeUpEntry.ts';
import { commandHost, run } from './commandHost.ts';

async function text(name: string, args?: string, host = commandHost()): Promise<string> {
  const result = await run(name, args, host);
  if (result.type === 'page') return plainText(result.page);
  if (result.type !== 'notice') throw new Error(`${name} gave ${result.type}`);
  return result.text;
}

const entry = (seq: number, subtype: string): JSONLEntry =>
  madeUpEntry({ seq, uuid: `uuid${seq}`, subtype, message: { role: 'user', content: 'Hello' } });

test.each<[string, string, CommandResult]>([
  ['compact', '', { type: 'op', op: { type: 'compact' } }],
  ['compact', 'the parser', { type: 'op', op: { type: 'compact', focus: 'the parser' } }],
  ['compact', '--preview', { type: 'op', op: { type: 'compact', preview: true } }],
  [
    'compact',
    '--preview the parser',
    { type: 'op', op: { type: 'compact', focus: 'the parser', preview: true } },
  ],
  ['uncompact', '', { type: 'op', op: { type: 'uncompact' } }],
  ['uncompress', '', { type: 'op', op: { type: 'uncompact' } }],
  ['clear', '', { type: 'open_session', target: 'new' }],
  ['exit', '', { type: 'exit' }],
  ['model', '', { type: 'dialog', dialog: 'model' }],
  ['model', 'gpt-5', { type: 'op', op: { type: 'set_model', model: 'gpt-5' } }],
  ['resume', '', { type: 'dialog', dialog: 'resume' }],
  ['rename', 'The  parser\n work', { type: 'op', op: { type: 'set_title', title: 'The parser work' } }],
  ['resume', 'session1', { type: 'open_session', target: { id: 'session1' } }],
])('/%s %s', async (name, args, expected) => {
  expect(await run(name, args)).toMatchObject(expected);
});

test('/resume of an unknown id is an error, never a new session', async () => {
  expect(await run('resume', 'nope')).toEqual({
    type: 'notice',
    level: 'error',
    text: 'There is no session "nope" in this project: give an id, an id prefix, or a title. /resume alone lists them.',
  });
});

test('/rename without a title shows the current one', async () => {
  expect(await text('rename')).toBe('This session is called “Fix the test”. /rename TITLE changes it.');
});

test('/fork forks the session or its beginning, and rejects anything else', async () => {
  const said = Object.assign(scriptedAgent(), { entries: () => [entry(0, 'prompt'), entry(1, 'prompt')] });
  const host = commandHost({ agent: said });
  expect(await run('fork', '', host)).toEqual({ type: 'fork_session' });
  expect(await run('branch', 'at #1', host)).toEqual({ type: 'fork_session', uptoSeq: 1 });
  expect(await run('fork', '0', host)).toEqual({ type: 'fork_session', uptoSeq: 0 });
  expect(await text('fork', 'at #7', host)).toBe('This session ends at #1: there is no #7 to fork at.');
  expect(await text('fork', 'the parser', host)).toContain('/fork at #12');
  expect(await text('fork')).toBe('Nothing to fork yet.');
  const busy = commandHost({ agent: scriptedAgent([], { busy: true }) });
  expect(await text('fork', '', busy)).toContain('Something is still running');
});

test('/todos lists the todos, or says that there are none', async () => {
  const todos = [
    { content: 'Read the parser', status: 'completed' as const },
    { content: 'Fix\nit', status: 'in_progress' as const },
    { content: 'Run the tests', status: 'pending' as const },
  ];
  const host = commandHost({ agent: scriptedAgent([], { todos }) });
  expect(await text('todos', '', host)).toBe(
    'Todo list: 1 done, 1 in progress, 1 open\n  ☒ Read the parser\n  ▣ Fix it\n  ☐ Run the tests',
  );
  expect(await text('todo')).toBe('No todo list yet. The model makes one for longer work.');
});

test('/model rejects text that cannot be an id', async () => {
  expect(await run('model', 'the big one')).toMatchObject({ type: 'notice', level: 'error' });
});

test('/help names every command with its argument and aliases, and the keys', async () => {
  const help = await text('help');
  for (const { name, description, aliases } of allCommands) {
    const line = help.split('\n').find((one) => one.startsWith(`/${name}`));
    expect(line).toContain(description);
    for (const alias of aliases) expect(line).toContain(`/${alias}`);
  }
  expect(help).toContain('Shift+Tab');
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
});

test.each([
  [80, ['Facts', 'Log       /srv/a', '  cached  0 tokens']],
  [20, ['Facts', 'Log: /srv/a', '  cached: 0 tokens']],
])('facts form a column, or follow their labels if it is too narrow (%i columns)', (columns, lines) => {
  const page = factsPage(
    [
      ['Log', '/srv/a'],
      ['  cached', '0 tokens'],
    ],
    'Facts',
  );
  expect(plainText(page, columns).split('\n')).toEqual(lines);
});

describe('/status', () => {
  test('says where requests go and where the key comes from, never the key itself', async () => {
    const status = await text('status');
    expect(status).toContain('https://api.example/v1 (requests go there and nowhere else)');
    expect(status).toMatch(/Key\s+from OPENAI_API_KEY/);
    expect(status).toMatch(/Session\s+session1 · Fix the test/);
    expect(status).toMatch(
      /Settings\s+~\/\.clawdcode\/config\.json, \.clawdcode\.json \(broken, ignored\)$/m,
    );
    expect(status).toContain('1.2.3');
    const info = { ...commandHost().status(), heldSettings: ['env', 'model'] };
    const changed = await text('status', '', commandHost({ status: () => info }));
    expect(changed.replace(/\s+/g, ' ')).toContain('changed since you trusted it; not applied: env, model');
  });

  test('the demo model identifies itself and says that nothing is sent', async () => {
    const host = commandHost({ agent: scriptedAgent([], { demo: true }) });
    const status = await text('status', '', host);
    expect(status).toContain('built-in demo model; nothing is sent anywhere');
    expect(status).not.toContain('api.example');
  });

  test('an untrusted folder and a missing key are shown', async () => {
    const info = { ...commandHost().status(), trusted: false, keySource: undefined, settingsFiles: [] };
    const status = await text('status', '', commandHost({ status: () => info }));
    expect(status).toContain('not trusted');
    expect(status).toMatch(/Key\s+none/);
    expect(status).toContain('defaults; no file found');
  });

  test('rules that were saved in an untrusted folder apply, and their file is listed', async () => {
    const settingsFiles = [{ name: '.clawdcode.local.json', state: 'missing' as const }];
    const info = { ...commandHost().status(), trusted: false, heldSettings: [], settingsFiles };
    const rules = () => [
      { text: 'Bash(npm test)', behavior: 'allow' as const, source: '.clawdcode.local.json' },
    ];
    const status = await text('status', '', commandHost({ status: () => info, rules }));
    expect(status.replace(/\s+/g, ' ')).toContain(
      '(not trusted: only its restrictions and the rules you saved apply)',
    );
    expect(status).toMatch(/Settings\s+\.clawdcode\.local\.json/);
  });
});

describe('/cost', () => {
  const usage = { inputTokens: 12_000, cachedTokens: 9_000, outputTokens: 345, requests: 4, estimated: 0 };
  const cost = (costUsd: number | undefined, demo = false): Promise<string> =>
    text(
      'cost',
      '',
      commandHost({
        agent: scriptedAgent([], {
          ...state,
          demo,
          usage: { ...usage, costUsd, knownUsd: costUsd ?? 0, unpriced: 0 },
        }),
      }),
    );

  test('shows tokens, the cached share and the price', async () => {
    const shown = await cost(0.0123);
    expect(shown).toMatch(/cached\s+9,000 tokens \(75\.0 % of input\)/);
    expect(shown).toMatch(/Cost\s+\$0\.0123/);
  });

  test('says that the tokens are estimated if the server reports none', async () => {
    const shown = (estimated: number) => {
      const agent = scriptedAgent([], {
        ...state,
        usage: { ...usage, estimated, costUsd: 1, knownUsd: 1, unpriced: 0 },
      });
      return text('cost', '', commandHost({ agent }));
    };
    expect(await shown(4)).toMatch(/Requests\s+4 \(tokens estimated: the server reports none\)/);
    expect(await shown(1)).toMatch(/Requests\s+4 \(tokens estimated for 1: /);
  });

  test('an unknown price is called unknown, not zero', async () => {
    expect(await cost(undefined)).toMatch(/Cost\s+unknown: no price for/);
    expect(await cost(0, true)).toContain('demo model');
  });
});

describe('/permissions', () => {
  test.each([
    { args: 'plan', mode: 'plan' },
    { args: 'autoEdit', mode: 'acceptEdits' },
    { args: 'dontAsk', mode: 'dontAsk' },
  ])('$args switches the mode', async ({ args, mode }) => {
    expect(await run('permissions', args)).toEqual({
      type: 'op',
      op: { type: 'set_mode', mode },
    });
  });

  test.each([
    { args: 'wild', says: 'Choose one of: default' },
    { args: 'bypassPermissions', says: 'Start with --permission-mode' },
    { args: 'yolo', says: 'Start with --permission-mode' },
    { args: 'auto', says: 'Auto is off here.' },
  ])('$args does not', async ({ args, says }) => {
    expect(await run('permissions', args)).toMatchObject({
      type: 'notice',
      level: 'error',
      text: expect.stringContaining(says),
    });
  });

  test('lists rules by source, deny first', async () => {
    const rules = [
      { text: 'Bash(npm test)', behavior: 'allow', source: '.clawdcode.json' },
      { text: 'Read(./.env)', behavior: 'deny', source: '.clawdcode.json' },
      { text: 'Edit', behavior: 'ask', source: '--allowed-tools' },
    ] as const;
    expect(await text('permissions', '', commandHost({ rules: () => rules }))).toBe(
      [
        'Mode: default (reads inside the project run; edits and commands ask). Shift+Tab changes it, or /permissions MODE.',
        '',
        '.clawdcode.json',
        '  deny   Read(./.env)',
        '  allow  Bash(npm test)',
        '',
        '--allowed-tools',
        '  ask  Edit',
        '',
        'Deny takes precedence over ask, and ask over allow.',
      ].join('\n'),
    );
  });

  test('a rule with a line break takes one line, and unusual spaces in a call are left for the interface to mark', async () => {
    const rules = [{ text: 'Bash(a)\n  allow  Edit', behavior: 'ask', source: 'f' }] as const;
    expect(await text('permissions', '', commandHost({ rules: () => rules }))).toContain(
      '  ask  Bash(a)‹U+000A›  allow  Edit\n',
    );
    const explained = {
      behavior: 'ask',
      tool: 'Bash',
      mode: 'default',
      reason: 'It asks.',
      saves: [],
    } as const;
    const page = explanationPage({
      ...explained,
      call: 'rm\u00a0x\n\u001b[2Jy\u3000',
      isUnderstood: true,
      parts: [],
    });
    expect(plainText(page)).toContain('? Bash rm\u00a0x \u001b[2Jy');
    const search = { ...explained, call: 'grep -r x .', isUnderstood: true, parts: [], hiding: ['/p/.env'] };
    const would = 'In a sandbox it would run without asking, with these hidden: /p/.env.';
    const pageIn = (sandbox: SandboxState): string =>
      plainText(explanationPage(explainedIn(search, sandbox)));
    const on = pageIn({ type: 'on', mode: 'workspace-write' });
    expect(on).toContain('In mode default it runs without asking.');
    expect(on).toContain('The sandbox hides these from it: /p/.env.');
    const off = pageIn({ type: 'off', reason: 'turned off in the settings (sandbox.enabled)' });
    expect(off).toContain('In mode default it asks.');
    expect(off).toContain(`${would} The sandbox is off: turned off in the settings (sandbox.enabled).`);
    expect(
      pageIn({ type: 'unavailable', reason: 'bubblewrap is not installed', fix: 'Install it.' }),
    ).toContain(`${would} The sandbox is not available: bubblewrap is not installed. Install it.`);
  });

  test('says so if there are no rules', async () => {
    expect(await text('permissions')).toContain('No rules.');
  });

  test('why explains a command, or the last call that needed approval', async () => {
    const asked: (string | undefined)[] = [];
    const host = commandHost({
      explainPermission: async (command) => {
        asked.push(command);
        return {
          tool: 'Bash',
          mode: 'default',
          call: 'ls && make $X',
          cwd: '/srv/p',
          behavior: 'ask',
          reason: 'No rule allows make.',
          saves: ['Bash(make)'],
          isUnderstood: true,
          parts: [
            {
              text: 'ls',
              words: [{ source: 'ls', value: 'ls' }],
              folders: ['/srv/p'],
              verdict: {
                behavior: 'allow',
                reason: 'ls only reads.',
                row: 'read-only commands: ls',
                stopped: [],
              },
            },
            {
              text: 'make $X',
              words: [
                { source: 'make', value: 'make' },
                { source: '$X', value: null },
              ],
              folders: null,
              verdict: {
                behavior: 'ask',
                reason: 'No rule allows make.',
                stopped: [{ text: 'Bash(make:*)', source: '.clawdcode.json', reason: '$X' }],
              },
            },
          ],
        };
      },
    });
    const shown = [
      '? Bash ls && make $X',
      '  In mode default it asks.',
      '  No rule allows make.',
      '',
      '✓ ls',
      '  why: ls only reads.',
      '  built in read-only commands: ls',
      '  in /srv/p',
      '? make $X',
      '  why: No rule allows make.',
      '  not Bash(make:*), in .clawdcode.json: does not cover $X',
      '  known only at run time $X',
      '  in a folder known only at run time',
      '',
      '"Always" would save: Bash(make)',
    ].join('\n');
    for (const args of ['why', 'why  ls && make $X']) {
      const result = await run('permissions', args, host);
      expect(result.type === 'page' && plainText(result.page)).toBe(shown);
    }
    expect(asked).toEqual([undefined, 'ls && make $X']);
    expect(await text('permissions', 'why')).toContain('No call in this session needed approval');
  });
});

test('numbers are written the same way everywhere', () => {
  expect([grouped(0), grouped(1234567.4)]).toEqual(['0', '1,234,567']);
  expect([percent(1, 3), percent(1, 100_000), percent(0, 5), percent(1, 0)]).toEqual([
    '33.3 %',
    '<0.1 %',
    '0.0 %',
    '–',
  ]);
  expect([dollars(0), dollars(0.00012), dollars(12.3456)]).toEqual(['$0.00', '$0.0001', '$12.35']);
});

test('/effort shows the effort that is sent, and what the model supports', async () => {
  const shown = (facts: object): Promise<string> =>
    text(
      'effort',
      '',
      commandHost({ agent: scriptedAgent([], { ...state, model: { ...state.model, ...facts } }) }),
    );
  expect(await shown({})).toBe('Effort: the default of gpt-4.1. Levels: low, medium, high, or default.');
  expect(await shown({ efforts: ['low', 'xhigh'], effort: 'xhigh' })).toContain(
    'Effort: xhigh. Levels: low, xhigh,',
  );
  expect(await shown({ efforts: [], thinkingBudget: 5000 })).toBe(
    'Effort: the default of gpt-4.1. Thinking: at most 5,000 tokens. gpt-4.1 has no levels.',
  );
  expect(await shown({ thinkingBudget: 0 })).toContain('Thinking: off.');
  const host = commandHost({ agent: scriptedAgent([], state) });
  expect(await text('effort', 'silly', host)).toBe(
    '"silly" is not an effort level. Levels: low, medium, high, or default.',
  );
});
