import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { SessionNotFoundError } from '../../src/context/index.ts';
import { headerOf } from '../../src/context/sessionEntries.ts';
import { shellOutput } from '../../src/protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { ask, call, configuration, createTestHome, outcome, say } from './harness.ts';

test('after a restart, a session has its header and sends the same request byte for byte', async () => {
  const home = await createTestHome();
  const first = home.manager();
  const id = await first.createSession(
    'ann',
    { theme: 'dark' },
    { ...configuration, instructions: 'Use tabs.', model: 'm' },
  );
  await first.addMessage('user', 'hello');
  await first.appendReply(ask([call('call_0'), call('call_1')], 'looking'));
  await first.appendToolResult({ call: call('call_0'), outcome: outcome('one') });
  await first.append({
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content: 'typed meanwhile' },
  });
  await first.appendToolResult({ call: call('call_1'), outcome: outcome('two') });
  await first.append({ type: 'system', subtype: 'mode', message: { role: 'system', content: 'plan mode' } });
  const before = await first.buildRequest(home.options());
  await first.close();

  const second = home.manager();
  const report = await second.loadSession(id.slice(0, 8));
  expect(report).toMatchObject({ sessionId: id, closedCalls: 0, damaged: [] });
  const after = await second.buildRequest(home.options());
  expect(JSON.stringify(after)).toBe(JSON.stringify(before));
  expect(headerOf(second.entries())).toMatchObject({
    userId: 'ann',
    preferences: { theme: 'dark' },
    configuration: { model: 'm' },
  });
  expect(second.getMessages().map((message) => message.role)).toEqual([
    'system',
    'user',
    'user',
    'assistant',
    'tool',
    'tool',
    'user',
    'user',
  ]);
  expect(second.getMessages().at(-1)?.content).toBe('<system-note>\nplan mode\n</system-note>');
});

test('a call cut short by a crash gets one synthetic result, and the request does not change', async () => {
  const home = await createTestHome();
  const first = home.manager();
  const id = await first.createSession(undefined, {}, configuration);
  await first.addMessage('user', 'go');
  await first.appendReply(ask([call('a', 'Bash', { command: 'rm x' }), call('b')]));
  await first.appendToolResult({ call: call('a'), outcome: outcome('done') });
  const before = JSON.stringify(first.getMessages());
  await first.close();

  const second = home.manager();
  expect(await second.loadSession(id)).toMatchObject({ closedCalls: 1 });
  expect(JSON.stringify(second.getMessages())).toBe(before);
  expect(before).toContain('may or may not have taken effect');
  const count = second.entries().length;
  await second.close();
  const third = home.manager();
  expect(await third.loadSession(id)).toMatchObject({ closedCalls: 0, entries: count });
});

test('an entry is on disk before subscribers see it, and a subscriber that throws does not affect the others', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const seen: boolean[] = [];
  context.subscribe(() => {
    throw new Error('a bug');
  });
  const file = context.filePath() ?? '';
  const reads: Promise<void>[] = [];
  context.subscribe((entry) => {
    reads.push(readFile(file, 'utf8').then((text) => void seen.push(text.includes(entry.uuid))));
  });
  await context.appendReply(ask([call('a'), call('b')]));
  await Promise.all(reads);
  expect(seen).toEqual([true, true, true]);
});

test('fails with a clear error without a session, and never creates one for an unknown id', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await expect(context.addMessage('user', 'x')).rejects.toThrow('There is no open session');
  await expect(context.loadSession('nope')).rejects.toBeInstanceOf(SessionNotFoundError);
  expect(context.getCurrentSessionId()).toBeUndefined();
});

test('stores a large result in full, and sends it shortened with a note at the top', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  const text = 'x'.repeat(1_000_000);
  await context.appendReply(ask([call('a')]));
  const entry = await context.appendToolResult({ call: call('a'), outcome: outcome(text) });
  const output = String(entry.toolResult?.output);
  expect(Buffer.byteLength(output)).toBeLessThanOrEqual(51_200);
  expect(entry.toolResult?.status).toBe('partial');
  const id = /Recall\("(\w+)"\)/.exec(output)?.[1] ?? '';
  const recalled = await context.recall({ id, offset: 500_000, limit: 1000 }, new AbortController().signal);
  expect(recalled.text.endsWith(`\n${'x'.repeat(1000)}`)).toBe(true);
  expect(output.startsWith('[Output truncated')).toBe(true);
});

