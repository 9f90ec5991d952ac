/** Only commands that just install may write to dependencies that share their files with other projects. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { installsOnly } from '../../../src/permissions/command/installUse.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'of-installs');

beforeAll(() => {
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(project, 'node_modules/.bin/yarn'), '');
  chmodSync(join(project, 'node_modules/.bin/yarn'), 0o755);
});

const installs = async (command: string): Promise<boolean> => {
  const policy = await policyFor([], 'default', { root: project });
  return installsOnly(policy.parseCommand(command), project, policy);
};

test.each([
  'pnpm install',
  'pnpm add -D vitest && ls node_modules',
  'rm -rf node_modules && npm ci 2>&1 | tail -5',
  'cd web && pnpm --filter web add x > install.log',
  'CI=1 npm install --prefix web',
  'bun add zod',
  'uv sync --frozen',
  'uv pip install -e .',
  'python3 -m pip install x',
  'poetry add x',
  'timeout 60 npm update',
])('%s only installs', async (command) => {
  expect(await installs(command)).toBe(true);
});

test.each([
  'npm test',
  'pnpm run build',
  'pnpm exec vitest',
  'bun x.ts',
  'uv run pytest',
  'pnpm install && pnpm test',
  'pnpm $WORD',
  'NODE_OPTIONS=--import=./x.mjs npm install',
  'echo x > node_modules/dep/index.js',
  './npm install',
  'yarn sync',
  'git commit -m x',
  'poetry run x',
])('%s does more than install', async (command) => {
  expect(await installs(command)).toBe(false);
});
