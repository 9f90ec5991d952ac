import { describe, expect, test } from 'vitest';
import type { AgentState } from '../../src/agent/types.ts';
import { EXIT } from '../../src/headless/exitCodes.ts';
import { runHeadless } from '../../src/headless/runHeadless.ts';
import type { AgentEvent, CompactionReport } from '../../src/protocol/events.ts';
import type { ModelErrorKind } from '../../src/protocol/models/model.ts';
import { commandHost } from '../commands/commandHost.ts';
import {
  ended,
  failed,
  prompt,
  question,
  rateLimit,
  reply,
  result,
  step,
  system,
  text,
  wholeTurn,
} from './events.ts';
import { report, type ScriptedAgent, type ScriptStep, scriptedAgent } from './scriptedAgent.ts';

type OutputFormat = Parameters<typeof runHeadless>[0]['outputFormat'];

interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly agent: ScriptedAgent;
}

async function run(
  promptText: string,
  script: readonly ScriptStep[],
  outputFormat: OutputFormat = 'text',
  about: Partial<AgentState> = {},
): Promise<Run> {
  const agent = scriptedAgent(script, about);
  let [stdout, stderr, time] = ['', '', 1_000];
  const code = await runHeadless({
    agent,
    ...hostOf(agent),
    prompt: promptText,
    outputFormat,
    write: (line) => {
      stdout += line;
    },
    writeError: (line) => {
      stderr += line;
    },
    now: () => (time += 500),
    tools: () => ['Read', 'Bash'],
  });
  return { code, stdout, stderr, agent };
}

const hostOf = (agent: ScriptedAgent) => {
  const host = commandHost({ agent });
  return { host: async () => host, modelInfo: host.modelInfo };
};
const onPrompt = (say: readonly AgentEvent[], typed = 'hello'): ScriptStep[] => [
  { on: { type: 'prompt', text: typed }, say },
];
const answer = [prompt('hello'), step(1), text('Hi.'), reply('reply1', 'Hi.'), ended(1)];
const json = ({ stdout }: Run): Record<string, unknown> => {
  expect(stdout.split('\n')).toHaveLength(2);
  return JSON.parse(stdout);
};

