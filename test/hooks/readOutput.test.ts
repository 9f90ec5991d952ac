import { describe, expect, test } from 'vitest';
import { combine, type FinishedHook } from '../../src/hooks/combine.ts';
import { type HookOutput, type HookVerdict, readOutput } from '../../src/hooks/readOutput.ts';
import type { HookEvent } from '../../src/protocol/extensions/hooks.ts';

const output = (parts: Partial<HookOutput>): HookOutput => ({
  exitCode: 0,
  stdout: '',
  stderr: '',
  isCut: false,
  ...parts,
});
const read = (event: HookEvent, parts: Partial<HookOutput>): HookVerdict => readOutput(event, output(parts));
const json = (event: HookEvent, value: unknown): HookVerdict =>
  read(event, { stdout: JSON.stringify(value) });
const specific = (event: HookEvent, fields: object): HookVerdict =>
  json(event, { hookSpecificOutput: { hookEventName: event, ...fields } });

describe('one hook', () => {
  test('exit code 2 blocks with the text on standard error', () => {
    expect(read('PreToolUse', { exitCode: 2, stderr: 'no rm\n' })).toEqual({
      outcome: 'blocked',
      permission: { behavior: 'deny', reason: 'no rm' },
    });
    expect(read('PostToolUse', { exitCode: 2, stderr: 'lint failed' })).toEqual({
      outcome: 'blocked',
      block: 'lint failed',
    });
    expect(read('Stop', { exitCode: 2 })).toMatchObject({ block: 'The hook gave no reason.' });
  });

  test('events that have already happened cannot be blocked', () => {
    expect(read('SessionStart', { exitCode: 2, stderr: 'too late' })).toEqual({
      outcome: 'failed',
      problem: 'too late',
    });
  });

  test.each([
    ['a text', 'new'],
    ['a command’s output', { stdout: 'new', stderr: '', interrupted: false }],
    ['a file', { type: 'text', file: { filePath: '/a', content: 'new' } }],
    ['a page', { url: 'https://example.com', result: 'new' }],
    ['a server’s blocks', [{ type: 'text', text: 'new' }]],
    ['a subagent’s message', { status: 'completed', content: [{ type: 'text', text: 'new' }] }],
  ])('a result may be replaced by %s', (_, updatedToolOutput) => {
    expect(specific('PostToolUse', { updatedToolOutput }).updatedOutput).toBe('new');
  });

  test('a result of another shape is replaced by its JSON', () => {
    const updatedToolOutput = [{ type: 'image', data: 'x' }];
    expect(specific('PostToolUse', { updatedToolOutput }).updatedOutput).toBe(
      '[{"type":"image","data":"x"}]',
    );
  });

  test('after a denial by the judge, the model may be told to retry', () => {
    expect(specific('PermissionDenied', { retry: true })).toEqual({
      outcome: 'ok',
      context: 'You may make this call again.',
    });
    expect(specific('PermissionDenied', { retry: false })).toEqual({ outcome: 'ok' });
    expect(specific('PreToolUse', { retry: true })).toEqual({ outcome: 'ok' });
  });

  test('another exit code, or none, is a failure that does not block', () => {
    expect(read('PreToolUse', { exitCode: 1, stderr: 'bad\nthings' })).toEqual({
      outcome: 'failed',
      problem: 'exit code 1: bad things',
    });
    const { exitCode: _, ...killed } = output({});
    expect(readOutput('PreToolUse', killed).outcome).toBe('failed');
    expect(readOutput('PreToolUse', { ...killed, problem: 'timed out' }).problem).toBe('timed out');
  });

  test('plain output is context, for prompts and starts only', () => {
    expect(read('UserPromptSubmit', { stdout: 'Today is Monday.\n' })).toEqual({
      outcome: 'ok',
      context: 'Today is Monday.',
    });
    expect(read('PreToolUse', { stdout: 'checked' })).toEqual({ outcome: 'ok' });
  });

  test.each(['{"decision": "bl', '{not json}'])('JSON that cannot be parsed is a failure: %s', (stdout) => {
    expect(read('PreToolUse', { stdout }).outcome).toBe('failed');
  });

  test('JSON that does not fit, or is too long, is a failure', () => {
    expect(json('PreToolUse', { decision: 'perhaps' }).problem).toContain('decision');
    expect(read('PreToolUse', { stdout: '{"a":"', isCut: true }).problem).toContain('more JSON');
  });

  test('a tool hook’s JSON decides', () => {
    expect(
      specific('PreToolUse', {
        permissionDecision: 'ask',
        permissionDecisionReason: 'sure?',
        updatedInput: { command: 'ls' },
        additionalContext: 'note',
      }),
    ).toEqual({
      outcome: 'ok',
      permission: { behavior: 'ask', reason: 'sure?' },
      updatedInput: { command: 'ls' },
      context: 'note',
    });
    expect(json('PreToolUse', { decision: 'block', reason: 'no' })).toEqual({
      outcome: 'blocked',
      permission: { behavior: 'deny', reason: 'no' },
    });
    expect(json('PreToolUse', { decision: 'approve' }).permission).toEqual({ behavior: 'allow', reason: '' });
    expect(specific('PreToolUse', { permissionDecision: 'defer' }).permission?.behavior).toBe('ask');
  });

  test('a permission request is decided by its own field', () => {
    expect(
      specific('PermissionRequest', { decision: { behavior: 'deny', message: 'no', interrupt: true } }),
    ).toEqual({
      outcome: 'blocked',
      permission: { behavior: 'deny', reason: 'no' },
      interrupts: true,
    });
  });

  test('fields meant for another event are ignored', () => {
    const hookSpecificOutput = {
      hookEventName: 'PreToolUse',
      permissionDecision: 'allow',
      additionalContext: 'x',
    };
    expect(json('PermissionRequest', { hookSpecificOutput })).toEqual({ outcome: 'ok' });
  });

  test('continue: false ends the turn; a message is for the user', () => {
    expect(json('PostToolUse', { continue: false, stopReason: 'enough', systemMessage: 'hi' })).toEqual({
      outcome: 'ok',
      stop: 'enough',
      message: 'hi',
    });
  });

  test('control characters are removed from texts, and long texts are cut', () => {
    const hidden = read('UserPromptSubmit', { stdout: 'a\u001b[31mb\u0000\u202ec' });
    expect(hidden.context).toBe('a[31mbc');
    const long = specific('PostToolUse', { additionalContext: 'x'.repeat(50_000) }).context ?? '';
    expect(long.slice(10_000)).toBe('\n(cut at 10000 characters)');
  });
});

