import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { policyFor, top } from '../harness.ts';

const home = mkdtempSync(join(top, 'home-'));
const put = (path: string): void => {
  mkdirSync(dirname(join(home, path)), { recursive: true });
  writeFileSync(join(home, path), 'x\n');
};
const secrets = [
  '.config/stripe/config.toml',
  '.config/google-chrome/Default/Cookies',
  '.mozilla/firefox/a.default/logins.json',
  '.local/share/keyrings/login.keyring',
  '.fly/config.yml',
  '.viminfo',
  '.claude/projects/-home-me-shop/a.jsonl',
  '.codex/sessions/2026/a.jsonl',
  '.gemini/tmp/a/chats/a.json',
  '.local/share/opencode/storage/a.json',
  '.config/crush/crush.json',
  '.config/io.datasette.llm/keys.json',
  '.circleci/cli.yml',
  '.config/openstack/clouds.yaml',
  '.foundry/keystores/a',
  '.sbt/1.0/credentials.sbt',
  '.config/aerc/accounts.conf',
  '.local/share/DBeaverData/workspace6/General/.dbeaver/credentials-config.json',
  '.weechat/sec.conf',
];
const ordinary = [
  '.config/foot/foot.ini',
  '.claude/CLAUDE.md',
  '.circleci/x.yml',
  '.sbt/1.0/build.sbt',
  'code/.config/stripe.md',
  'code/.history/a.ts',
  'notes/x.txt',
];
for (const path of [...secrets, ...ordinary]) put(path);
// Dot files are often kept in a repository, to which the home links.
put('dotfiles/config/stripe/config.toml');
const linked = mkdtempSync(join(top, 'linked-'));
mkdirSync(join(linked, 'dotfiles/config/stripe'), { recursive: true });
writeFileSync(join(linked, 'dotfiles/config/stripe/config.toml'), 'x\n');
symlinkSync('dotfiles/config', join(linked, '.config'));

async function behavior(
  call: { read: string } | { edit: string } | { command: string },
  { rules = [], mode = 'default', root = home, at = home }: Given = {},
): Promise<string> {
  const policy = await policyFor(rules, mode, { root, home: at });
  if ('command' in call)
    return decide({ tool: 'Bash', access: { type: 'command', command: call.command, cwd: root } }, policy)
      .behavior;
  const [tool, path] = 'read' in call ? ['Read', call.read] : ['Edit', call.edit];
  const type = 'read' in call ? 'read' : 'write';
  return decide({ tool, access: { type, paths: [join(root, path)] } }, policy).behavior;
}
interface Given {
  readonly rules?: readonly string[];
  readonly mode?: PermissionMode;
  readonly root?: string;
  readonly at?: string;
}

describe('a project that is the home folder', () => {
  test.each(secrets)('%s is not shown without approval', async (path) => {
    expect(await behavior({ read: path })).toBe('ask');
    expect(await behavior({ edit: path }, { mode: 'acceptEdits' })).toBe('ask');
    expect(await behavior({ command: `cat ${path}` })).toBe('ask');
    expect(await behavior({ command: `cat ~/${path}` }, { rules: ['allow Bash(cat *)'] })).toBe('ask');
    expect(await behavior({ command: `grep -r x ${dirname(path)}` })).toBe('ask');
  });
  test.each(ordinary)('%s is shown without approval', async (path) => {
    expect(await behavior({ read: path })).toBe('allow');
    expect(await behavior({ command: `cat ${path}` })).toBe('allow');
  });
  test.each(['cat .config/*/config.toml', 'cat .m*/firefox/*/logins.json', 'cat < .fly/config.yml'])(
    '%s needs approval because of its matches',
    async (command) => {
      expect(await behavior({ command })).toBe('ask');
    },
  );
  test('only a rule that names the folder allows reading a secret', async () => {
    const call = { read: '.config/stripe/config.toml' };
    expect(await behavior(call, { rules: ['allow Read(~/.config/stripe/**)'] })).toBe('allow');
    expect(await behavior(call, { rules: ['allow Read(~/.config/stripe/config.toml)'] })).toBe('allow');
    expect(await behavior(call, { rules: ['allow Read(~/.config/**)'] })).toBe('ask');
  });
});

test('a dotfiles folder that the home links to has the same secrets', async () => {
  const root = join(linked, 'dotfiles');
  expect(await behavior({ read: 'config/stripe/config.toml' }, { root, at: linked })).toBe('ask');
});

test('files of a project inside a folder for secrets are ordinary', async () => {
  put('.continue/own/a.ts');
  expect(await behavior({ read: 'a.ts' }, { root: join(home, '.continue/own') })).toBe('allow');
});