describe('text', () => {
  test('prints the last reply and nothing else', async () => {
    expect(await run('hello', onPrompt(answer))).toMatchObject({ code: 0, stdout: 'Hi.\n', stderr: '' });
  });

  test('prints the reply of the last step only', async () => {
    const { stdout, code } = await run('why does it fail?', onPrompt(wholeTurn, 'why does it fail?'));
    expect({ stdout, code }).toEqual({ stdout: 'Because of line 1.\n', code: 0 });
  });

  test.each<[ModelErrorKind, number]>([
    ['auth', 41],
    ['network', 1],
    ['server', 1],
    ['overflow', 1],
  ])(
    'a turn that failed with %s prints nothing, gives the reason on standard error and exits %i',
    async (kind, code) => {
      const error = { kind, message: 'It broke. Try this.', retryable: false };
      const partial = reply('reply1', 'Half an ans', { failed: true });
      const ran = await run('hello', onPrompt([step(1), text('Half'), partial, failed(error)]));
      expect(ran).toMatchObject({ code, stdout: '', stderr: 'clawdcode: It broke. Try this.\n' });
    },
  );

  test.each([
    ['max_turns', EXIT.turnLimit, /limit of 3 steps.*--max-turns.*--continue/],
    ['loop', EXIT.failed, /same call/],
    ['interrupted', EXIT.interrupted, /Interrupted/],
    ['failed', EXIT.failed, /failed/],
  ] as const)('a turn that ended as %s exits %i', async (outcome, code, words) => {
    const ran = await run(
      'hello',
      onPrompt([step(1), reply('reply1', 'x'), { type: 'turn_ended', outcome, steps: 3 }]),
    );
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(words) });
  });

  test('a turn that ended without an event is a failure with its reason', async () => {
    const notice = { type: 'notice', level: 'error', text: 'Internal error.' } as const;
    const ran = await run('hello', onPrompt([step(1), reply('reply1', 'x'), notice]));
    expect(ran).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Internal error'),
    });
  });

  test('warnings, retries and denials go to standard error', async () => {
    const { stdout, stderr } = await run(
      'hello',
      onPrompt([
        { type: 'retrying', attempt: 1, maxAttempts: 10, delayMs: 1500, error: rateLimit },
        { type: 'notice', level: 'warning', text: 'The reply was cut.' },
        { type: 'notice', level: 'info', text: 'not this' },
        { type: 'permission_question', question },
        ...answer,
      ]),
    );
    expect(stdout).toBe('Hi.\n');
    expect(stderr.split('\n')).toEqual([
      'clawdcode: The endpoint asks to wait. Retrying in 2 s (attempt 2 of 10).',
      'clawdcode: The reply was cut.',
      "clawdcode: Not allowed: Bash npm test (commands ask in default mode). --allowed-tools 'Bash(npm test:*)' would allow it.",
      '',
    ]);
  });

  test('a denial names every reason, on one line', async () => {
    const reason = 'No rule allows npm test.\nNo rule allows make.';
    const { stderr } = await run(
      'hello',
      onPrompt([{ type: 'permission_question', question: { ...question, reason } }, ...answer]),
    );
    expect(stderr).toContain('(No rule allows npm test. No rule allows make).');
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('a denial of a huge call takes a few lines', async () => {
    const title = 'x'.repeat(1_000_000);
    const suggestion = { rules: [`Bash(${title})`], destination: 'local', label: 'Yes' } as const;
    const asked = { ...question, title, reason: title, suggestion };
    const { stderr } = await run(
      'hello',
      onPrompt([{ type: 'permission_question', question: asked }, ...answer]),
    );
    expect(stderr).toContain('Not allowed: Bash xxx');
    expect(stderr.length).toBeLessThan(4000);
  });

  test('a failed summary is reported on standard error', async () => {
    const ran = await run(
      'hello',
      onPrompt([system('summary_failed', { reason: 'it was empty' }), ...answer]),
    );
    expect(ran).toMatchObject({
      code: 0,
      stdout: 'Hi.\n',
      stderr: 'clawdcode: Summary failed: it was empty\n',
    });
  });

  test('the demo model identifies itself, on standard error', async () => {
    const { stderr, stdout } = await run('hello', onPrompt(answer), 'text', { demo: true });
    expect([stdout, stderr]).toEqual(['Hi.\n', expect.stringContaining('Demo model')]);
  });

  test('an empty reply prints nothing and is not a failure', async () => {
    const ran = await run('hello', onPrompt([step(1), reply('reply1', ''), ended(1)]));
    expect(ran).toMatchObject({ code: 0, stdout: '' });
  });
});

describe('questions', () => {
  test('are answered with no at once, naming the flag that would allow the call', async () => {
    const { agent } = await run('why does it fail?', onPrompt(wholeTurn, 'why does it fail?'));
    expect(agent.ops[1]).toEqual({
      type: 'answer',
      id: 'question1',
      answer: {
        behavior: 'deny',
        comment: expect.stringContaining("--allowed-tools 'Bash(npm test:*)'"),
        unasked: true,
      },
    });
  });

  test.each([
    [
      { ...question, suggestion: { rules: [], destination: 'mode', label: '' } },
      '--permission-mode acceptEdits',
    ],
    [{ ...question, tool: 'ExitPlanMode' }, '--permission-mode default'],
    [{ ...question, suggestion: undefined }, 'names exactly this call of Bash'],
  ] as const)('name the flag that fits (%#)', async (asked, flag) => {
    const { suggestion, ...rest } = asked;
    const one = { ...rest, ...(suggestion === undefined ? {} : { suggestion }) };
    const { stderr } = await run(
      'hello',
      onPrompt([{ type: 'permission_question', question: one }, ...answer]),
    );
    expect(stderr).toContain(flag);
  });

  test('that were denied are listed in the result, as are calls that a rule denied', async () => {
    const ran = await run('why does it fail?', onPrompt(wholeTurn, 'why does it fail?'), 'json');
    expect(json(ran).permission_denials).toEqual([
      { tool_name: 'Bash', tool_use_id: 'call2', tool_input: { command: 'npm test' } },
    ]);
    const byRule = await run(
      'hello',
      onPrompt([result('call9', 'Edit', 'Not allowed: a rule', 'denied'), ...answer]),
      'json',
    );
    expect(json(byRule).permission_denials).toEqual([
      { tool_name: 'Edit', tool_use_id: 'call9', tool_input: {} },
    ]);
  });
});

