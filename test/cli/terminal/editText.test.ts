import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { editText } from '../../../src/cli/terminal/editText.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'edit-text-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A script in place of an editor; its last argument is the file. */
async function editor(script: string): Promise<string> {
  const path = join(folder, 'my editor.sh');
  await writeFile(path, `#!/bin/sh\nfor file; do :; done\n${script}\n`, { mode: 0o755 });
  return `'${path}'`;
}

const edit = (text: string, env: Record<string, string>, added: readonly string[] = []) =>
  editText(text, {
    ...{ root: folder, addedDirectories: () => added },
    env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, ...env },
    cwd: folder,
    dataRoot: join(folder, 'data'),
  });

test('the draft is in a private Markdown file, and the saved text is returned', async () => {
  const EDITOR = `${await editor(`stat -c '%a %n' "$file" > told; stat -c %a "$(dirname "$file")" "$(dirname "$file")/.." >> told; cp "$file" seen; printf 'after\\n' > "$file"`)} --wait`;
  expect(await edit('before 漢字\nand more', { EDITOR })).toEqual({ type: 'edited', text: 'after' });
  expect(await readFile(join(folder, 'seen'), 'utf8')).toBe('before 漢字\nand more');
  const [mode = '', path = '', ...around] = (await readFile(join(folder, 'told'), 'utf8')).trim().split(/\s/);
  expect([mode, ...around]).toEqual(['600', '700', '700']);
  // The model's commands write to temporary folders, and would change what is sent in the user's name.
  expect(path.startsWith(join(folder, 'data/drafts/'))).toBe(true);
  expect(path).toMatch(/\.md$/);
  expect(await readdir(join(path, '..')).catch(() => 'gone')).toBe('gone');
});

test('VISUAL precedes EDITOR, and the shell splits arguments', async () => {
  const VISUAL = `${await editor(`printf '%s' "$1/$2" > "$file"`)} "two words" --wait`;
  expect(await edit('x', { VISUAL, EDITOR: 'false' })).toEqual({ type: 'edited', text: 'two words/--wait' });
});

test('the newline added by editors is removed, the draft’s own is kept', { tags: 'long' }, async () => {
  const EDITOR = await editor(`true`);
  expect(await edit('a\n', { EDITOR })).toEqual({ type: 'edited', text: 'a\n' });
  const adding = await editor(`printf '\\n' >> "$file"`);
  expect(await edit('a', { EDITOR: adding })).toEqual({ type: 'edited', text: 'a' });
});

test.each<[string, Record<string, string>, RegExp]>([
  ['no editor', {}, /^No editor is set\. Set VISUAL or EDITOR/],
  ['an empty command', { EDITOR: '  ' }, /^No editor is set/],
  [
    'a missing editor',
    { EDITOR: 'no-such-editor --wait' },
    /no-such-editor --wait\) was not found\. The draft is unchanged/,
  ],
  ['an editor that fails', { EDITOR: 'false' }, /ended with exit code 1\. The draft/],
  ['an editor that is killed', { EDITOR: 'kill -9 $$ #' }, /ended with SIGKILL\. The draft/],
  ['an editor that deletes the file', { EDITOR: 'rm' }, /could not be edited/],
])('%s is reported, and the draft is unchanged', { tags: 'long' }, async (_name, env, message) => {
  const outcome = await edit('precious', env);
  expect(outcome.type === 'failed' && outcome.message).toMatch(message);
});

test('neither the shell nor the editor is run from the project', { tags: 'long' }, async () => {
  for (const name of ['sh', 'my-editor'])
    await writeFile(join(folder, name), `#!/bin/sh\ntouch "${folder}/ran"\n`, { mode: 0o755 });
  const edited = await edit('x', { EDITOR: 'my-editor', PATH: `${folder}:${process.env.PATH}` });
  expect(edited).toMatchObject({ type: 'failed', message: expect.stringContaining('was not found') });
  expect(await readdir(folder)).not.toContain('ran');
});

test('neither the shell nor the editor is run from an added directory', { tags: 'long' }, async () => {
  const added = await mkdtemp(join(tmpdir(), 'edit-text-'));
  await writeFile(join(added, 'my-editor'), `#!/bin/sh\ntouch "${folder}/ran"\n`, { mode: 0o755 });
  const env = { EDITOR: 'my-editor', PATH: `${added}:${process.env.PATH}` };
  expect(await edit('x', env, [added])).toMatchObject({ type: 'failed' });
  expect(await readdir(folder)).not.toContain('ran');
  await rm(added, { recursive: true });
});

test.each([
  ['a link', `ln -sf "$(dirname "$0")/secret" "$file"`],
  ['a pipe', `rm "$file"; mkfifo "$file"`],
  ['a folder', `rm "$file"; mkdir "$file"`],
])(
  '%s that another program puts in place of the draft is not read',
  { tags: 'long' },
  async (_name, script) => {
    await writeFile(join(folder, 'secret'), 'SECRET');
    const outcome = await edit('precious', { EDITOR: await editor(script) });
    expect(outcome).toMatchObject({
      type: 'failed',
      message: expect.stringMatching(/^(?!.*SECRET).*(?:The draft|could not be edited)/s),
    });
  },
);
