/** Plugins in the installed program: no part of one is used before exactly that content is approved. */
import { execFileSync } from 'node:child_process';
import { appendFile, chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stdio } from '../mcp/support/testServer.ts';
import type { WireRequest } from './support/server.ts';
import { setUpProgram, type TestProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

/** How a plugin's file names one of its folders. */
const variable = (which: 'ROOT' | 'DATA'): string => `$\u007bCLAUDE_PLUGIN_${which}}`;

async function write(file: string, content: string | object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function withPlugin(): Promise<TestProgram & { readonly folder: string }> {
  const setup = await setUpProgram();
  const folder = join(setup.work.home, 'tools');
  await write(join(folder, '.claude-plugin/plugin.json'), {
    name: 'tools',
    version: '1.0',
    outputStyles: './styles',
  });
  await write(
    join(folder, 'skills/review/SKILL.md'),
    '---\ndescription: Review a change.\nallowed-tools: Bash\n---\nReview it.\n',
  );
  await write(join(folder, 'commands/say.md'), 'Say $1.\n');
  const server = stdio();
  await write(join(folder, '.mcp.json'), {
    mcpServers: { echo: { ...server, env: { WHERE: `${variable('ROOT')}/data` } } },
  });
  return { ...setup, folder };
}

test('a plugin’s contents are shown; once approved, its skills, commands and servers are used', async () => {
  const { server, work, print, folder, ready } = await withPlugin();
  const refused = await print(['plugin', 'add', folder]);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /MCP server tools-echo starts[\s\S]*1 skill: tools:review[\s\S]*1 command: tools:say/,
  );
  expect(refused.stdout).toContain(`with WHERE=${variable('ROOT')}/data`);
  expect(refused.stdout).toContain('Not supported and not used: output styles.');
  expect(refused.stderr).toContain('Nothing was changed');
  expect(await readdir(join(work.data, 'plugins'))).toEqual([]);

  expect((await print(['plugin', 'add', folder, '--yes'])).stdout).toContain('Added tools.');
  server.otherwise(() => ({ text: 'Done so.' }));
  const terminal = await ready();
  await terminal.submit('/tools:say hello');
  await terminal.waitFor('Done so.');
  const request = server.requests().at(-1);
  expect(textOf(request?.messages.at(-1))).toBe('Say hello.\n');
  expect(JSON.stringify(request?.tools)).toContain('tools:review');
  await terminal.submit('/plugin');
  await terminal.waitForPrinted('tools (enabled)');
  await terminal.submit('/mcp');
  await terminal.waitForPrinted(/tools-echo {2}(?:connected|not connected|connecting)/);
});

test('a changed plugin is not used until it is approved again; it can be disabled and removed', {
  tags: 'long',
}, async () => {
  const { server, work, print, folder } = await withPlugin();
  await print(['plugin', 'add', folder, '-y']);
  server.otherwise(() => ({ text: 'Yes.' }));
  const offered = async (): Promise<[boolean, string]> => {
    const { stderr } = await print(['-p', 'hi']);
    return [JSON.stringify(server.requests().at(-1)?.tools).includes('tools:review'), stderr];
  };
  expect(await offered()).toEqual([true, '']);
  await appendFile(join(work.data, 'plugins/tools/skills/review/SKILL.md'), 'And more.');
  expect(await offered()).toEqual([false, expect.stringContaining('have changed since you approved it')]);
  await print(['plugin', 'enable', 'tools', '-y']);
  expect(await offered()).toEqual([true, '']);
  await print(['plugin', 'disable', 'tools']);
  expect(await offered()).toEqual([false, '']);
  expect((await print(['plugin', 'list'])).stdout).toContain('tools (disabled)');
  await print(['plugin', 'remove', 'tools']);
  expect((await print(['plugin', 'list'])).stdout).toContain('No plugins.');
  expect(await print(['plugin', 'remove', 'tools'])).toMatchObject({ code: 42 });
});

test('in a terminal it asks; any answer but yes adds nothing', { tags: 'long' }, async () => {
  const { open, folder, print } = await withPlugin();
  const first = open(['plugin', 'add', folder]);
  await first.waitFor('Use this plugin? [y/N]');
  await first.press('\r');
  await first.waitFor('Nothing was changed.');
  const second = open(['plugin', 'add', folder]);
  await second.waitFor('Use this plugin? [y/N]');
  await second.press('y\r');
  await second.waitFor('Added tools.');
  expect((await print(['plugin', 'list'])).stdout).toContain('tools (enabled)');
});

test('a repository is cloned without its hooks and links; other protocols and folders are rejected', {
  tags: 'long',
}, async () => {
  const { work, print, folder } = await withPlugin();
  await symlink('/etc/passwd', join(folder, 'commands/leak.md'));
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, '-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args]);
  git('init', '--quiet');
  git('add', '--all');
  git('commit', '--quiet', '--message', 'Plugin');
  const added = await print(['plugin', 'add', `file://${folder}`, '-y']);
  expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining('Added tools.') });
  const names = await readdir(join(work.data, 'plugins/tools'));
  expect(names).not.toContain('.git');
  expect(await print(['plugin', 'add', 'ext::sh -c touch% /tmp/x', '-y'])).toMatchObject({ code: 42 });
  expect(await print(['plugin', 'add', 'ssh://host/x', '-y'])).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('Only https:// and file://'),
  });
  expect(await print(['plugin', 'add', work.repository, '-y'])).toMatchObject({
    code: 42,
    stderr: expect.stringContaining('no .claude-plugin/plugin.json'),
  });
});