describe('json', () => {
  test('is one result object on one line, with this run’s tokens only', async () => {
    const usage = { inputTokens: 9999, outputTokens: 999, cachedTokens: 0, requests: 9, estimated: 0 };
    const about = { usage: { ...usage, costUsd: 5, knownUsd: 5, unpriced: 0 } };
    const ran = await run('why does it fail?', onPrompt(wholeTurn, 'why does it fail?'), 'json', about);
    const { uuid, context_usage, permission_denials, ...rest } = json(ran);
    expect(rest).toEqual({
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Because of line 1.',
      num_turns: 2,
      duration_ms: 500,
      duration_api_ms: 500,
      stop_reason: 'end_turn',
      total_cost_usd: 0.02,
      usage: {
        input_tokens: 120,
        output_tokens: 20,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 80,
      },
      modelUsage: {
        'gpt-4.1': {
          inputTokens: 120,
          outputTokens: 20,
          cacheReadInputTokens: 80,
          cacheCreationInputTokens: 0,
          webSearchRequests: 0,
          costUSD: 0.02,
          contextWindow: 10_000,
          maxOutputTokens: 2_000,
        },
      },
      session_id: 'session1',
    });
    expect(uuid).toMatch(/^[0-9a-f-]{36}$/);
    const { parts, used_tokens } = context_usage as { parts: { tokens: number }[]; used_tokens: number };
    expect(parts.reduce((total, part) => total + part.tokens, 0)).toBe(used_tokens);
  });

  test('a failure is an object too, with the reason and without a result', async () => {
    const ran = await run(
      'hello',
      onPrompt([step(1), failed({ kind: 'auth', message: 'No.', retryable: false })]),
      'json',
    );
    expect(ran.code).toBe(41);
    expect(json(ran)).toMatchObject({ subtype: 'error_during_execution', is_error: true, errors: ['No.'] });
    expect(json(ran)).not.toHaveProperty('result');
  });

  test('the turn limit has its own subtype', async () => {
    const ran = await run(
      'hello',
      onPrompt([{ type: 'turn_ended', outcome: 'max_turns', steps: 2 }]),
      'json',
    );
    expect(json(ran)).toMatchObject({ subtype: 'error_max_turns', num_turns: 2 });
  });

  test('tokens that no server reported are null, and so is their cost', async () => {
    const { usage: _, ...told } = reply('reply1', 'Done.').entry.message;
    const silent = {
      ...reply('reply1', 'Done.'),
      entry: { ...reply('reply1', 'Done.').entry, message: told },
    };
    const unreported = json(await run('hello', onPrompt([step(1), silent, ended(1)]), 'json'));
    expect(unreported).toMatchObject({ result: 'Done.', usage: null, modelUsage: {}, total_cost_usd: null });
    // Without a request, the cost is zero.
    const refused = failed({ kind: 'auth', message: 'No.', retryable: false });
    const unasked = json(await run('hello', onPrompt([step(1), refused]), 'json'));
    expect(unasked).toMatchObject({ usage: { input_tokens: 0, output_tokens: 0 }, total_cost_usd: 0 });
  });

  test('each model has its own cost and window, even with several in a run; an assumed window is null', async () => {
    const other = reply('reply2', 'Hi.', { model: 'gpt-5', usage: { input_tokens: 20, output_tokens: 2 } });
    const unknown = reply('reply4', 'Hi.', {
      model: 'my/own',
      usage: { input_tokens: 20, output_tokens: 2 },
    });
    const replies = [step(1), reply('reply1', 'Hi.'), other, reply('reply3', 'Hi.'), unknown, ended(1)];
    const ran = json(await run('hello', onPrompt(replies), 'json'));
    expect(ran).toMatchObject({
      total_cost_usd: 0.04,
      modelUsage: {
        'gpt-4.1': { costUSD: 0.02, contextWindow: 10_000, maxOutputTokens: 2_000 },
        'gpt-5': { costUSD: 0.01, contextWindow: 272_000, maxOutputTokens: 128_000 },
        'my/own': { costUSD: 0.01, contextWindow: null, maxOutputTokens: null },
      },
    });
  });

  test('an unknown price is null, not zero', async () => {
    const usage = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, requests: 0, estimated: 0 };
    const about = { usage: { ...usage, costUsd: undefined, knownUsd: 3, unpriced: 1 } };
    const ran = await run('hello', onPrompt(answer), 'json', about);
    expect(json(ran)).toMatchObject({ total_cost_usd: null, modelUsage: { 'gpt-4.1': { costUSD: null } } });
  });
});

