/** The contents of a plugin's folder, whatever its manifest claims. */
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readPluginHooks } from '../../src/cli/plugins/pluginStore.ts';
import { readPlugin } from '../../src/extensions/readPlugin.ts';
import type { PluginContents } from '../../src/protocol/extensions/plugins.ts';

/** Reads a plugin that consists of these files. */
async function plugin(
  manifest: object,
  files: Readonly<Record<string, unknown>> = {},
  links: Readonly<Record<string, string>> = {},
): Promise<PluginContents> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-plugin-')));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const folder = join(root, 'plugin');
  const all = { '.claude-plugin/plugin.json': { name: 'one', ...manifest }, ...files };
  for (const [name, content] of Object.entries(all)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  for (const [name, target] of Object.entries(links)) await symlink(target, join(folder, name));
  const read = await readPlugin(folder, readPluginHooks);
  if (typeof read === 'string') throw new Error(read);
  return read;
}

const runs = (command: string) => ({ Stop: [{ hooks: [{ type: 'command', command }] }] });
const commands = ({ hooks }: PluginContents): unknown[] =>
  hooks.map((hook) => (hook.type === 'command' ? hook.command : hook.type));

test('hooks come from the standard file, the manifest and the files that it names, each once', async () => {
  const read = await plugin(
    { hooks: ['./hooks/hooks.json', './more.json', runs('inline'), { hooks: runs('wrapped') }] },
    { 'hooks/hooks.json': { hooks: runs('standard') }, 'more.json': { hooks: runs('more') } },
  );
  expect(commands(read).sort()).toEqual(['inline', 'more', 'standard', 'wrapped']);
  expect(read.problems).toEqual([]);
});

test('a manifest cannot name files outside the plugin, not even through a link', async () => {
  const read = await plugin(
    { hooks: ['../outside.json', '/etc/hostname', './link.json'] },
    { '../outside.json': { hooks: runs('outside') } },
    { 'link.json': '../outside.json' },
  );
  expect(commands(read)).toEqual([]);
  expect(read.problems).toHaveLength(3);
});

test('hooks that never run here, or are too long to be shown, are named and not used', async () => {
  const read = await plugin({
    hooks: { ...runs('x'.repeat(3000)), Nothing: [{ hooks: [{ type: 'command', command: 'a' }] }] },
  });
  expect(commands(read)).toEqual([]);
  expect(read.problems.join('\n')).toMatch(
    /Nothing never run: there is no such event[\s\S]*longer than 2000 characters/,
  );
});

test('subagents are named after the plugin; one without a description is reported', async () => {
  const read = await plugin(
    { agents: './agents' },
    { 'agents/a.md': '---\ndescription: Does.\n---\nDo.', 'agents/b.md': 'Do.' },
  );
  expect(read.agents).toMatchObject([{ name: 'one:a', scope: 'plugin' }]);
  expect(read.problems).toEqual([expect.stringContaining('agents/b.md: It has no description')]);
});

test('folders elsewhere are reported as not read', async () => {
  const { problems } = await plugin({
    agents: './other',
    skills: './skills/',
    commands: ['./commands', './x'],
  });
  expect(problems).toEqual(['Only the standard folders are read: "commands", "agents" is ignored.']);
});
