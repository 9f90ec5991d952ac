/** Hooks that are functions of the driving program, called over its pipes. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Driver, startDriver } from './support/driver.ts';
import type { Line } from './support/jsonLines.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

interface HookRequest {
  readonly subtype: string;
  readonly callback_id: string;
  readonly tool_use_id?: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const touch = (name: string) => ({ name: 'Bash', input: { command: `touch ${name}` } });
const exists = ({ work }: TestProgram, name: string) => existsSync(join(work.repository, name));
const requestOf = ({ request }: Line) => request as HookRequest;
const before = (decision: string, more: object = {}) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: decision, ...more },
});

/** Starts a session with hooks, and sends its first prompt. */
async function driven(setup: TestProgram, hooks: object, flags: readonly string[] = []) {
  const driver = startDriver(setup, flags);
  const { response } = await driver.request({ subtype: 'initialize', hooks });
  driver.prompt('go');
  return { driver, response };
}

async function answerNext(driver: Driver, answer: object): Promise<HookRequest> {
  const line = await driver.nextOf('control_request');
  driver.answer(line, answer);
  return requestOf(line);
}

test('a hook sees the prompt and adds context; a tool hook changes the input that then runs', async () => {
  const setup = await setUpProgram();
  setup.server.script({ calls: [touch('one')] }, { text: 'Done.' });
  const hooks = {
    UserPromptSubmit: [{ hookCallbackIds: ['hook_0'] }],
    PreToolUse: [{ matcher: 'Bash', hookCallbackIds: ['hook_1'] }],
    PostToolUse: [{ matcher: 'Edit', hookCallbackIds: ['hook_2'] }],
    Stop: [{ hookCallbackIds: ['hook_3'] }],
  };
  const { driver, response } = await driven(setup, hooks);
  expect(response).toMatchObject({ hooks_applied: true, hook_on_failure_supported: true });
  const context = { hookEventName: 'UserPromptSubmit', additionalContext: 'It is Tuesday.' };
  expect(await answerNext(driver, { hookSpecificOutput: context })).toMatchObject({
    subtype: 'hook_callback',
    callback_id: 'hook_0',
    input: { hook_event_name: 'UserPromptSubmit', prompt: 'go', session_id: expect.any(String) },
  });
  const changed = before('allow', { updatedInput: { command: 'touch two' } });
  const call = await answerNext(driver, changed);
  expect(call).toMatchObject({
    callback_id: 'hook_1',
    tool_use_id: expect.any(String),
    input: { tool_name: 'Bash', tool_input: { command: 'touch one' }, tool_use_id: call.tool_use_id },
  });
  expect(await answerNext(driver, {})).toMatchObject({ callback_id: 'hook_3' });
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Done.' });
  expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
  expect(['one', 'two'].map((name) => exists(setup, name))).toEqual([false, true]);
  const [first, second] = setup.server.requests();
  expect(textOf(first?.messages.at(-1))).toContain('It is Tuesday.');
  expect(JSON.stringify(second?.messages.at(-1))).toContain('touch two');
});

test('deny overrides allow, ask overrides allow, and deny rules override everything', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.script(
    { calls: [touch('denied')] },
    { calls: [touch('asked')] },
    { calls: [touch('ruled')] },
    { text: 'Done.' },
  );
  const hooks = { PreToolUse: [{ hookCallbackIds: ['a'] }, { hookCallbackIds: ['b'] }] };
  const rules = ['--allowedTools=Bash(touch asked)', '--disallowedTools=Bash(touch ruled)'];
  const { driver } = await driven(setup, hooks, ['--permission-prompt-tool=stdio', ...rules]);
  await answerNext(driver, before('allow'));
  await answerNext(driver, before('deny', { permissionDecisionReason: 'Not this file.' }));
  await answerNext(driver, before('ask', { permissionDecisionReason: 'Is it fine?' }));
  await answerNext(driver, before('allow'));
  const question = await driver.nextOf('control_request');
  expect(question.request).toMatchObject({
    subtype: 'can_use_tool',
    decision_reason: expect.stringContaining('Is it fine?'),
  });
  driver.answer(question, { behavior: 'allow' });
  await answerNext(driver, before('allow'));
  await answerNext(driver, before('allow'));
  expect(await driver.nextOf('result')).toMatchObject({ result: 'Done.' });
  await driver.end();
  expect(['denied', 'asked', 'ruled'].map((name) => exists(setup, name))).toEqual([false, true, false]);
  expect(JSON.stringify(setup.server.requests()[1]?.messages)).toContain('Not this file.');
});

test('if a function fails, the call runs, unless its failure blocks', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script({ calls: [touch('open')] }, { calls: [touch('guarded')] }, { text: 'Done.' });
  const hooks = { PreToolUse: [{ hookCallbackIds: ['a'] }, { hookCallbackIds: ['b'], onFailure: 'block' }] };
  const { driver } = await driven(setup, hooks, ['--allowedTools=Bash(touch *)']);
  const fail = ({ request_id }: Line) =>
    driver.send({
      type: 'control_response',
      response: { subtype: 'error', request_id, error: 'It threw.' },
    });
  fail(await driver.nextOf('control_request'));
  driver.answer(await driver.nextOf('control_request'), {});
  driver.answer(await driver.nextOf('control_request'), {});
  fail(await driver.nextOf('control_request'));
  await driver.nextOf('result');
  await driver.end();
  expect(['open', 'guarded'].map((name) => exists(setup, name))).toEqual([true, false]);
  expect(JSON.stringify(setup.server.requests()[2]?.messages)).toContain('The hook failed: It threw.');
});

test('an interrupt withdraws a function that never returns', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script({ calls: [touch('one')] });
  const { driver } = await driven(setup, { PreToolUse: [{ hookCallbackIds: ['a'] }] });
  const { request_id } = await driver.nextOf('control_request');
  expect(await driver.request({ subtype: 'interrupt' })).toMatchObject({ subtype: 'success' });
  expect(await driver.nextOf('control_cancel_request')).toMatchObject({ request_id });
  expect(await driver.nextOf('result')).toMatchObject({ subtype: 'error_during_execution' });
  expect(await driver.end()).toMatchObject({ code: 0 });
});

test('hooks that are added later, or turned off by settings, do not run', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'One.' }, { text: 'Two.' });
  const hooks = { UserPromptSubmit: [{ hookCallbackIds: ['a'] }] };
  const late = startDriver(setup);
  late.prompt('go');
  await late.nextOf('result');
  expect(await late.request({ subtype: 'initialize', hooks })).toMatchObject({
    response: { hooks_applied: false },
  });
  await late.end();
  const off = await driven(setup, hooks, ['--settings={"disableAllHooks":true}']);
  expect(off.response).toMatchObject({ hooks_applied: false });
  expect(await off.driver.nextOf('result')).toMatchObject({ result: 'Two.' });
  await off.driver.end();
});
