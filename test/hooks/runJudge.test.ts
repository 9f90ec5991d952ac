import { expect, test } from 'vitest';
import { readOutput } from '../../src/hooks/readOutput.ts';
import { runJudge } from '../../src/hooks/runJudge.ts';
import { runTool } from '../../src/hooks/runTool.ts';
import type { HookEvent } from '../../src/protocol/extensions/hooks.ts';

/** A placeholder, as settings have it. */
const told = (path: string): string => `\${${path}}`;

const live = new AbortController().signal;

/** What a hook of an event decides if the model answers with this text. */
async function decided(event: HookEvent, text: string, more: object = {}) {
  let asked = '';
  const output = await runJudge(
    {
      hook: { type: 'prompt', prompt: 'Check $ARGUMENTS.', ...more },
      call: { event, input: { a: 1 } },
      timeoutMs: 9000,
    },
    async ({ prompt }) => {
      asked = prompt;
      return { ok: true, text };
    },
    live,
  );
  return { asked, ...readOutput(event, output) };
}

test('the event is filled in, and a model that agrees decides nothing: it allows no call', async () => {
  const { asked, ...verdict } = await decided('PreToolUse', '{"ok": true}');
  expect(asked).toBe('Check {"a":1}.');
  expect(verdict).toEqual({ outcome: 'ok' });
});

const no = '<think>{"ok": true}</think>\n```json\n{"ok": false, "reason": "tests are missing"}\n```';

test.each<[HookEvent, object, object]>([
  ['PreToolUse', {}, { permission: { behavior: 'deny', reason: 'tests are missing' } }],
  ['PermissionRequest', {}, { permission: { behavior: 'deny', reason: 'tests are missing' } }],
  ['Stop', {}, { block: 'tests are missing' }],
  ['UserPromptSubmit', {}, { block: 'tests are missing' }],
  ['PostToolUse', {}, { block: 'tests are missing', stop: 'tests are missing' }],
  ['PostToolUse', { continuesOnBlock: true }, { block: 'tests are missing' }],
])('%s: the model objects', async (event, more, expected) => {
  const { asked: _, ...verdict } = await decided(event, no, more);
  expect(verdict).toEqual({ outcome: 'blocked', ...expected });
});

test.each(['I think so.', '{"ok": "yes"}', '{"ok": tru', ''])(
  '%j is a failure, not a decision',
  async (text) => {
    expect(await decided('Stop', text)).toMatchObject({
      outcome: 'failed',
      problem: expect.stringMatching('did not answer with'),
    });
  },
);

test('a model that does not reply in time, or cannot be reached, is a failure', async () => {
  const run = {
    hook: { type: 'prompt', prompt: 'p' },
    call: { event: 'Stop', input: {} },
    timeoutMs: 1,
  } as const;
  const late = await runJudge(
    run,
    (_, signal) =>
      new Promise((resolve) =>
        signal.addEventListener('abort', () => resolve({ ok: false, problem: 'stopped' })),
      ),
    live,
  );
  expect(late.problem).toBe('timed out after 0.001 s');
  expect((await runJudge(run, undefined, live)).problem).toBe('no model can be asked');
});

test('a tool gets its arguments filled in from the event, and its text is the output', async () => {
  let given: unknown;
  const output = await runTool(
    {
      ...{ server: 's', tool: 't', timeoutMs: 9000 },
      arguments: {
        path: told('tool_input.file_path'),
        list: [`${told('tool_name')}!`, 5],
        all: told('tool_input'),
        none: told('a.b.c'),
      },
      input: { tool_name: 'Edit', tool_input: { file_path: '/p/a' } },
    },
    async ({ input }) => {
      given = input;
      return { ok: true, text: '{"decision":"block","reason":"no"}' };
    },
    live,
  );
  expect(given).toEqual({ path: '/p/a', list: ['Edit!', 5], all: '{"file_path":"/p/a"}', none: '' });
  expect(readOutput('PostToolUse', output)).toEqual({ outcome: 'blocked', block: 'no' });
});