test('/effort replies with the effort that is used', async () => {
  const set: ScriptStep[] = [{ on: { type: 'set_effort', effort: 'max' }, say: [] }];
  const model = { ...scriptedAgent().state().model, effort: 'high' as const };
  const { stdout } = await run('/effort max', set, 'text', { model });
  expect(stdout).toBe('gpt-4.1 has no effort "max"; using high.\n');
});

test('context_usage has the numbers of /context: marks, what happens next, records, cache and warnings', async () => {
  const compaction = {
    uuid: 'c',
    seq: 5,
    timestamp: Date.UTC(2026, 10, 21, 9),
    kind: 'summary',
    reason: '/compact',
    preTokens: 8000,
    postTokens: 2000,
    covers: 5,
    usage: { inputTokens: 7000, outputTokens: 500 },
    isUndone: false,
  } as const;
  const agent = scriptedAgent(
    onPrompt(answer),
    {},
    {
      report: {
        ...report,
        marks: { maskAt: 5000, removeAt: 9000, limit: 9750 },
        reductions: [compaction, { ...compaction, uuid: 'd', isUndone: true }],
        compactions: [compaction],
        cache: { cachedTokens: 90, inputTokens: 100 },
        nextInputUsd: 0.01,
        draft: 'ready',
        breakerIsOpen: true,
        warnings: ['little is left'],
      },
    },
  );
  let stdout = '';
  const write = (line: string): void => {
    stdout += line;
  };
  await runHeadless({
    agent,
    ...hostOf(agent),
    prompt: 'hello',
    outputFormat: 'json',
    write,
    writeError: () => {},
    now: () => 0,
  });
  expect(JSON.parse(stdout).context_usage).toMatchObject({
    context_window: 10_000,
    compacts_at: 8000,
    masks_at: 5000,
    removes_at: 9000,
    limit: 9750,
    free_tokens: 5500,
    next: { action: expect.any(String), at_tokens: 8000 },
    reductions: 2,
    tokens_saved: 6000,
    compactions: [
      {
        uuid: 'c',
        timestamp: '2026-11-21T09:00:00.000Z',
        kind: 'summary',
        pre_tokens: 8000,
        post_tokens: 2000,
        duration_ms: null,
        usage: { input_tokens: 7000, output_tokens: 500 },
        undone: false,
      },
    ],
    cache: { cached_tokens: 90, input_tokens: 100 },
    next_input_usd: 0.01,
    draft: 'ready',
    breaker_open: true,
    warnings: ['little is left'],
  });
});

