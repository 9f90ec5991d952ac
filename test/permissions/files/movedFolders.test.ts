/** Folders that settings and rules name, and links that appear in them later. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { protectedName, protectionPlace } from '../../../src/permissions/files/protectedNames.ts';
import { secretPlaceTest } from '../../../src/permissions/files/secretPlace.ts';
import { workspaceFolders } from '../../../src/permissions/policy.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { home, outside, policyFor, root } from '../harness.ts';

/** The decisions about reading and editing a file, or about the command `text`, with added directories. */
async function verdict(
  added: readonly string[],
  { path, text, cwd = root }: { path?: string; text?: string; cwd?: string },
  rules: readonly string[] = [],
  mode: PermissionMode = 'acceptEdits',
): Promise<string> {
  const policy = await policyFor(rules, mode, { additionalDirectories: added });
  if (path === undefined) {
    const access = { type: 'command', command: text ?? '', cwd } as const;
    return decide({ tool: 'Bash', access }, policy).behavior;
  }
  const read = decide({ tool: 'Read', access: { type: 'read', paths: [path] } }, policy);
  const write = decide({ tool: 'Edit', access: { type: 'write', paths: [path] } }, policy);
  return `${read.behavior} ${write.behavior}`;
}

function link(target: string, at: string): void {
  mkdirSync(dirname(at), { recursive: true });
  symlinkSync(target, at);
  onTestFinished(() => rmSync(at, { recursive: true, force: true }));
}

test('an added directory that did not exist gives no access once it is a link', async () => {
  const added = join(root, 'packages/x');
  expect(await verdict([added], { path: join(added, 'a') })).toBe('allow allow');
  link(outside, added);
  expect(await verdict([added], { path: join(added, 'secret.txt') })).toBe('ask ask');
  expect(await verdict([added], { path: join(outside, 'secret.txt') })).toBe('ask ask');
  for (const text of [`cat ${outside}/secret.txt`, 'cat packages/x/secret.txt', `cd ${outside} && ls`])
    expect(await verdict([added], { text }), text).toBe('ask');
  expect(await verdict([added], { text: 'npm test', cwd: outside }, ['allow Bash(npm test)'])).toBe('ask');
});

test('an added directory outside the project gives no access once a part of its path is a link', async () => {
  const added = join(dirname(outside), 'shared/a/b');
  mkdirSync(added, { recursive: true });
  expect(await verdict([added], { path: join(added, 'x') })).toBe('allow allow');
  rmSync(join(dirname(outside), 'shared/a'), { recursive: true });
  mkdirSync(join(outside, 'b'), { recursive: true });
  link(outside, join(dirname(outside), 'shared/a'));
  expect(await verdict([added], { path: join(added, 'x') })).toBe('ask ask');
  expect(await verdict([added], { path: join(outside, 'b/x') })).toBe('ask ask');
});

test('an added directory that has become a link does not weaken the protection of its target', async () => {
  const added = join(root, 'packages/x');
  for (const name of ['.config/some', '.ssh']) mkdirSync(join(home, name), { recursive: true });
  const more = { additionalDirectories: [added] };
  link(join(home, '.config'), added);
  const policy = await policyFor([], 'default', more);
  const place = protectionPlace(home, workspaceFolders(policy), policy.realpath, []);
  expect(protectedName(join(home, '.config/some/file'), place)).toBeDefined();
  rmSync(added);
  link(join(home, '.ssh'), added);
  expect(secretPlaceTest(await policyFor([], 'default', more))(join(home, '.ssh/config'))).toBe(true);
});

test.each([
  ['a folder', 'ext', 'notes/**'],
  ['a link in a subfolder', 'deep/ext', '**'],
])(
  'an allow rule with an absolute path does not lead out of the project through %s',
  async (_, name, rest) => {
    writeFileSync(join(home, 'plain.txt'), 'x');
    mkdirSync(join(home, 'notes'), { recursive: true });
    link(home, join(root, name));
    const place = `/${join(root, name)}`;
    const rules = [`allow Read(${place}/${rest})`, `allow Edit(${place}/${rest})`];
    for (const path of [join(root, name, 'notes/a'), join(home, 'notes/a')])
      expect(await verdict([], { path }, rules, 'default'), path).toBe('ask ask');
    const commands = [`allow Bash(cat ${join(root, name)}/*)`];
    expect(await verdict([], { text: `cat ${join(root, name)}/plain.txt` }, commands, 'default')).toBe('ask');
  },
);

test('an allow rule for a file does not cover another file through a link', async () => {
  link(home, join(root, 'ext'));
  const rules = [`allow Edit(/${join(root, 'ext')}/.bashrc)`, `allow Read(/${join(root, 'ext')}/.env)`];
  expect(await verdict([], { path: join(root, 'ext/.bashrc') }, rules)).toBe('ask ask');
  expect(await verdict([], { path: join(home, '.env') }, rules)).toBe('ask ask');
});

test("a rule still follows links outside the workspace, such as the system's", async () => {
  link(outside, join(dirname(outside), 'var'));
  const rules = [`allow Read(/${join(dirname(outside), 'var')}/**)`];
  expect(await verdict([], { path: join(outside, 'secret.txt') }, rules, 'default')).toBe('allow ask');
});
