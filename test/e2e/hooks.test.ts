/** Hooks in the installed program: who may set them, what they see, and what they can stop. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stdio } from '../mcp/support/testServer.ts';
import { keys } from '../ui/screen.ts';
import { linesOf } from './support/jsonLines.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const command = (text: string, more: object = {}) => ({
  hooks: [{ type: 'command', command: text }],
  ...more,
});

async function own({ work }: TestProgram, hooks: object, settings: object = {}): Promise<void> {
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify({ hooks, ...settings }));
}

const bash = (text: string) => ({ calls: [{ name: 'Bash', input: { command: text } }] });
const texts = ({ server }: TestProgram, request = -1): string[] =>
  (server.requests().at(request)?.messages ?? []).map(textOf);

test('a hook blocks a call, and /hooks shows its run', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  await own(setup, {
    PreToolUse: [command('cat > ../seen.json; echo "use rg instead" >&2; exit 2', { matcher: 'Bash' })],
  });
  setup.server.script(bash('touch made'), { text: 'As you wish.' });
  const terminal = await setup.ready();
  await terminal.submit('make it');
  await terminal.waitForPrinted('As you wish.');
  await terminal.waitForPrinted('PreToolUse (Bash) hook blocked: use rg instead');
  expect(texts(setup).at(-2)).toContain('blocked this call; it did not run');
  expect(texts(setup).at(-1)).toMatch(/^<system-note \S+>[\s\S]*use rg instead[\s\S]*<\/system-note \S+>$/);
  const seen: unknown = JSON.parse(await readFile(join(setup.work.repository, '../seen.json'), 'utf8'));
  expect(seen).toMatchObject({ tool_name: 'Bash', tool_input: { command: 'touch made' } });
  await terminal.submit('/hooks');
  await terminal.waitForPrinted(/Bash: cat > \.\.\/seen\.json/);
  await terminal.waitForPrinted(/~\/\.clawdcode\/config\.json/);
  await terminal.waitForPrinted(/last: blocked · [\d.]+ m?s/);
});

test('a hook’s text about a prompt is in the request; a Stop hook continues the turn once', async () => {
  const setup = await setUpProgram();
  await own(setup, {
    UserPromptSubmit: [command('echo the branch is main')],
    Stop: [
      command(
        `grep -q '"stop_hook_active":true' && exit 0; echo '{"decision":"block","reason":"run the tests first"}'`,
      ),
    ],
  });
  setup.server.script({ text: 'Done too early.' }, { text: 'Now it is done.' });
  const terminal = await setup.ready();
  await terminal.submit('do it');
  await terminal.waitForPrinted('Now it is done.');
  expect(texts(setup, 0).at(-1)).toContain('the branch is main');
  expect(texts(setup, 1).at(-1)).toContain('run the tests first');
  expect(setup.server.requests()).toHaveLength(2);
});

const decides = (on: string, fields: object) =>
  command(
    `grep -q '"command":"${on}"' && echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...fields } })}'; true`,
  );

test('a hook asks about a call that needs no approval, and changes another', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  await own(setup, {
    PreToolUse: [
      decides('ls', { permissionDecision: 'ask', permissionDecisionReason: 'are you sure' }),
      decides('pwd', { updatedInput: { command: 'touch made' } }),
    ],
  });
  setup.server.script(bash('ls'), { text: 'Listed.' }, bash('pwd'));
  const terminal = await setup.ready();
  await terminal.submit('list');
  await terminal.waitFor('asks: are you sure');
  await terminal.answer('1');
  await terminal.waitForPrinted('Listed.');
  await terminal.submit('where');
  await terminal.waitFor(
    /A\s+hook\s+\(~\/\.clawdcode\/config\.json\)\s+changed\s+the\s+model's\s+call\s+to\s+this/,
  );
  await terminal.waitFor('touch made');
  await terminal.press(keys.escape);
  await terminal.waitForPrinted('Interrupted.');
});

test('without a screen, a blocked prompt ends the run with its reason', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  await own(setup, { UserPromptSubmit: [command('echo "not on Fridays" >&2; exit 2')] });
  const ran = await setup.print(['-p', 'go']);
  expect(ran).toMatchObject({
    ...{ code: 1, stdout: '' },
    stderr: 'clawdcode: A hook blocked this prompt, so it was not sent: not on Fridays\n',
  });
  expect(setup.server.requests()).toHaveLength(0);
});

test('a call allowed by a hook needs no approval, unless a deny rule applies', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const hook = decides('mkdir made', { permissionDecision: 'allow' });
  const changing = decides('pwd', { permissionDecision: 'allow', updatedInput: { command: 'touch made' } });
  await own(setup, { PreToolUse: [hook, changing] }, { permissions: { deny: ['Bash(touch *)'] } });
  // After an unapproved change, hooks would run confined here, because the home is in a temporary folder.
  setup.server.script(bash('pwd'), bash('mkdir made'), { text: 'Done.' });
  const { code, stderr } = await setup.print(['-p', 'go']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(await setup.work.git('status', '--porcelain', '--ignored')).toBe('');
  expect(existsSync(join(setup.work.repository, 'made'))).toBe(true);
  expect(texts(setup).join('\n')).toContain('Not allowed: Rule Bash(touch *)');
});

test('a repository’s hook runs only once exactly this hook is approved', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const file = join(setup.work.repository, '.clawdcode.json');
  const set = (text: string): Promise<void> =>
    writeFile(file, JSON.stringify({ hooks: { UserPromptSubmit: [command(text)] } }));
  await set('echo evil words');
  setup.server.otherwise(() => ({ text: 'Hello.' }));
  const before = await setup.print(['-p', 'hi']);
  expect(before.stderr).toContain('this folder is not trusted');
  expect(texts(setup).join('\n')).not.toContain('evil words');

  const terminal = setup.open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.waitFor('Runs these hooks outside the sandbox: echo evil');
  await terminal.waitFor(/words for\s+UserPromptSubmit/);
  await terminal.answer(keys.escape);
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('hi again');
  await terminal.waitForPrinted('Hello.');
  expect(texts(setup).join('\n')).not.toContain('evil words');
  await terminal.submit('/hooks');
  await terminal.waitForPrinted('does not run: this folder is not trusted');
  await terminal.submit('/exit');
  await terminal.exited;

  const again = setup.open();
  await again.waitFor('Do you trust this folder?');
  await again.answer('1');
  await again.waitFor(/context ~?\d+%/);
  await again.submit('with it');
  await again.waitForPrinted('Hello.');
  expect(texts(setup).join('\n')).toContain('evil words');
  await again.submit('/exit');
  await again.exited;

  await set('echo other words');
  const changed = await setup.print(['-p', 'hi']);
  expect(changed.stderr).toContain('have changed since you trusted it');
  expect(texts(setup).join('\n')).not.toContain('other words');
});

test('a blocked prompt returns to the composer; Esc stops a hook that hangs', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  await own(setup, {
    UserPromptSubmit: [command(`if grep -q secret; then echo "no secrets" >&2; exit 2; fi`)],
    PreToolUse: [command('sleep 1000')],
  });
  const terminal = await setup.ready();
  await terminal.submit('the secret is 42');
  await terminal.waitForPrinted('A hook blocked this prompt, so it was not sent: no secrets');
  await terminal.waitFor('❯ the secret is 42');
  expect(setup.server.requests()).toHaveLength(0);
  await terminal.press('\u0015');
  setup.server.script(bash('ls'));
  await terminal.submit('list');
  await terminal.waitFor('PreToolUse:Bash: sleep 1000');
  await terminal.press(keys.escape);
  await terminal.waitForPrinted('Interrupted.');
});

test('stream-json reports the hooks at the start, and others on request; a failure does not block', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await own(setup, {
    SessionStart: [command('echo welcome', { matcher: 'startup' })],
    PreToolUse: [command('echo broken >&2; exit 1')],
    Unheard: [command('true')],
    Stop: [{ hooks: [{ type: 'poem', prompt: 'Is it done?' }] }],
  });
  setup.server.otherwise((request) =>
    request.messages.some(({ role }) => role === 'tool') ? { text: 'Done.' } : bash('ls'),
  );
  const plain = await setup.print(['-p', 'hi', '--output-format', 'stream-json']);
  expect(plain.code).toBe(0);
  expect(plain.stderr).toContain('hooks for Unheard never run: there is no such event');
  expect(plain.stderr).toContain('hooks of type "poem" are not supported');
  const hookLines = (stdout: string): unknown[] =>
    linesOf(stdout).flatMap((line) => {
      const { subtype, hook_name, outcome } = line as Record<string, unknown>;
      return typeof hook_name === 'string' ? [[subtype, hook_name, outcome]] : [];
    });
  const start = [
    ['hook_started', 'SessionStart:startup', undefined],
    ['hook_response', 'SessionStart:startup', 'success'],
  ];
  expect(hookLines(plain.stdout)).toEqual(start);
  expect(texts(setup)[1]).toContain('welcome');
  const all = await setup.print(['-p', 'hi', '--output-format', 'stream-json', '--include-hook-events']);
  expect(hookLines(all.stdout)).toEqual([
    ...start,
    ['hook_started', 'PreToolUse:Bash', undefined],
    ['hook_response', 'PreToolUse:Bash', 'error'],
  ]);
});

test('hooks in Claude Code’s settings run, around calls of a subagent too', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const folder = join(setup.work.home, '.claude');
  await mkdir(folder, { recursive: true });
  const log = (event: string) => ({ [event]: [command('cat >> "$CLAUDE_PROJECT_DIR/../log"')] });
  const hooks = {
    ...log('PreToolUse'),
    ...log('SubagentStart'),
    ...log('SubagentStop'),
    ...log('SessionEnd'),
  };
  await writeFile(join(folder, 'settings.json'), JSON.stringify({ hooks }));
  const input = { subagent_type: 'explore', description: 'look', prompt: 'Look around.' };
  setup.server.script(
    { calls: [{ name: 'Agent', input }] },
    bash('ls'),
    { text: 'Nothing there.' },
    { text: 'It found nothing.' },
  );
  const ran = await setup.print(['-p', 'go']);
  expect(ran).toMatchObject({ code: 0, stdout: 'It found nothing.\n', stderr: '' });
  const lines = (await readFile(join(setup.work.repository, '../log'), 'utf8')).trim().split('\n');
  const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(told.map((one) => [one.hook_event_name, one.tool_name, one.agent_type])).toEqual([
    ['PreToolUse', 'Agent', undefined],
    ['SubagentStart', undefined, 'explore'],
    ['PreToolUse', 'Bash', 'explore'],
    ['SubagentStop', undefined, 'explore'],
    ['SessionEnd', undefined, undefined],
  ]);
  expect(new Set(told.map((one) => one.session_id)).size).toBe(1);
});

test('a model decides whether a turn may end, and a read-only agent whether a call may run', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await own(setup, {
    Stop: [{ hooks: [{ type: 'prompt', prompt: 'Were the tests run? $ARGUMENTS' }] }],
    PreToolUse: [
      {
        matcher: 'Write',
        hooks: [{ type: 'agent', prompt: 'Is the name in package.json not taken? $ARGUMENTS' }],
      },
    ],
  });
  const { server } = setup;
  const judged = ['{"ok": false, "reason": "run the tests first"}', '{"ok": true}'];
  const looked = [
    { calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch made.txt' } }] },
    { text: '{"ok": false, "reason": "picomatch is taken"}' },
  ];
  const main = [
    { calls: [{ name: 'Write', input: { file_path: 'name.txt', content: 'picomatch' } }] },
    { text: 'Done too early.' },
    { text: 'Now the tests ran.' },
  ];
  server.otherwise((request) => {
    const isHook = textOf(request.messages[0]).includes('You decide about one event');
    if (!isHook) return main.shift() ?? { text: 'Nothing left.' };
    return (request.tools ?? []).length > 0 ? (looked.shift() ?? {}) : { text: judged.shift() ?? '' };
  });
  const terminal = await setup.ready();
  await terminal.submit('write the name');
  await terminal.waitForPrinted('Now the tests ran.');
  await terminal.waitForPrinted('PreToolUse (Write) hook blocked: picomatch is taken');
  await terminal.waitForPrinted('Stop hook blocked: run the tests first');
  await terminal.waitForIdle();
  expect([main, looked, judged]).toEqual([[], [], []]);
  for (const name of ['name.txt', 'made.txt'])
    expect(existsSync(join(setup.work.repository, name))).toBe(false);
  // It runs no hooks itself, and asks no questions.
  const ofAgent = server
    .requests()
    .filter(
      ({ tools = [], messages }) =>
        tools.length > 0 && textOf(messages[0]).includes('You decide about one event'),
    );
  expect(ofAgent).toHaveLength(3);
  expect(ofAgent[0]?.tools?.map((tool) => tool.function.name)).not.toContain('Write');
  expect(textOf(ofAgent.at(-1)?.messages.at(-1))).toContain('changes nothing');
  const [session] = await setup.work.sessions();
  const spent = session?.entries.filter(
    ({ subtype, data }) => subtype === 'usage' && data?.purpose === 'hook',
  );
  expect(spent).toHaveLength(5);
});

test('a tool of an MCP server decides about calls; without the server the user does', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const hook = { type: 'mcp_tool', tool: 'echo', input: { text: `\${tool_input.command}` } };
  const ownHooks = (servers: readonly string[]) =>
    own(
      setup,
      { PreToolUse: [{ matcher: 'Bash', hooks: servers.map((server) => ({ ...hook, server })) }] },
      { mcpServers: { test: stdio() } },
    );
  await ownHooks(['test', 'gone']);
  setup.server.script(bash('ls package.json'), { text: 'Not listed.' });
  const without = await setup.print(['-p', 'list']);
  expect(without.stderr).toContain(
    'A hook that may guard this call could not run: there is no MCP server "gone"',
  );
  await ownHooks(['test']);
  // A server of the folder that was not approved does not replace the user's.
  await writeFile(
    join(setup.work.repository, '.mcp.json'),
    JSON.stringify({ mcpServers: { test: { command: 'true' } } }),
  );
  setup.server.script(bash('ls package.json'), { text: 'Listed.' });
  const ran = await setup.print(['-p', 'list', '--output-format', 'stream-json', '--include-hook-events']);
  const answers = linesOf(ran.stdout).filter(({ subtype }) => subtype === 'hook_response');
  const outcomes = answers.map(({ outcome, stdout }) => [outcome, stdout]);
  expect(outcomes).toEqual([['success', 'You said ls package.json']]);
  expect(JSON.stringify(setup.server.requests().at(-1)?.messages)).toContain('package.json');
});

test('a hook replaces the result of a call; the original is neither sent nor stored', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  const replaced = {
    hookSpecificOutput: { hookEventName: 'PostToolUse', updatedToolOutput: 'the value is hidden' },
  };
  await own(setup, { PostToolUse: [command(`echo '${JSON.stringify(replaced)}'`, { matcher: 'Bash' })] });
  await setup.work.write('big.txt', 'HIDDEN-VALUE\n'.repeat(20_000));
  setup.server.script(bash('cat big.txt'), { text: 'I see nothing.' });
  const terminal = await setup.ready();
  await terminal.submit('show it');
  await terminal.waitForPrinted('I see nothing.');
  await terminal.waitForPrinted('PostToolUse hook replaced the result of Bash');
  expect(texts(setup).find((text) => text.includes('the value is hidden'))).toBe('the value is hidden');
  const sessions = await setup.work.sessions();
  expect(JSON.stringify([setup.server.requests(), sessions])).not.toContain('HIDDEN-VALUE');
});

test('neither a hook nor a server inherits an endpoint’s key', { tags: 'long' }, async () => {
  const setup = await setUpProgram();
  const print = `node -e 'require("fs").writeFileSync("NAME", JSON.stringify(process.env))'`;
  await own(
    setup,
    { SessionStart: [command(print.replace('NAME', 'hook.json'))] },
    {
      providers: { router: { baseUrl: 'http://127.0.0.1:9/v1', apiKeyEnv: 'ROUTER_KEY' } },
      mcpServers: {
        noting: { command: 'sh', args: ['-c', print.replace('NAME', 'server.json')], cwd: '.' },
      },
    },
  );
  setup.server.script({ text: 'Hi.' });
  const env = setup.work.env({ ...setup.access, ROUTER_KEY: 'of-the-router', OTHER: 'is there' });
  await setup.print(['-p', 'hello'], { env });
  for (const file of ['hook.json', 'server.json']) {
    const seen = JSON.parse(await readFile(join(setup.work.repository, file), 'utf8'));
    expect([seen.OTHER, seen.ROUTER_KEY]).toEqual(['is there', undefined]);
  }
});

test('a hook sets variables for commands, and another is told of the folder and of a file that it watches', {
  tags: 'long',
}, async () => {
  const setup = await setUpProgram();
  await setup.work.write('watched.txt', 'A=1');
  await own(setup, {
    SessionStart: [command('echo "export FROM_HOOK=\'set by a hook\'" >> "$CLAUDE_ENV_FILE"')],
    CwdChanged: [command('cat > ../moved.json; echo "export FROM_HOOK=moved" >> "$CLAUDE_ENV_FILE"')],
    FileChanged: [command('cat > ../file.json', { matcher: 'watched.txt|other.txt' })],
  });
  const changed = '[ -e ../../file.json ] && echo noticed';
  setup.server.script(
    bash('echo "it is $FROM_HOOK"; echo A=2 > watched.txt'),
    bash('for i in $(seq 300); do [ -e ../file.json ] && break; sleep 0.1; done; mkdir -p sub; cd sub'),
    bash(`echo "now it is $FROM_HOOK"; ${changed}`),
    { text: 'Done.' },
  );
  await setup.print(['-p', 'go', '--permission-mode', 'bypassPermissions']);
  const results = texts(setup);
  expect(results.find((text) => text.startsWith('it is'))).toContain('it is set by a hook');
  expect(results.find((text) => text.startsWith('now it is'))).toContain('now it is moved\nnoticed');
  const read = async (name: string): Promise<object> =>
    JSON.parse(await readFile(join(setup.work.repository, '..', name), 'utf8')) as object;
  expect(await read('moved.json')).toMatchObject({
    old_cwd: setup.work.repository,
    new_cwd: join(setup.work.repository, 'sub'),
  });
  expect(await read('file.json')).toMatchObject({
    ...{ hook_event_name: 'FileChanged', event: 'change' },
    file_path: join(setup.work.repository, 'watched.txt'),
  });
});
