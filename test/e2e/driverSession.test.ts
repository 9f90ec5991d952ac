/**
 * Changes that a driving program makes during its session, and the SDK flags that set the session up.
 *
 * @module-tag long
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVER } from '../mcp/support/testServer.ts';
import { type Driver, startDriver } from './support/driver.ts';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const notes = { type: 'stdio', command: process.execPath, args: [SERVER] };
const call = (name: string, input: object) => ({ calls: [{ name, input }] });
const done = { text: 'Done.' };

/** Runs a prompt to its end; returns the names of the tools last offered to the model. */
async function turn({ server }: TestProgram, driver: Driver): Promise<readonly string[]> {
  driver.prompt('go');
  await driver.nextOf('result');
  return (
    server
      .requests()
      .at(-1)
      ?.tools?.map((tool) => tool.function.name) ?? []
  );
}
const lastResult = ({ server }: TestProgram): string => textOf(server.requests().at(-1)?.messages.at(-1));

test('servers can be disabled, enabled, added, replaced and removed', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(() => done);
  const driver = startDriver(setup, ['--mcp-config', JSON.stringify({ mcpServers: { notes } })]);
  const echo = 'mcp__notes__echo';
  expect(await turn(setup, driver)).toContain(echo);
  const toggle = (serverName: string, enabled: boolean) =>
    driver.request({ subtype: 'mcp_toggle', serverName, enabled });
  expect(await toggle('notes', false)).toMatchObject({ subtype: 'success' });
  expect(await turn(setup, driver)).not.toContain(echo);
  const status = await driver.request({ subtype: 'mcp_status' });
  expect(status.response).toMatchObject({ mcpServers: [{ name: 'notes', status: 'disabled' }] });
  const again = await driver.request({ subtype: 'mcp_reconnect', serverName: 'notes' });
  expect(again).toMatchObject({ subtype: 'error', error: expect.stringContaining('switched off') });
  await toggle('notes', true);
  expect(await turn(setup, driver)).toContain(echo);
  expect(await toggle('nosuch', false)).toMatchObject({ subtype: 'error' });

  const set = (servers: object) => driver.request({ subtype: 'mcp_set_servers', servers });
  const missing = { command: join(setup.work.home, 'nosuch') };
  expect((await set({ more: notes, missing })).response).toMatchObject({
    ...{ added: ['more', 'missing'], removed: [] },
    errors: { missing: expect.any(String) },
  });
  expect(await turn(setup, driver)).toEqual(expect.arrayContaining([echo, 'mcp__more__echo']));
  expect(await set({ 'bad name': notes })).toMatchObject({ subtype: 'error' });
  expect((await set({})).response).toEqual({ added: [], removed: ['more', 'missing'], errors: {} });
  const left = await turn(setup, driver);
  expect(left).toContain(echo);
  expect(left).not.toContain('mcp__more__echo');
  expect(await driver.end()).toMatchObject({ code: 0, stderr: '' });
});

test('the rules of --settings can be replaced; other settings are rejected, and then nothing changes', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const read = call('Read', { file_path: 'package.json' });
  setup.server.script(read, done, read, done, read, done);
  const deny = { permissions: { deny: ['Read(./package.json)'] } };
  const driver = startDriver(setup, ['--settings', JSON.stringify(deny)]);
  const apply = (settings: object) => driver.request({ subtype: 'apply_flag_settings', settings });
  await turn(setup, driver);
  expect(lastResult(setup)).toContain('Read(./package.json)');
  expect(await apply({ permissions: null, nosuch: 1 })).toMatchObject({ subtype: 'error' });
  expect(await apply({ permissions: { allow: ['Bash('] } })).toMatchObject({ subtype: 'error' });
  await turn(setup, driver);
  expect(lastResult(setup)).toContain('Read(./package.json)');
  expect(await apply({ permissions: null, model: 'mock-2' })).toMatchObject({ subtype: 'success' });
  await turn(setup, driver);
  expect(lastResult(setup)).toContain('picomatch');
  expect(setup.server.requests().at(-1)?.model).toBe('mock-2');
  await driver.end();
});

