import { describe, expect, test } from 'vitest';
import { createDriverLink } from '../../../src/headless/driver/driverLink.ts';
import { createCallBack, readHostHooks } from '../../../src/headless/driver/hostHooks.ts';

describe('hooks in initialize', () => {
  test('each callback is a hook; one for an unknown event never runs, and the driver is told', () => {
    const read = readHostHooks({
      PreToolUse: [
        { matcher: 'Bash', hookCallbackIds: ['hook_0', 'hook_1'], timeout: 5, onFailure: 'block' },
        { matcher: null, hookCallbackIds: ['hook_2'], timeout: null },
      ],
      Moonrise: [{ hookCallbackIds: ['hook_3'] }],
      Stop: null,
    });
    const bash = { type: 'callback', event: 'PreToolUse', matcher: 'Bash', timeoutSeconds: 5 };
    expect(read.hooks.map(({ hook }) => hook)).toEqual([
      { ...bash, id: 'hook_0', blocksOnFailure: true },
      { ...bash, id: 'hook_1', blocksOnFailure: true },
      { type: 'callback', event: 'PreToolUse', matcher: '', id: 'hook_2' },
    ]);
    expect(read.isComplete).toBe(true);
    expect(read.problems).toEqual(['Hooks for Moonrise never run: there is no such event.']);
  });

  test.each([
    ['no object', 'PreToolUse'],
    ['a group without ids', { PreToolUse: [{ matcher: 'Bash' }] }],
    ['an id that is too long', { Stop: [{ hookCallbackIds: ['x'.repeat(201)] }] }],
    ['a matcher that is too long', { Stop: [{ matcher: 'x'.repeat(2001), hookCallbackIds: ['a'] }] }],
    ['too many', { Stop: [{ hookCallbackIds: Array.from({ length: 201 }, (_, at) => `h${at}`) }] }],
  ])('a hook that cannot be registered is reported: %s', (_, hooks) => {
    const read = readHostHooks(hooks);
    expect(read.isComplete).toBe(false);
    expect(read.problems).toHaveLength(1);
    expect(read.hooks.length).toBeLessThanOrEqual(200);
  });
});

describe('a call', () => {
  test('is a request with the id of the tool call; an error in the driver is reported as the hook’s', async () => {
    const sent: { request_id: string; request: object }[] = [];
    const link = createDriverLink((message) => void sent.push(message as (typeof sent)[0]));
    const callBack = createCallBack(link);
    const never = new AbortController().signal;
    const answered = callBack('hook_0', { tool_use_id: 'call-1', tool_name: 'Bash' }, never);
    expect(sent[0]?.request).toEqual({
      subtype: 'hook_callback',
      callback_id: 'hook_0',
      input: { tool_use_id: 'call-1', tool_name: 'Bash' },
      tool_use_id: 'call-1',
    });
    link.settle({ id: 'never asked', result: { ok: true, value: { decision: 'approve' } } });
    link.settle({ id: sent[0]?.request_id ?? '', result: { ok: false, error: 'It threw.' } });
    link.settle({ id: sent[0]?.request_id ?? '', result: { ok: true, value: {} } });
    expect(await answered).toEqual({ ok: false, problem: 'It threw.' });
    link.close();
    expect(await callBack('hook_0', {}, never)).toMatchObject({ ok: false });
  });
});
