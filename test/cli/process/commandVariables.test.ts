/** Which variables in settings reach commands: all of our own files', no secrets of Claude Code's. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { commandVariables } from '../../../src/cli/process/commandVariables.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';

const CLAUDE = '.claude/settings.json';
const OWN = '.clawdcode/config.json';

async function variables(files: Readonly<Record<string, object>>) {
  const home = await mkdtemp(join(tmpdir(), 'clawdcode-variables-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), JSON.stringify(content));
  }
  const dataRoot = join(home, '.clawdcode');
  const places = { dataRoot, home, root: join(home, 'work') };
  return commandVariables(await loadSettings({ ...places, env: {}, flags: {}, trusted: true }));
}

const secrets = {
  ANTHROPIC_AUTH_TOKEN: 'sk-ant-1',
  AWS_SECRET_ACCESS_KEY: 's',
  DATABASE_URL: 'postgres://u:p@db.example/x',
  PLAIN_NAME: ['ghp', 'x7Kq2mZp9Lw4Rt8Yv3Nc6Bh1Jd5Fs0Ga2We4'].join('_'),
};

test.each([CLAUDE, 'work/.claude/settings.json', 'work/.claude/settings.local.json'])(
  'secrets of %s are left out',
  async (file) => {
    const { env, granted } = await variables({ [file]: { env: { ...secrets, NODE_ENV: 'test' } } });
    expect(env).toEqual({ NODE_ENV: 'test' });
    expect(granted).toEqual([]);
  },
);

test('sandbox.allowEnv allows them', async () => {
  const { env, granted } = await variables({
    [CLAUDE]: { env: secrets },
    [OWN]: { sandbox: { allowEnv: ['ANTHROPIC_AUTH_TOKEN'] } },
  });
  expect(env).toEqual({ ANTHROPIC_AUTH_TOKEN: 'sk-ant-1' });
  expect(granted).toEqual(['ANTHROPIC_AUTH_TOKEN']);
});

test.each([OWN, 'work/.clawdcode.json'])('variables of %s are meant for commands', async (file) => {
  const { env, granted } = await variables({
    [CLAUDE]: { env: { DATABASE_URL: 'postgres://other:p@db.example/x', API_KEY: 'k' } },
    [file]: { env: secrets },
  });
  expect(env).toEqual(secrets);
  expect(granted.toSorted()).toEqual(Object.keys(secrets).toSorted());
});
