/** Subagents, from the model's call to the screen, the log and the state after a crash. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { keys } from '../ui/screen.ts';
import { linesOf } from './support/jsonLines.ts';
import type { ScriptedReply, WireRequest } from './support/server.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

/** A request of a subagent for this task. */
const isOf = (request: WireRequest, task: string): boolean =>
  request.messages.some((message) => message.role === 'user' && textOf(message).includes(task));

const agentCall = (agent: string, description: string, prompt: string, more: object = {}) => ({
  name: 'Agent',
  input: { subagent_type: agent, description, prompt, ...more },
});

async function idOf({ work }: TestProgram): Promise<string> {
  return (await work.sessions())[0]?.entries[0]?.sessionId ?? '';
}

/** The logs of the subagents of this repository's only session, by id. */
async function childLogs({ work }: TestProgram): Promise<Record<string, JSONLEntry[]>> {
  const [session] = await work.sessions();
  if (session === undefined) throw new Error('there is no session');
  const folder = join(session.file, '..', 'agents', session.entries[0]?.sessionId ?? '');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return Object.fromEntries(
    files.map((name) => [
      name.replace('.jsonl', ''),
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JSONLEntry),
    ]),
  );
}

test('a subagent works in its own session, and returns only its message', async () => {
  const setup = await setUpProgram();
  const { server, ready } = setup;
  server.script(
    { calls: [agentCall('explore', 'find the entry', 'Where does the package begin?')] },
    { calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
    { text: 'It begins in index.js.' },
    { text: 'So index.js it is.' },
  );
  const terminal = await ready();
  await terminal.submit('look around');
  await terminal.waitFor('So index.js it is.');
  await terminal.waitForIdle();
  expect(terminal.everything()).toMatch(
    /● Agent\(explore: find the entry\) {2}2 steps · [\d.]+k tokens · \d+ s/,
  );
  const [first, child, , last] = server.requests();
  expect(first?.tools?.map((tool) => tool.function.name)).toContain('Agent');
  const offered = child?.tools?.map((tool) => tool.function.name) ?? [];
  expect(offered).toContain('Grep');
  expect(offered).not.toContain('Agent');
  expect(offered).not.toContain('Edit');
  expect(child !== undefined && isOf(child, 'Where does the package begin?')).toBe(true);
  expect(JSON.stringify(child?.messages)).not.toContain('look around');
  expect(textOf(last?.messages.at(-1))).toMatch(/^It begins in index\.js\.\n\n\(explore a1: 2 steps, /);

  const { a1 = [] } = await childLogs(setup);
  expect(a1[0]?.data).toMatchObject({ configuration: { subagent: { agent: 'explore' } } });
  expect(a1.flatMap((entry) => entry.toolResult?.name ?? [])).toEqual(['Read']);
  const [session] = await setup.work.sessions();
  const spent = session?.entries.filter(({ subtype }) => subtype === 'usage') ?? [];
  expect(spent.map((entry) => entry.message.usage?.input_tokens)).toHaveLength(2);
  // It is not a separate session. Matched as a word, because the letters may occur in the session's id.
  expect((await setup.print(['session', 'list'])).stdout).not.toMatch(/\ba1\b/);

  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor('Read(package.json)');
});

/** Replies by the requesting agent: each list is used up in order. */
function answering(server: TestProgram['server'], scripts: Readonly<Record<string, ScriptedReply[]>>): void {
  server.otherwise((request) => {
    const task = Object.keys(scripts).find((name) => name !== 'main' && isOf(request, name)) ?? 'main';
    return scripts[task]?.shift() ?? { error: { status: 400, message: `nothing left to say for ${task}` } };
  });
}

test('one of three in parallel asks by name and gets its answer, and a rewind undoes its changes', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, ready, work } = setup;
  answering(server, {
    'TASK-ONE': [{ text: 'One is found.' }],
    'TASK-TWO': [
      { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'made by two\n' } }] },
      { text: 'Two is written.' },
    ],
    'TASK-THREE': [
      { calls: [{ name: 'Grep', input: { pattern: 'module.exports' } }] },
      { text: 'Three is searched.' },
    ],
    main: [
      {
        calls: [
          agentCall('explore', 'find one', 'Do TASK-ONE.'),
          agentCall('general-purpose', 'write two', 'Do TASK-TWO.'),
          agentCall('explore', 'search three', 'Do TASK-THREE.'),
        ],
      },
      { text: 'All three are back.' },
    ],
  });
  const terminal = await ready();
  await terminal.submit('do all three');
  await terminal.waitFor('general-purpose: write two asks: Write made.txt');
  expect(existsSync(join(work.repository, 'made.txt'))).toBe(false);
  await terminal.answer('y');
  await terminal.waitFor('All three are back.');
  await terminal.waitForIdle();
  const printed = terminal.everything();
  for (const line of ['explore: find one', 'general-purpose: write two', 'explore: search three'])
    expect(printed).toMatch(new RegExp(`● Agent\\(${line}\\) {2}\\d steps? · `));
  expect(await work.read('made.txt')).toBe('made by two\n');
  expect(printed).toMatch(/1 file/);
  expect(Object.keys(await childLogs(setup)).sort()).toEqual(['a1', 'a2', 'a3']);
  const verified = await setup.print(['session', 'verify', await idOf(setup)]);
  expect(verified).toMatchObject({ code: 0, stderr: '' });

  await terminal.submit('/rewind 1');
  await terminal.waitFor('4. Fork from there');
  await terminal.press('1');
  await terminal.waitFor('Enter confirms');
  await terminal.answer(keys.enter);
  await terminal.until(() => !existsSync(join(work.repository, 'made.txt')), 'the file is gone');
});