test('a driver can read a file only if the Read tool needs no approval for it', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { work } = setup;
  await work.write('.env', 'SECRET=1');
  await work.write('latin', 'x');
  await writeFile(join(work.repository, 'latin'), Buffer.from([0x61, 0xe9]));
  const driver = startDriver(setup);
  const read = (path: string, more: object = {}) => driver.request({ subtype: 'read_file', path, ...more });
  const whole = await read('package.json');
  expect(whole.response).toMatchObject({ absPath: join(work.repository, 'package.json'), lossy: false });
  expect(String(whole.response?.contents)).toContain('picomatch');
  expect((await read('package.json', { max_bytes: 5 })).response).toMatchObject({ truncated: true });
  expect((await read('latin')).response).toMatchObject({ lossy: true });
  const base64 = (await read('latin', { encoding: 'base64' })).response;
  expect(base64).toMatchObject({ contents: 'Yek=', encoding: 'base64' });
  for (const path of ['.env', 'nosuch', '.', '/etc/passwd', '../home/.bashrc'])
    expect(await read(path)).toMatchObject({ subtype: 'error' });
  await driver.end();
});

test('a tool of an MCP server decides about calls, with -p too; a call that it does not decide is denied', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, work, print } = setup;
  const write = (name: string) => call('Write', { file_path: name, content: 'made' });
  const guard = join(work.home, 'guard.mjs');
  await writeFile(guard, GUARD);
  const config = JSON.stringify({ mcpServers: { guard: { command: process.execPath, args: [guard] } } });
  const flags = ['--mcp-config', config, '--permission-prompt-tool', 'mcp__guard__approve'];
  server.script(write('yes'), write('no'), write('broken'), done);
  const ran = await print(['-p', 'go', '--output-format', 'json', ...flags]);
  expect(ran.code).toBe(0);
  expect(await work.read('yes')).toBe('changed');
  const denied = JSON.parse(ran.stdout).permission_denials as { tool_input: { file_path: string } }[];
  expect(denied.map(({ tool_input }) => tool_input.file_path)).toEqual(['no', 'broken']);
  expect(JSON.stringify(server.requests().at(-1)?.messages)).toContain('not this one');

  server.script(write('yes2'), done);
  const none = await print(['-p', 'go', '--output-format', 'json', ...flags, '--permission-prompts', 'none']);
  expect(JSON.parse(none.stdout).permission_denials).toHaveLength(1);
  server.script(write('yes2'), done);
  const unknown = await print(['-p', 'go', '--permission-prompt-tool', 'mcp__nosuch__approve']);
  expect(unknown.code).toBe(0);
  expect(JSON.stringify(server.requests().at(-1)?.messages)).toContain('no tool mcp__nosuch__approve');
});

const GUARD = `import { createInterface } from 'node:readline';
const send = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
const tool = { name: 'approve', description: 'Approves', inputSchema: { type: 'object' } };
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') send(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'guard', version: '1' } });
  else if (method === 'tools/list') send(id, { tools: [tool] });
  else if (method === 'tools/call') {
    const { input } = params.arguments;
    const text = {
      yes: JSON.stringify({ behavior: 'allow', updatedInput: { ...input, content: 'changed' } }),
      no: JSON.stringify({ behavior: 'deny', message: 'not this one' }),
    }[input.file_path] ?? 'I do not know.';
    send(id, { content: [{ type: 'text', text }] });
  } else if (id !== undefined) send(id, {});
}
`;

test('a session continues from one of its messages: a fork from any, the session itself from the end of a turn', {
  tags: 'long',
}, async () => {
  const { server, print } = await setUpProgram();
  const read = call('Read', { file_path: 'package.json' });
  server.script({ text: 'One.' }, read, { text: 'Two.' }, { text: 'Forked.' }, { text: 'Again.' });
  const json = ['--output-format', 'stream-json'];
  const first = linesOf((await print(['-p', 'first', ...json])).stdout);
  const id = String(first.at(-1)?.session_id);
  const second = linesOf((await print(['-p', 'second', '--resume', id, ...json])).stdout);
  const uuidOf = (lines: typeof first, type: string) =>
    String(lines.find((line) => line.type === type)?.uuid);
  const at = (uuid: string, ...more: string[]) =>
    print(['-p', 'third', '--resume', id, '--resume-session-at', uuid, ...json, ...more]);

  expect((await at('nosuch')).stderr).toContain('has no message nosuch');
  const middle = await at(uuidOf(second, 'assistant'));
  expect(middle).toMatchObject({ code: 42, stderr: expect.stringContaining('--fork-session') });
  const forked = linesOf((await at(uuidOf(second, 'user'), '--fork-session')).stdout).at(-1);
  expect(forked?.session_id).not.toBe(id);
  const copy = server.requests().at(-1)?.messages.map(textOf).join('\n') ?? '';
  expect(copy).toContain('second');
  expect(copy).not.toContain('Two.');
  const same = linesOf((await at(uuidOf(first, 'assistant'))).stdout).at(-1);
  expect(same).toMatchObject({ session_id: id, result: 'Again.' });
  const own = server.requests().at(-1)?.messages.map(textOf).join('\n') ?? '';
  expect(own).toContain('One.');
  expect(own).not.toContain('second');
});

