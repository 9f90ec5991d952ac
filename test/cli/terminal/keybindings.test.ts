import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  createKeysPort,
  keybindingsFile,
  readKeysInfo,
  readUserKeys,
} from '../../../src/cli/terminal/keybindings.ts';
import { defaultKeymap, keysOfAction } from '../../../src/ui/keys/keymap.ts';

let file: string;
beforeEach(async () => {
  file = keybindingsFile(await mkdtemp(join(tmpdir(), 'keybindings-')));
});
afterEach(() => rm(join(file, '..'), { recursive: true, force: true }));

test('without a file the built-in keys apply, without a notice', async () => {
  expect(await readUserKeys(file)).toEqual({ keymap: defaultKeymap, problems: [] });
});

test('comments and trailing commas are accepted', async () => {
  await writeFile(file, '{ // mine\n "Chat": { "alt+s": "chat:stash", },\n}');
  const { keymap, problems } = await readUserKeys(file);
  expect(problems).toEqual([]);
  expect(keysOfAction(keymap, 'chat:stash')).toEqual(['ctrl+s', 'alt+s']);
});

test.each([
  ['{ "Chat": { "alt+s" "chat:stash" } }', 'Line 1 is not valid JSON'],
  ['{\n"Chat": {\n"alt+s": "chat:stash"\n', 'is not valid JSON'],
  ['', 'cannot be read'],
  ['no json at all', 'cannot be read'],
  ['[]', 'not an object'],
  ['{"Chat":{"alt+s":"chat:nothing"}}', 'no action "chat:nothing"'],
  ['\u0000\u001B[31m', 'keybindings.json'],
])('%j: %s', async (text, problem) => {
  await writeFile(file, text);
  const { problems } = await readUserKeys(file);
  expect(problems.join('\n')).toContain(problem);
  for (const one of problems) expect(one).toMatch(/^keybindings\.json/);
});

test.each([
  '['.repeat(250_000),
  '{"a":'.repeat(50_000),
  `{"Chat":{"ctrl+e":${'['.repeat(120_000)}${']'.repeat(120_000)}}}`,
])('a file that is nested too deeply is reported, and nothing is thrown', async (text) => {
  await writeFile(file, text);
  const { keymap, problems } = await readUserKeys(file);
  expect(keymap).toBe(defaultKeymap);
  expect(problems).toEqual(['keybindings.json cannot be read: line 1 is not valid JSON.']);
});

test('many mistakes do not fill the screen', async () => {
  await writeFile(file, JSON.stringify({ bindings: Array.from({ length: 500 }, () => ({ a: 1 })) }));
  const { problems } = await readUserKeys(file);
  expect(problems).toHaveLength(21);
  expect(problems.at(-1)).toBe('keybindings.json: 480 more errors like these.');
});

test('a byte order mark is accepted', async () => {
  await writeFile(file, '\uFEFF{ "Chat": { "alt+s": "chat:stash" } }');
  const { keymap, problems } = await readUserKeys(file);
  expect(problems).toEqual([]);
  expect(keysOfAction(keymap, 'chat:stash')).toContain('alt+s');
});

test('a folder, or a link to an endless file, is ignored', async () => {
  await mkdir(file);
  expect(await readUserKeys(file)).toEqual({ keymap: defaultKeymap, problems: [] });
  await rm(file, { recursive: true });
  await symlink('/dev/zero', file);
  expect(await readUserKeys(file)).toEqual({ keymap: defaultKeymap, problems: [] });
});

test('a file that is too large is not read', async () => {
  await writeFile(file, `{"Chat":{}}${' '.repeat(300_000)}`);
  expect((await readUserKeys(file)).problems).toEqual(['keybindings.json is too large to be read.']);
});

test('a change applies at once, even if the editor replaces the file, and its problems are reported once', async () => {
  const port = createKeysPort(file);
  const said: string[] = [];
  let changes = 0;
  port.subscribe(() => changes++);
  await port.follow((problems) => said.push(...problems));
  expect(port.current()).toBe(defaultKeymap);
  await writeFile(`${file}~`, '{"Chat":{"alt+s":"chat:stash","alt+z":"chat:fly"}}');
  await rename(`${file}~`, file);
  await vi.waitFor(() => expect(keysOfAction(port.current(), 'chat:stash')).toContain('alt+s'), 10_000);
  expect(said).toHaveLength(1);
  const before = changes;
  await writeFile(file, '{"Chat":{"alt+y":"chat:stash","alt+z":"chat:fly"}}');
  await vi.waitFor(() => expect(keysOfAction(port.current(), 'chat:stash')).toContain('alt+y'), 10_000);
  expect(changes).toBeGreaterThan(before);
  expect(said).toHaveLength(1);
});

test('/keys shows the current file', async () => {
  await writeFile(file, '{"Chat":{"alt+s":"chat:stash"}}');
  const info = await readKeysInfo(file, '~/keys');
  expect(info.file).toBe('~/keys');
  const rows = info.groups.flatMap(({ rows: all }) => all);
  expect(rows.find(({ action }) => action === 'chat:stash')?.keys).toEqual(['Ctrl+S', 'Alt+S']);
});
