/**
 * Only commands that just install may write to dependencies that share their files with other projects, and only
 * packages that the project lists are no change.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { installsListed, installsOnly } from '../../../src/permissions/command/installUse.ts';
import { policyFor, top } from '../harness.ts';

const project = join(top, 'home', 'of-installs');

beforeAll(() => {
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  writeFileSync(join(project, 'node_modules/.bin/yarn'), '');
  chmodSync(join(project, 'node_modules/.bin/yarn'), 0o755);
  for (const folder of ['web', 'build/x']) mkdirSync(join(project, folder), { recursive: true });
  const manifests = ['package.json', 'pyproject.toml', 'requirements.txt', 'web/package.json'];
  const ignored = ['build/x/package.json', 'build/x/requirements.txt'];
  for (const name of [...manifests, ...ignored]) writeFileSync(join(project, name), '');
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: project });
  git('init', '-q');
  git('add', ...manifests);
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

const installsListedIn = async (command: string): Promise<boolean> => {
  const policy = await policyFor([], 'default', { root: project });
  return installsListed(policy.parseCommand(command), project, policy);
};

test.each([
  'npm ci',
  'npm install --no-audit --omit=dev 2>&1 | tail -5',
  'rm -rf node_modules && npm i',
  'npm ci --omit dev',
  'cd web && pnpm install --frozen-lockfile',
  'yarn; yarn install --immutable',
  'bun install',
  'uv venv && uv sync --extra test',
  'poetry install --no-root --with dev',
  'pip install -q -r requirements.txt',
  'uv pip install --requirement requirements.txt',
])('%s installs what the project lists', async (command) => {
  expect(await installsListedIn(command)).toBe(true);
});

test.each([
  'npm install --no-save ./build/x',
  'npm install --no-save build/x.tgz',
  'npm install x',
  'npm install --prefix build/x',
  'npm install --no-save --with is-odd',
  'npm install --extra is-odd',
  'bun install --only is-odd',
  'yarn install --omit is-odd',
  'uv sync --with x',
  'npm install --install-links=false --workspace=build/x',
  'npm link ./build/x',
  'npm uninstall x',
  'cd build/x && npm install',
  'cd node_modules && npm install',
  'pnpm install --modules-dir=node_modules --dir build/x',
  'pnpm add link:build/x',
  'pnpm install $WORD',
  'yarn add file:./build/x',
  'yarn link',
  'bun link x',
  'uv add ./build/x',
  'uv pip install ./build/x',
  'uv pip install -r build/x/requirements.txt',
  'uv sync --project build/x',
  'pip install .',
  'pip install -r requirements.txt ./build/x',
  'pip install -f build -r requirements.txt',
  'pip install -r https://example.com/requirements.txt',
  'pip install',
  'poetry install --directory build/x',
  'python3 -m pip install -r requirements.txt',
  'npm ci && cp -r build/x node_modules',
  'npm ci && cat a.txt > node_modules/x/index.js',
  'cat a.txt > .venv/bin/x',
  'cargo vendor build/x',
  'go mod vendor',
  'composer install',
  'bundle install',
])('%s may install something else', async (command) => {
  expect(await installsListedIn(command)).toBe(false);
});
