/**
 * A repository and a home set up for Claude Code: which of their settings apply in the installed program.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stdio } from '../mcp/support/testServer.ts';
import { setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

async function write(file: string, content: string | object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

test('deny rules of an untrusted repository apply at once; allow rules and variables wait for trust', async () => {
  const { server, work, open, print } = await setUpProgram();
  const settings = {
    permissions: { allow: ['Bash(touch *)'], deny: ['Read(./lib/constants.js)'] },
    env: { GREETING: 'hi' },
    includeCoAuthoredBy: false,
  };
  await write(join(work.repository, '.claude/settings.json'), settings);
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/constants.js' } }] },
    { calls: [{ name: 'Bash', input: { command: 'touch "$GREETING"' } }] },
    { text: 'No.' },
  );
  const before = await print(['-p', 'look']);
  expect(textOf(server.requests()[1]?.messages.at(-1))).toContain(
    'Rule Read(lib/constants.js) (.claude/settings.json)',
  );
  expect(before.stderr).toContain('.claude/settings.json: not supported here: includeCoAuthoredBy.');
  expect(before.stderr).toContain('this folder is not trusted');
  expect(before.stderr).toContain('Not allowed: Bash');

  const terminal = open();
  await terminal.waitFor('.claude/settings.json: Runs these calls without asking you: Bash(touch *)');
  await terminal.waitFor('GREETING=hi');
  await terminal.answer('1');
  await terminal.waitFor(/context ~?\d+%/);
  server.script({ calls: [{ name: 'Bash', input: { command: 'touch made' } }] }, { text: 'It is made.' });
  await terminal.submit('make it');
  await terminal.waitFor('It is made.');
  await terminal.submit('/permissions');
  await terminal.waitForPrinted(
    /\.claude\/settings\.json\s+deny +Read\(lib\/constants\.js\)\s+allow +Bash\(touch \*\)/,
  );
  // Unsupported settings were reported once, before.
  server.script({ text: 'Again.' });
  expect(await print(['-p', 'again'])).toMatchObject({ stdout: 'Again.\n', stderr: '' });
});

test('a broken file is reported and does not stop the program', async () => {
  const { server, work, print } = await setUpProgram();
  await write(join(work.home, '.claude/settings.json'), '{ "permissions": { "deny": [');
  server.script({ text: 'Hello.' });
  const { code, stdout, stderr } = await print(['-p', 'hi']);
  expect([code, stdout]).toEqual([0, 'Hello.\n']);
  expect(stderr).toContain('~/.claude/settings.json:1:');
  expect(stderr).toContain('Its permission rules do not protect anything either.');
});

test('Claude Code’s instructions reach the model; a rule with paths does once such a file is read', async () => {
  const { server, work, print } = await setUpProgram();
  await write(join(work.home, '.claude/CLAUDE.md'), 'MINE-1');
  await write(join(work.repository, '.claude/CLAUDE.md'), 'SHARED-2');
  await write(join(work.repository, 'CLAUDE.local.md'), 'PERSONAL-3');
  await write(join(work.repository, '.claude/rules/always.md'), 'ALWAYS-4');
  await write(join(work.repository, '.claude/rules/lib.md'), '---\npaths: lib/**\n---\nLIB-5');
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/constants.js', limit: 2 } }] },
    { text: 'Read.' },
  );
  await print(['-p', 'look']);
  const [first = '', second = ''] = server.requests().map(({ messages }) => JSON.stringify(messages));
  const order = ['MINE-1', 'SHARED-2', 'PERSONAL-3', 'ALWAYS-4'].map((text) => first.indexOf(text));
  expect(order.every((at, index) => at > (order[index - 1] ?? 0))).toBe(true);
  expect(first).not.toContain('LIB-5');
  expect(second).toContain('LIB-5');
});

test('only the user’s own file can approve a server in .mcp.json', async () => {
  const { server, work, open, print } = await setUpProgram();
  await write(join(work.repository, '.mcp.json'), { mcpServers: { repo: stdio() } });
  await write(join(work.repository, '.claude/settings.json'), { enableAllProjectMcpServers: true });
  const terminal = open();
  await terminal.waitFor('Do you trust this folder?');
  await terminal.answer('1');
  await terminal.waitFor('Use this MCP server?');
  server.script({ text: 'One.' }, { text: 'Two.' });
  expect((await print(['-p', 'hi'])).stderr).toContain('you have not approved it yet');
  await write(join(work.home, '.claude/settings.json'), { enabledMcpjsonServers: ['repo'] });
  // What it runs is shown first.
  expect((await print(['-p', 'hi'])).stderr).toContain('the changes are ignored (mcpServers in .mcp.json)');
  const again = open();
  await again.waitFor('used without another question because your');
  await again.answer('1');
  await again.waitFor(/context ~?\d+%/);
  server.script({ text: 'Three.' });
  const { stderr } = await print(['-p', 'hi']);
  expect(stderr).not.toContain('approved');
  expect(JSON.stringify(server.requests().at(-1)?.tools)).toContain('mcp__repo__echo');
});

test('a command gets every variable of our settings, and no secret of Claude Code’s', async () => {
  const { server, work, print } = await setUpProgram();
  await write(join(work.home, '.claude/settings.json'), {
    env: { ANTHROPIC_AUTH_TOKEN: 'secret-of-claude', PLAIN: 'plain-of-claude' },
  });
  await write(join(work.data, 'config.json'), { env: { OWN_TOKEN: 'token-of-ours' } });
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'env', description: 'show' } }] },
    { text: 'Shown.' },
  );
  await print(['-p', 'go', '--permission-mode', 'bypassPermissions']);
  const shown = textOf(server.requests()[1]?.messages.at(-1));
  expect(shown).toContain('plain-of-claude');
  expect(shown).toContain('OWN_TOKEN=');
  expect(shown).not.toContain('ANTHROPIC_AUTH_TOKEN');
});
