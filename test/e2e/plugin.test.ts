/** Plugins in the installed program: nothing of one is used before it is approved with exactly that content. */
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { stdio } from '../mcp/support/bench.ts';
import { type Stage, setStage } from './support/stage.ts';
import { textOf } from './support/wire.ts';

async function write(file: string, content: string | object): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
}

async function withPlugin(): Promise<Stage & { readonly folder: string }> {
  const stage = await setStage();
  const folder = join(stage.work.home, 'tools');
  await write(join(folder, '.claude-plugin/plugin.json'), {
    name: 'tools',
    version: '1.0',
    agents: './agents',
  });
  await write(
    join(folder, 'skills/review/SKILL.md'),
    '---\ndescription: Review a change.\nallowed-tools: Bash\n---\nReview it.\n',
  );
  await write(join(folder, 'commands/say.md'), 'Say $1.\n');
  const server = stdio();
  await write(join(folder, '.mcp.json'), {
    mcpServers: { echo: { ...server, env: { WHERE: `$${'{CLAUDE_PLUGIN_ROOT}'}/data` } } },
  });
  return { ...stage, folder };
}

test('what a plugin brings is shown; once approved, its skills, commands and servers are used', async () => {
  const { server, work, print, folder, ready } = await withPlugin();
  const refused = await print(['plugin', 'add', folder]);
  expect(refused.code).toBe(1);
  expect(refused.stdout).toMatch(
    /1 skill: tools:review[\s\S]*1 command: tools:say[\s\S]*MCP server tools-echo starts/,
  );
  expect(refused.stdout).toContain(`WHERE=${join(work.data, 'plugins')}`);
  expect(refused.stdout).toContain('Not supported and not used: subagents.');
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

test('a changed plugin is not used until it is approved again; disable and remove', async () => {
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

test('in a terminal it asks; anything but yes adds nothing', async () => {
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

test('a repository is cloned without its hooks and links; other protocols and folders are refused', async () => {
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