/** A plugin with a subagent, and with a hook in each of the two places that may contain one. */
async function withAgentAndHooks(): Promise<Awaited<ReturnType<typeof withPlugin>>> {
  const setup = await withPlugin();
  await write(join(setup.folder, 'agents/critic.md'), '---\ndescription: Finds faults.\n---\nFind faults.\n');
  await write(join(setup.folder, 'hooks/hooks.json'), {
    hooks: {
      PreToolUse: [
        { matcher: 'Bash', hooks: [{ type: 'command', command: `"${variable('ROOT')}/hooks/no.sh"` }] },
      ],
    },
  });
  await write(
    join(setup.folder, 'hooks/no.sh'),
    '#!/bin/sh\necho "not with $CLAUDE_PLUGIN_ROOT" >&2\nexit 2\n',
  );
  await chmod(join(setup.folder, 'hooks/no.sh'), 0o755);
  await write(join(setup.folder, '.claude-plugin/plugin.json'), {
    name: 'tools',
    agents: ['./agents/'],
    hooks: { UserPromptSubmit: [{ hooks: [{ type: 'command', command: 'echo the word is plum' }] }] },
  });
  return setup;
}

test("a plugin's subagents and hooks are shown, then used, and gone once it is disabled", {
  tags: 'long',
}, async () => {
  const setup = await withAgentAndHooks();
  const { server, print, folder, ready, work } = setup;
  const added = await print(['plugin', 'add', folder, '--yes']);
  expect(added.stdout).toContain(
    `Hook PreToolUse (Bash) runs outside the sandbox: "${variable('ROOT')}/hooks/no.sh"`,
  );
  expect(added.stdout).toContain('Hook UserPromptSubmit runs outside the sandbox: echo the word is plum');
  expect(added.stdout).toContain('1 subagent: tools:critic');
  server.script(
    { calls: [{ name: 'Bash', input: { command: 'touch made' } }] },
    {
      calls: [
        { name: 'Agent', input: { description: 'look', prompt: 'Look.', subagent_type: 'tools:critic' } },
      ],
    },
    { text: 'All is wrong.' },
    { text: 'It found faults.' },
  );
  const terminal = await ready();
  await terminal.submit('make it');
  await terminal.waitForPrinted('It found faults.');
  await terminal.waitForPrinted('hook blocked: not with');
  const [first] = server.requests();
  expect(JSON.stringify(first?.messages)).toContain('the word is plum');
  expect(JSON.stringify(server.requests()[1]?.messages)).toContain(
    `not with ${join(work.data, 'plugins/tools')}`,
  );
  expect(JSON.stringify(server.requests()[2]?.messages)).toContain('Find faults.');
  await terminal.submit('/hooks');
  await terminal.waitForPrinted(/plugin tools[\s\S]*last: blocked/);
  await terminal.submit('/agents');
  await terminal.waitForPrinted(/From plugins[\s\S]*tools:critic {2}Finds faults\./);

  await print(['plugin', 'disable', 'tools']);
  server.otherwise(() => ({ text: 'Alone.' }));
  await print(['-p', 'hi']);
  expect(JSON.stringify(server.requests().at(-1))).not.toMatch(/plum|critic/);
});