describe('several hooks', () => {
  const finished = (source: string, verdict: Partial<HookVerdict>): FinishedHook => ({
    run: {
      ...{ id: source, event: 'PreToolUse', name: 'PreToolUse:Bash', label: 'x', source, outcome: 'ok' },
      ...{ durationMs: 1, stdout: '', stderr: '' },
    },
    verdict: { outcome: 'ok', ...verdict },
    isManaged: false,
  });
  const decision = (behavior: 'allow' | 'ask' | 'deny', reason = behavior): Partial<HookVerdict> => ({
    permission: { behavior, reason },
  });

  test('deny overrides ask, ask overrides allow', () => {
    const [allow, ask, deny] = [
      finished('a', decision('allow')),
      finished('b', decision('ask')),
      finished('c', decision('deny')),
    ] as const;
    expect(combine([allow, ask, deny]).permission).toMatchObject({ behavior: 'deny', source: 'c' });
    expect(combine([allow, ask]).permission).toMatchObject({ behavior: 'ask', source: 'b' });
    expect(combine([allow]).permission).toMatchObject({ behavior: 'allow', source: 'a' });
  });

  test('the last input applies, and an allow applies only to the same hook’s input', () => {
    const changing = finished('b', { updatedInput: { command: 'rm -rf /' } });
    const answer = combine([finished('a', decision('allow')), changing]);
    expect(answer.updatedInput).toEqual({ value: { command: 'rm -rf /' }, source: 'b' });
    expect(answer.permission).toBeUndefined();
    const own = combine([finished('a', { ...decision('allow'), updatedInput: { command: 'ls' } })]);
    expect(own.permission?.behavior).toBe('allow');
  });

  test('contexts are joined up to a limit', () => {
    const answer = combine(
      Array.from({ length: 9 }, (_, i) => finished(`f${i}`, { context: 'x'.repeat(9000) })),
    );
    expect(answer.contexts.map(({ text }) => text.length)).toEqual([9000, 9000, 9000, 3031]);
  });
});
