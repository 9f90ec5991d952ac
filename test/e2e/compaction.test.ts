/**
 * A conversation that outgrows its window: automatic compaction, compaction on request, and a summary that fails or is
 * stopped.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import type { ModelServer, ScriptedReply, WireRequest } from './support/server.ts';
import { setUpProgram } from './support/testProgram.ts';
import { countRequest } from './support/tokens.ts';
import { expectPairedCalls, textOf } from './support/wire.ts';

const WINDOW = 8000;
const STEPS = 14;
const summary = `1. Primary request and intent
Read the whole parser, 40 lines at a time. The user said: "leave nothing out".
2. Key technical decisions
None yet.
5. Current work status
Reading goes on.`;

test('a long task in a window of 8,000 tokens compacts automatically and completes', async () => {
  const { server, work, ready } = await setUpProgram();
  longTask(server, () => ({ text: summary }));
  const terminal = await ready(['--context-window', String(WINDOW)]);
  await terminal.submit('Read the whole parser and leave nothing out');
  await terminal.waitForPrinted('All of it is read.', 60_000);
  await terminal.waitForIdle();
  expect(terminal.everything()).toMatch(/Conversation compacted: .* tokens · automatic/);

  const requests = server.requests();
  expect(requests.filter((request) => !isSummary(request))).toHaveLength(STEPS + 1);
  expect(requests.filter(isSummary).length).toBeGreaterThan(0);
  for (const request of requests) {
    expect(countRequest(request)).toBeLessThan(WINDOW);
    expectPairedCalls(request);
    expect(JSON.stringify(request.messages)).toContain('leave nothing out');
  }
  const entries = (await work.sessions())[0]?.entries ?? [];
  const boundaries = entries.filter((entry) => entry.subtype === 'compact_boundary');
  expect(boundaries.length).toBeGreaterThan(0);
  for (const { compactMetadata } of boundaries) {
    expect(compactMetadata).toMatchObject({ trigger: 'auto', success: true });
    expect(compactMetadata?.postTokens).toBeLessThan(compactMetadata?.preTokens ?? 0);
  }
  // Nothing in the log is lost: every call of the task and its only result are still there.
  const calls = entries.filter((entry) => entry.type === 'tool_use').map((entry) => entry.tool?.id);
  const results = entries
    .filter((entry) => entry.type === 'tool_result')
    .map((entry) => entry.toolResult?.id);
  expect(calls).toHaveLength(STEPS);
  expect(results).toEqual(calls);
});

test('the summary request reuses the conversation’s cached prefix', async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/scan.js' } }] },
    { text: 'It scans.' },
    { text: 'It also counts.' },
    { text: summary },
  );
  const terminal = await ready();
  await terminal.submit('look at the scanner');
  await terminal.waitFor('It scans.');
  await terminal.waitForIdle();
  await terminal.submit('and what else?');
  await terminal.waitFor('It also counts.');
  await terminal.waitForIdle();
  await terminal.submit('/compact');
  await terminal.waitFor('Conversation compacted');
  const [, , before, asked] = server.requests();
  if (before === undefined || asked === undefined) throw new Error('too few requests');
  const prefix = asked.messages.slice(0, -1);
  // All of the request before, and the reply to it.
  expect(JSON.stringify(prefix.slice(0, -1))).toBe(JSON.stringify(before.messages));
  expect(prefix.at(-1)?.content).toBe('It also counts.');
  expect(asked.tools).toEqual(before.tools);
  expect(asked.tool_choice).toBe('none');
});

test('/compact with a focus reports what it saved and which files it kept', async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/utils.js' } }] },
    { calls: [{ name: 'Read', input: { file_path: 'lib/parse.js', limit: 400 } }] },
    { text: 'Both read.' },
    { text: summary },
    { text: 'Yes, I remember.' },
  );
  const terminal = await ready();
  await terminal.submit('read lib/utils.js and lib/parse.js');
  await terminal.waitFor('Both read.');
  await terminal.waitForIdle();
  await terminal.submit('/compact the escaping rules');
  await terminal.waitForPrinted(
    /Conversation compacted: [\d.k]+ → [\d.k]+ tokens .*focus: the escaping rules/,
  );
  await terminal.waitForPrinted(/files? kept: .*lib\/(utils|parse)\.js/);
  await terminal.waitForIdle();
  expect(textOf(server.requests()[3]?.messages.at(-1))).toContain('the escaping rules');

  await terminal.submit('do you remember?');
  await terminal.waitFor('Yes, I remember.');
  const last = server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  const text = JSON.stringify(last.messages);
  expect(text).toContain('40 lines at a time');
  expect(text).toContain('read lib/utils.js and lib/parse.js');
  expect(last.messages[0]).toEqual(server.requests()[0]?.messages[0]);
  expect(last.messages.at(-1)).toEqual({ role: 'user', content: 'do you remember?' });
  expect(countRequest(last)).toBeLessThan(countRequest(server.requests()[2] as WireRequest));
});

test('if the summary fails, the session says so and continues', async () => {
  const { server, work, ready } = await setUpProgram();
  longTask(server, () => ({ error: { status: 400, message: 'no summaries today' } }));
  const terminal = await ready(['--context-window', String(WINDOW)]);
  await terminal.submit('Read the whole parser and leave nothing out');
  await terminal.waitForPrinted('All of it is read.', 60_000);
  await terminal.waitForIdle();
  expect(terminal.everything()).toMatch(/! Summary failed: .*no\s+summaries\s+today/s);
  expect(terminal.everything()).toContain('⎿ No model summary: rebuilt from the log instead');
  for (const request of server.requests().filter((one) => !isSummary(one))) {
    expect(countRequest(request)).toBeLessThan(WINDOW);
    expectPairedCalls(request);
    expect(JSON.stringify(request.messages)).toContain('leave nothing out');
  }
  const entries = (await work.sessions())[0]?.entries ?? [];
  const boundary = entries.find((entry) => entry.subtype === 'compact_boundary');
  expect(boundary?.compactMetadata).toMatchObject({ success: false });
});

test('Esc during /compact leaves the conversation unchanged', async () => {
  const { server, work, ready } = await setUpProgram();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/scan.js' } }] },
    { text: 'It scans.' },
    { text: summary.repeat(20), latency: 60, chunkSize: 5 },
    { text: 'All still here.' },
  );
  const terminal = await ready();
  await terminal.submit('look at the scanner');
  await terminal.waitFor('It scans.');
  await terminal.waitForIdle();
  await terminal.submit('/compact');
  await terminal.waitFor('Compacting the conversation');
  await server.waitForRequests(3);
  await terminal.pause(300);
  await terminal.press(keys.escape);
  await terminal.waitForIdle();
  await terminal.submit('is it all there?');
  await terminal.waitFor('All still here.');
  const [, before, , after] = server.requests();
  expect(after?.messages).toEqual([
    ...(before?.messages ?? []),
    { role: 'assistant', content: 'It scans.' },
    { role: 'user', content: 'is it all there?' },
  ]);
  const entries = (await work.sessions())[0]?.entries ?? [];
  expect(entries.some((entry) => entry.subtype === 'compact_boundary')).toBe(false);
});

test('text typed during /compact is kept and sent afterwards', async () => {
  const { server, ready } = await setUpProgram();
  const calls = [{ name: 'Grep', input: { pattern: 'opts|state', path: 'lib', output_mode: 'content' } }];
  server.script(
    { calls },
    { text: 'word '.repeat(60), latency: 50, chunkSize: 8 },
    { text: 'A second answer.' },
    { text: summary, latency: 50, chunkSize: 8 },
    { text: 'An answer afterwards.' },
  );
  const terminal = await ready();
  await terminal.submit('look around');
  await terminal.waitFor('word word');
  await terminal.waitForIdle();
  await terminal.submit('look again');
  await terminal.waitFor('A second answer.');
  await terminal.waitForIdle();
  await terminal.submit('/compact');
  await terminal.waitFor('Compacting the conversation');
  await terminal.submit('one more thing');
  await terminal.waitForPrinted('Conversation compacted');
  await terminal.waitForPrinted('An answer afterwards.');
  const last = server.requests().at(-1);
  if (last === undefined) throw new Error('no request');
  expectPairedCalls(last);
  expect(JSON.stringify(last.messages)).toContain('40 lines at a time');
  expect(last.messages.at(-1)).toEqual({ role: 'user', content: 'one more thing' });
  expect(server.requests()).toHaveLength(5);
});

/** Reads the parser in parts, then says that it is done; `summarize` writes the summaries. */
function longTask(server: ModelServer, summarize: () => ScriptedReply): void {
  let step = 0;
  server.otherwise((request) => {
    if (isSummary(request)) return summarize();
    step++;
    if (step > STEPS) return { text: 'All of it is read.' };
    return {
      text: `Part ${step}.`,
      calls: [{ name: 'Read', input: { file_path: 'lib/parse.js', offset: (step - 1) * 95 + 1, limit: 95 } }],
    };
  });
}

function isSummary(request: WireRequest): boolean {
  return request.tool_choice === 'none';
}