test('Esc stops the turn and every subagent that it waits for', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const { server, ready } = setup;
  const slow: ScriptedReply = { text: 'still looking '.repeat(500), latency: 200, chunkSize: 4 };
  server.script(
    {
      calls: [
        agentCall('explore', 'look left', 'Look left.'),
        agentCall('explore', 'look right', 'Look right.'),
      ],
    },
    slow,
    slow,
  );
  const terminal = await ready();
  await terminal.submit('look both ways');
  await terminal.waitFor(/Agent\(explore: look left\) {2}step 1 · thinking/);
  await terminal.waitFor(/Agent\(explore: look right\) {2}step 1 · thinking/);
  await server.waitForRequests(3);
  await terminal.press(keys.escape);
  await terminal.waitForIdle();
  const printed = terminal.everything();
  expect(printed).toMatch(/Agent\(explore: look left\) {2}stopped/);
  expect(printed).toMatch(/Agent\(explore: look right\) {2}stopped/);
  expect(server.requests()).toHaveLength(3);
});

test('after kill -9 the resumed session says which subagent was running and what it had found', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, ready, open } = setup;
  server.script(
    { calls: [agentCall('explore', 'read it all', 'Read everything.')] },
    { text: 'First, the package.', calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
    { text: 'never ends '.repeat(500), latency: 200, chunkSize: 4 },
  );
  const terminal = await ready();
  await terminal.submit('read all of it');
  await terminal.waitFor(/Agent\(explore: read it all\) {2}step 2/);
  await server.waitForRequests(3);
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exited;
  server.otherwise(() => ({ text: 'I see how far it came.' }));
  const again = open(['--continue']);
  await again.waitFor(/context ~?\d+%/);
  await again.waitFor('One tool call was cut short');
  await again.submit('how far did it come?');
  await again.waitFor('I see how far it came.');
  const result = server
    .requests()
    .at(-1)
    ?.messages.find(({ role }) => role === 'tool');
  expect(textOf(result)).toContain(
    'The program stopped while subagent a1 (explore: read it all) was running, after 1 step',
  );
  expect(textOf(result)).toContain('First, the package.');
  expect(textOf(result)).toContain('- Read(package.json)');
});