describe('commands', () => {
  const compacted: CompactionReport = {
    outcome: 'done',
    trigger: 'manual',
    preTokens: 5000,
    postTokens: 900,
    files: ['a.ts', 'b.ts'],
    durationMs: 10,
  };
  const compact = (fields: Partial<CompactionReport>, format: OutputFormat = 'text'): Promise<Run> => {
    const say: AgentEvent[] = [
      { type: 'compaction_started', trigger: 'manual', preTokens: 5000 },
      { type: 'compaction_ended', report: { ...compacted, ...fields } },
    ];
    return run('/compact the parser', [{ on: { type: 'compact', focus: 'the parser' }, say }], format);
  };

  test('/compact works, and reports what it did', async () => {
    const stdout = 'Compacted from 5000 to 900 tokens. Files kept: a.ts, b.ts.\n';
    expect(await compact({})).toMatchObject({ code: 0, stdout, stderr: '' });
    expect(json(await compact({}, 'json'))).toMatchObject({ subtype: 'success', num_turns: 0 });
  });

  test.each([
    ['refused', 'Too short to compact.', 1],
    ['cancelled', 'Cancelled.', 130],
  ] as const)('/compact that was %s gives the reason and its exit code', async (outcome, message, code) => {
    expect(await compact({ outcome, message })).toMatchObject({
      code,
      stdout: '',
      stderr: `clawdcode: ${message}\n`,
    });
  });

  test.each([
    ['done', 'It is back.', 0, 'It is back. From 900 to 5000 tokens.\n', ''],
    ['refused', 'There is none.', 1, '', 'clawdcode: There is none.\n'],
  ] as const)('/uncompact that was %s', async (outcome, message, code, stdout, stderr) => {
    const back = { ...compacted, outcome, message, preTokens: 900, postTokens: 5000 };
    const say: AgentEvent[] = [{ type: 'compaction_ended', report: back }];
    const ran = await run('/uncompact', [{ on: { type: 'uncompact' }, say }]);
    expect(ran).toMatchObject({ code, stdout, stderr });
  });

  const preview = {
    outcome: 'ready',
    preTokens: 5000,
    postTokens: 900,
    summary: 'All of it.',
    files: [],
    kept: [],
    losses: [],
    unverified: [],
  } as const;
  test.each([
    [{}, 0, /from 5,000 to 900 tokens[\s\S]*All of it\./, /^$/],
    [{ outcome: 'refused', message: 'Too short.' }, 1, /^$/, /^clawdcode: Too short\.$/m],
    [{ outcome: 'cancelled', message: 'Stopped.' }, 130, /^$/, /^clawdcode: Stopped\.$/m],
  ] as const)('/compact --preview %j', async (fields, code, stdout, stderr) => {
    const say: AgentEvent[] = [{ type: 'compaction_previewed', preview: { ...preview, ...fields } }];
    const ran = await run('/compact --preview', [{ on: { type: 'compact', preview: true }, say }]);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toMatch(stdout);
    expect(ran.stderr).toMatch(stderr);
  });

  test('a compaction inside a turn does not end it', async () => {
    const inside: AgentEvent = { type: 'compaction_ended', report: { ...compacted, trigger: 'auto' } };
    expect(await run('hello', onPrompt([inside, ...answer]))).toMatchObject({ code: 0, stdout: 'Hi.\n' });
  });

  test('a turn that broke off after a compaction is a failure', async () => {
    const inside: AgentEvent = { type: 'compaction_ended', report: { ...compacted, trigger: 'auto' } };
    expect(await run('hello', onPrompt([step(1), inside]))).toMatchObject({ code: 1, stdout: '' });
  });

  test.each([
    ['/status', 0, /Version +1\.2\.3/, /^$/],
    ['/help', 0, /\/compact/, /^$/],
    ['/context', 0, /^Context: ~2,500 of 10,000 tokens[\s\S]*Next: a summary/, /^$/],
    ['/context items', 0, /No items/, /^$/],
    ['/context settings', 0, /context\.compact\.threshold +0\.8/, /^$/],
    ['/context --json', 0, /"usedTokens": 2500/, /^$/],
    ['/context nothing', 42, /^$/, /context items, settings/],
    ['/compact --diff', 0, /no compaction/, /^$/],
    ['/exit', 0, /^$/, /^$/],
    ['/hlep', 42, /^$/, /Did you mean \/help\?/],
    ['/resume', 42, /^$/, /needs a terminal.*--resume ID/],
    ['/resume nope', 42, /^$/, /no session "nope"/],
    ['/clear', 42, /^$/, /needs a terminal/],
    ['/config notificationCommand touch x', 42, /^$/, /needs a terminal.*clawdcode config set/],
    ['/memory add anything', 42, /^$/, /needs a terminal/],
    ['/copy x.md', 42, /^$/, /needs a terminal/],
    ['/export ~/x.md', 42, /^$/, /needs a terminal.*clawdcode session export/],
    ['/plugin remove x', 42, /^$/, /needs a terminal/],
    ['/permissions acceptEdits', 42, /^$/, /needs a terminal.*--permission-mode/],
  ])('%s exits %i', async (typed, code, stdout, stderr) => {
    const ran = await run(typed, []);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toMatch(stdout);
    expect(ran.stderr).toMatch(stderr);
  });

  test('/model switches and names the new model', async () => {
    const ran = await run('/model gpt-5', [{ on: { type: 'set_model', model: 'gpt-5' }, say: [] }]);
    expect(ran).toMatchObject({ code: 0, stdout: 'Model: gpt-5\n' });
  });

  test('/rename names the session, and /fork needs an interactive session', async () => {
    const named = await run('/rename My work', [{ on: { type: 'set_title', title: 'My work' }, say: [] }]);
    expect(named).toMatchObject({ code: 0, stdout: 'Title: My work\n' });
    expect(await run('/fork', [])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining('Nothing to fork'),
    });
  });

  test.each(['/usr/bin/x is slow', '!rm -rf build', ' /help'])(
    '%j is sent to the model unchanged',
    async (typed) => {
      const { agent, code } = await run(typed, onPrompt(answer, typed));
      expect([agent.ops[0], code]).toEqual([{ type: 'prompt', text: typed }, 0]);
    },
  );
});