test('plugins from folders, a main agent, a selection of skills and a debug file can be set', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const { server, work } = setup;
  const plug = join(work.home, 'plug');
  await mkdir(join(plug, '.claude-plugin'), { recursive: true });
  await mkdir(join(plug, 'skills/greet'), { recursive: true });
  await mkdir(join(plug, 'skills/leave'), { recursive: true });
  await writeFile(join(plug, '.claude-plugin/plugin.json'), JSON.stringify({ name: 'plug' }));
  await writeFile(join(plug, '.mcp.json'), JSON.stringify({ mcpServers: { notes } }));
  for (const name of ['greet', 'leave'])
    await writeFile(
      join(plug, `skills/${name}/SKILL.md`),
      `---\nname: ${name}\ndescription: SKILL-${name}\n---\nDo it.\n`,
    );
  server.otherwise(() => done);
  const agents = JSON.stringify({
    counter: { description: 'Counts', prompt: 'You count SHEEP.', tools: ['Read', 'Skill'] },
  });
  const log = join(work.home, 'debug.log');
  const flags = ['--agents', agents, '--agent', 'counter', '--debug-file', log, '--await-initialize'];
  const driver = startDriver(setup, flags);
  const started = driver.request({
    ...{ subtype: 'initialize', skills: ['greet'], promptSuggestions: true },
    plugins: [{ type: 'local', path: plug }],
  });
  driver.prompt('go');
  await driver.nextOf('result');
  expect((await started).response).toMatchObject({ plugins_applied: true });
  await driver.end();
  const [request] = server.requests();
  const text = JSON.stringify(request);
  expect(text).toContain('You count SHEEP.');
  expect(text).toContain('SKILL-greet');
  expect(text).not.toContain('SKILL-leave');
  const names = request?.tools?.map((tool) => tool.function.name) ?? [];
  expect(names).toEqual(expect.arrayContaining(['Read', 'Skill', 'mcp__plug-notes__echo']));
  expect(names).not.toContain('Bash');
  expect(JSON.stringify(driver.lines())).toContain('promptSuggestions');
  expect(await readFile(log, 'utf8')).toContain('context');

  const bare = await setup.print(['-p', 'go', '--output-format', 'stream-json', '--plugin-dir-no-mcp', plug]);
  expect(linesOf(bare.stdout)[0]).toMatchObject({
    ...{ mcp_servers: [], skills: ['plug:greet', 'plug:leave'] },
  });
  const none = await setup.print(['-p', 'go', '--agent', 'nosuch']);
  expect(none).toMatchObject({ code: 42, stderr: expect.stringContaining('there is no agent "nosuch"') });
  const hidden = await setup.print(['-p', 'go', '--disallowed-tools', 'Bash,Write(./a)']);
  expect(hidden.code).toBe(0);
  const left =
    server
      .requests()
      .at(-1)
      ?.tools?.map((tool) => tool.function.name) ?? [];
  expect(left).toContain('Write');
  for (const name of ['Bash', 'BashOutput', 'KillBash']) expect(left).not.toContain(name);
});

test('a background task is announced when it starts and when the driver stops it', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  setup.server.script(call('Bash', { command: 'sleep 60', run_in_background: true }), done);
  const driver = startDriver(setup, ['--allowed-tools', 'Bash(sleep 60)']);
  driver.prompt('go');
  const { task_id } = await driver.nextOf('system', 'task_started');
  await driver.nextOf('result');
  await driver.request({ subtype: 'stop_task', task_id });
  expect(await driver.nextOf('system', 'task_notification')).toMatchObject({ task_id, status: 'stopped' });
  await driver.end();
});