test('remembers files read and written, and the todo list, after a restart', async () => {
  const home = await createTestHome();
  const first = home.manager();
  const id = await first.createSession(undefined, {}, configuration);
  const todos = [{ content: 'fix it', status: 'pending' as const }];
  await first.appendReply(ask([call('a'), call('b')]));
  const filesRead = [
    { path: '/p/a.ts', hash: 'h1' },
    { path: '/p/b.ts', hash: 'h2' },
  ];
  await first.appendToolResult({ call: call('a'), outcome: outcome('x', { filesRead }) });
  const filesChanged = [
    { path: '/p/a.ts', kind: 'modified' as const, hash: 'h3' },
    { path: '/p/b.ts', kind: 'deleted' as const },
  ];
  await first.appendToolResult({ call: call('b'), outcome: outcome('x', { filesChanged, todos }) });
  await first.close();
  const second = home.manager();
  await second.loadSession(id);
  expect(second.fileReads('/p/a.ts')).toBe('h3');
  expect(second.fileReads('/p/b.ts')).toBeUndefined();
  expect(second.todos()).toEqual(todos);
});

test('the usage reported by the server corrects the estimate, even after a restart', async () => {
  const home = await createTestHome();
  const context = home.manager();
  const id = await context.createSession(undefined, {}, configuration);
  await context.addMessage('user', 'word '.repeat(2000));
  const before = context.measure([]).usedTokens;
  await context.buildRequest(home.options());
  await context.appendReply(say('ok', { inputTokens: before * 2, outputTokens: 1 }));
  const corrected = context.measure([]).usedTokens;
  expect(corrected).toBeGreaterThan(before * 1.9);
  await context.close();
  const again = home.manager();
  await again.loadSession(id);
  expect(again.measure([]).usedTokens).toBe(corrected);
});

test('the parts of a measurement add up to the used tokens, and the trigger follows from the window', async () => {
  const home = await createTestHome({ waits: true, windowTokens: 8000 });
  home.tools = [{ name: 'Read', description: 'reads', parameters: { type: 'object' } }];
  const context = home.manager();
  await context.createSession(undefined, {}, { ...configuration, instructions: 'Be kind.' });
  await context.addMessage('user', 'hello');
  const measure = context.measure(home.tools);
  expect(measure.parts.map(({ name }) => name)).toEqual([
    'tools',
    'system',
    'instructions',
    'summary',
    'memories',
    'masked',
    'history',
    'input',
    'reminder',
  ]);
  expect(measure.parts.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(measure.usedTokens);
  expect(measure).toMatchObject({ windowTokens: 8000, replyReserveTokens: 2000, triggerTokens: 5500 });
});

test('a user’s command and its output reach the model as one message', async () => {
  const home = await createTestHome();
  const context = home.manager();
  await context.createSession(undefined, {}, configuration);
  await context.appendShell('git status', outcome('clean', { kind: 'command' }));
  expect(context.getMessages().at(-1)).toEqual({
    role: 'user',
    content: 'The user ran a command in the shell:\n$ git status\n\nclean',
  });
  const entry = context.entries().at(-1) as JSONLEntry;
  expect(entry.data).toMatchObject({ command: 'git status' });
  expect(shellOutput(entry)).toBe('clean');
  expect(JSON.stringify(entry).split('clean')).toHaveLength(2);
});

test('the layers of the context are filled from the log', async () => {
  const home = await createTestHome();
  const context = home.manager();
  const sessionId = await context.createSession('ann', { a: 1 }, configuration);
  await context.appendReply(ask([call('a')]));
  await context.appendToolResult({ call: call('a'), outcome: outcome('x') });
  expect(context.getContext()).toMatchObject({
    layers: {
      session: { sessionId, userId: 'ann', preferences: { a: 1 } },
      tool: { recentCalls: [{ toolName: 'Read', success: true }] },
      workspace: { projectPath: home.root },
    },
  });
});