test('after kill -9 the resumed session reports once what a background subagent had found', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, ready, open } = setup;
  answering(server, {
    'TASK-SLOW': [
      { text: 'First, the package.', calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
      { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'x' } }] },
    ],
    main: [
      { calls: [agentCall('general-purpose', 'read it all', 'Do TASK-SLOW.', { run_in_background: true })] },
      { text: 'It runs.' },
      { text: 'I see how far it came.' },
      { text: 'And now it is over.' },
    ],
  });
  const terminal = await ready();
  await terminal.submit('read all of it');
  await terminal.waitForPrinted('It runs.');
  // It cannot end, because the question stays open.
  await terminal.waitFor('read it all asks: Write made.txt?');
  process.kill(terminal.pid, 'SIGKILL');
  await terminal.exited;
  const again = open(['--continue']);
  await again.waitForPrinted(
    'A background subagent stopped with the program: a1 (general-purpose: read it all).',
  );
  await again.waitFor(/context ~?\d+%/);
  await again.submit('how far did it come?');
  await again.waitFor('I see how far it came.');
  const told = (request: WireRequest | undefined) =>
    JSON.stringify(request?.messages).split('while subagent a1 (general-purpose: read it all) was running')
      .length - 1;
  const last = server.requests().at(-1);
  expect(told(last)).toBe(1);
  expect(JSON.stringify(last?.messages)).toContain('First, the package.');
  expect(JSON.stringify(last?.messages)).toContain('- Read(package.json)');
  await again.waitForIdle();
  await again.submit('/exit');
  await again.exited;
  const third = open(['--continue']);
  await third.waitFor(/context ~?\d+%/);
  await third.submit('and now?');
  await third.waitFor('And now it is over.');
  expect(told(server.requests().at(-1))).toBe(1);
  expect(third.everything()).not.toContain('stopped with the program');
});

const REVIEWER = `---
name: reviewer
description: reviews what was changed
tools: Read, Grep
permissionMode: bypassPermissions
---
You are the reviewer of this house.
`;

test('a repository’s agent is listed but not used before the folder is trusted, and used after that', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, open, work } = setup;
  mkdirSync(join(work.repository, '.claude', 'agents'), { recursive: true });
  await work.write('.claude/agents/reviewer.md', REVIEWER);
  server.otherwise(() => ({ text: 'Hello.' }));
  const untrusted = await setup.print(['-p', 'hi']);
  expect(untrusted.stderr).toContain('The subagent reviewer is not used, because this folder is not trusted');
  expect(JSON.stringify(server.requests()[0]?.tools)).not.toContain('reviewer');

  const terminal = open();
  await terminal.waitFor('Defines a subagent that the model may start:');
  await terminal.waitFor(/reviewer\s+\(tools\s+Read,\s+Grep;\s+mode\s+bypassPermissions\)/);
  await terminal.waitFor(/reviews\s+what\s+was\s+changed/);
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('/agents');
  await terminal.waitFor('.claude/agents/reviewer.md');
  expect(terminal.everything()).toContain('From this project');
  server.script(
    { calls: [agentCall('reviewer', 'check it', 'Check it.')] },
    { text: 'It is fine.' },
    { text: 'The reviewer agrees.' },
  );
  const before = server.requests().length;
  await terminal.submit('review');
  await terminal.waitFor('The reviewer agrees.');
  const child = server.requests()[before + 1];
  expect(textOf(child?.messages[0])).toContain('You are the reviewer of this house.');
  expect(child?.tools?.map((tool) => tool.function.name)).toEqual(['Read', 'Grep']);

  // A changed definition is not approved.
  await work.write('.claude/agents/reviewer.md', `${REVIEWER}Do evil.\n`);
  const changed = await setup.print(['-p', 'hi again']);
  expect(changed.stderr).toContain(
    'The subagent reviewer is not used, because you have not approved its definition',
  );
});

test('with -p, a subagent’s lines name its call, explore cannot change anything, and its log is deleted with the session', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, print, work } = setup;
  server.script(
    { calls: [agentCall('explore', 'make it', 'Make a file.', { run_in_background: true })] },
    { calls: [{ name: 'Bash', input: { command: 'touch made.txt' } }] },
    { text: 'I may not.' },
    { text: 'It could not.' },
  );
  const { stdout, code } = await print([
    ...['-p', '--output-format', 'stream-json', '--permission-mode', 'bypassPermissions'],
    'make it',
  ]);
  expect(code).toBe(0);
  const lines = linesOf(stdout);
  expect(lines[0]).toMatchObject({ type: 'system', subtype: 'init', agents: ['explore', 'general-purpose'] });
  const ofChild = lines.filter(({ parent_tool_use_id: parent }) => typeof parent === 'string');
  const parents = new Set(ofChild.map(({ parent_tool_use_id: parent }) => parent));
  expect([...parents]).toEqual([expect.stringMatching(/^call_/)]);
  expect(stdout).toContain(`{"type":"tool_use","id":"${[...parents][0]}","name":"Agent"`);
  expect(ofChild.map(({ type }) => type)).toEqual(['assistant', 'user', 'assistant']);
  expect(JSON.stringify(ofChild[1])).toContain('explore changes nothing');
  expect(existsSync(join(work.repository, 'made.txt'))).toBe(false);
  const result = lines.at(-1);
  expect(result).toMatchObject({ result: 'It could not.', permission_denials: [{ tool_name: 'Bash' }] });

  const audited = await print(['session', 'audit', await idOf(setup)]);
  expect(audited.stdout).toMatch(/Subagent a1: \S+a1\.jsonl\n.*denied {2}Bash {2}touch made\.txt/);
  const [session] = await work.sessions();
  const id = session?.entries[0]?.sessionId ?? '';
  const folder = join(session?.file ?? '', '..', 'agents', id);
  expect(existsSync(folder)).toBe(true);
  expect((await print(['session', 'delete', id, '--yes'])).code).toBe(0);
  expect(existsSync(folder)).toBe(false);
});