test('a plugin’s hook fails if the plugin’s files change during use, and asks for approval again', {
  tags: 'long',
}, async () => {
  const { server, print, folder, ready, work } = await withAgentAndHooks();
  await print(['plugin', 'add', folder, '--yes']);
  server.otherwise(() => ({ text: 'Yes.' }));
  const terminal = await ready();
  await terminal.submit('one');
  await terminal.waitForPrinted('Yes.');
  expect(JSON.stringify(server.requests().at(-1)?.messages)).toContain('the word is plum');
  await appendFile(join(work.data, 'plugins/tools/hooks/no.sh'), 'true\n');
  await terminal.submit('two');
  await terminal.waitForPrinted(/UserPromptSubmit hook failed: the files of the plugin tools have changed/);
  const { stderr } = await print(['-p', 'hi']);
  expect(stderr).toContain('have changed since you approved it');
});

test('a plugin added with /plugin is used at once, and can be disabled, enabled and removed in the same session', {
  tags: 'long',
}, async () => {
  const { server, folder, ready, work } = await withAgentAndHooks();
  server.otherwise(({ messages }) => ({
    text: `Heard: ${messages.map(textOf).findLast((text) => /^(?:Say |number )/.test(text))}!`,
  }));
  const terminal = await ready();
  const offered = async (prompt: string): Promise<string> => {
    await terminal.submit(prompt);
    await terminal.waitForPrinted(`Heard: ${prompt}!`);
    const isIt = ({ tools }: WireRequest): boolean => tools !== undefined;
    return JSON.stringify(server.requests().findLast(isIt));
  };
  expect(await offered('number one')).not.toMatch(/plum|tools:/);

  await terminal.submit(`/plugin add ${folder}`);
  await terminal.waitFor('Use this plugin?');
  await terminal.waitForPrinted(/Hook UserPromptSubmit runs outside the sandbox: echo the word is plum/);
  expect(await readdir(join(work.data, 'plugins'))).toHaveLength(1);
  await terminal.answer('2');
  await terminal.waitForPrinted('Nothing was changed.');
  expect(await readdir(join(work.data, 'plugins'))).toEqual([]);

  await terminal.submit(`/plugin add ${folder}`);
  await terminal.waitFor('Use this plugin?');
  await terminal.answer('1');
  await terminal.waitForPrinted(/Added tools\. You can use it now/);
  const used = await offered('number two');
  for (const brought of ['the word is plum', 'tools:review', 'tools:critic', 'mcp__tools-echo__'])
    expect(used).toContain(brought);
  await terminal.submit('/tools:say hello');
  await terminal.waitForPrinted(/Heard: Say hello\./);

  await terminal.submit('/plugin disable tools');
  await terminal.waitForPrinted('tools is no longer used.');
  const [first] = server.requests();
  const now = JSON.parse(await offered('number three')) as { tools: unknown; messages: unknown[] };
  expect(now.tools).toEqual(first?.tools);
  expect(JSON.stringify(now.messages.slice(-1))).not.toContain('plum');
  await terminal.submit('/hooks');
  await terminal.waitForPrinted('No hooks.');

  await terminal.submit('/plugin enable tools');
  await terminal.waitFor('Use this plugin?');
  await terminal.answer('1');
  await terminal.waitForPrinted('tools is enabled.');
  expect(await offered('number four')).toContain('tools:critic');
  await terminal.submit('/plugin remove tools');
  await terminal.waitForPrinted('Removed tools.');
  await terminal.submit('/plugin');
  await terminal.waitForPrinted('No plugins.');
});

test('without a terminal, /plugin add names the subcommand and changes nothing', {
  tags: 'long',
}, async () => {
  const { folder, print, work } = await withAgentAndHooks();
  const { code, stderr } = await print(['-p', `/plugin add ${folder}`]);
  expect(code).toBe(42);
  expect(stderr).toContain('needs a terminal. Use clawdcode plugin.');
  expect(await readdir(work.data)).not.toContain('plugins');
});