const summary = `1. Primary request and intent
Read the whole parser, 40 lines at a time. The user said: "leave nothing out".
2. Key technical decisions
None yet.
5. Current work status
Reading goes on.`;

test('a compaction after a subagent’s result keeps what it found', { tags: 'long' }, async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    { calls: [agentCall('explore', 'find the entry', 'Where does it begin?')] },
    { text: `It begins in index.js. ${'There is more to say about that. '.repeat(400)}` },
    { text: 'So index.js it is.' },
    { text: 'It also counts.' },
    { text: summary },
    { text: 'I still know index.js.' },
  );
  const terminal = await ready();
  await terminal.submit('look around');
  await terminal.waitFor('So index.js it is.');
  await terminal.waitForIdle();
  await terminal.submit('and what else?');
  await terminal.waitFor('It also counts.');
  await terminal.waitForIdle();
  await terminal.submit('/compact');
  await terminal.waitForPrinted('Conversation compacted');
  await terminal.waitForIdle();
  await terminal.submit('and now?');
  await terminal.waitFor('I still know index.js.');
  expect(server.requests()).toHaveLength(6);
});

test('in plain mode the start, questions and end of a subagent are lines', {
  tags: 'long',
}, async () => {
  const { server, open } = await setUpProgram();
  server.script(
    { calls: [agentCall('general-purpose', 'write it', 'Write it.')] },
    { calls: [{ name: 'Write', input: { file_path: 'made.txt', content: 'x\n' } }] },
    { text: 'It is written.' },
    { text: 'All done.' },
  );
  const terminal = open(['--ax-screen-reader']);
  await terminal.waitFor('/help lists');
  await terminal.submit('go');
  await terminal.waitFor('Running Agent: general-purpose: write it');
  await terminal.waitFor('Subagent general-purpose: write it asks. Question: may Write do this?');
  await terminal.waitFor('Answer y, a or n.');
  await terminal.waitForQuietTime();
  await terminal.submit('y');
  await terminal.waitFor('All done.');
  expect(terminal.everything()).toContain('Agent: general-purpose: write it. Done, 2 steps, ');
});

test('the model cannot send a subagent’s conversation to a model that the user has not chosen', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server } = setup;
  const models = { 'own-small': { contextWindow: 50_000 } };
  mkdirSync(setup.work.data, { recursive: true });
  writeFileSync(join(setup.work.data, 'config.json'), JSON.stringify({ models }));
  server.script(
    { calls: [agentCall('explore', 'leak', 'Leak it.', { model: 'evil/logger' })] },
    { calls: [agentCall('explore', 'look', 'Look.', { model: 'own-small' })] },
    { text: 'Looked.' },
    { text: 'Done.' },
  );
  await setup.print(['-p', 'go']);
  const requests = server.requests();
  expect(requests.map(({ model }) => model)).toEqual([
    requests[0]?.model,
    requests[0]?.model,
    'own-small',
    requests[0]?.model,
  ]);
  expect(textOf(requests[1]?.messages.at(-1))).toContain('A subagent may not use the model "evil/logger".');
});

test('a definition sets how much its subagent’s model reasons', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.script(
    { calls: [agentCall('thinker', 'think', 'Think about it.')] },
    { text: 'Thought.' },
    { text: 'Done.' },
  );
  const agents = { thinker: { description: 'thinks', prompt: 'Think hard.', effort: 'high' } };
  const { code } = await setup.print(['-p', 'go', '--agents', JSON.stringify(agents)]);
  expect(code).toBe(0);
  expect(setup.server.requests()).toMatchObject([{}, { reasoning_effort: 'high' }, {}]);
  expect(setup.server.requests()[0]).not.toHaveProperty('reasoning_effort');
});
