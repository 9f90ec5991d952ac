/** A rule that denies editing files also applies to commands that write or delete files without naming them. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { everyOtherIsQuick } from '../../e2e/support/long.ts';
import { policyFor, rule, top } from '../harness.ts';

const project = join(top, 'home', 'written');

function git(...args: readonly string[]): void {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
  const all = [...own, '-c', 'core.hooksPath=/dev/null', ...args];
  const { status, stderr } = spawnSync('git', all, { cwd: project, encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

beforeAll(() => {
  for (const folder of ['locked', 'src', 'other/locked', 'docs'])
    mkdirSync(join(project, folder), { recursive: true });
  git('init', '-q', '-b', 'main');
  for (const file of ['locked/a.ts', 'src/a.ts', 'docs/a.md', 'other/locked/b.ts'])
    writeFileSync(join(project, file), 'one\n');
  git('add', '.');
  git('commit', '-qm', 'one');
  git('branch', 'old');
  writeFileSync(join(project, 'locked/a.ts'), 'two\n');
  git('commit', '-qam', 'two');
  git('branch', 'same');
  writeFileSync(join(project, 'src/a.ts'), 'two\n');
  git('commit', '-qam', 'three');
  writeFileSync(join(project, 'locked/a.ts'), 'three\n');
  writeFileSync(join(project, 'locked/new.ts'), 'new\n');
});

async function behavior(command: string, rules: readonly string[], mode: PermissionMode): Promise<string> {
  const own = rules.map((text) => ({ ...rule(text), base: project }));
  const policy = await policyFor([], mode, { root: project, rules: own });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: project } }, policy).behavior;
}

const writing = [
  'find . -name a.ts -delete',
  'find . -delete',
  'comby -i x y .ts',
  'sad x y',
  "sqlite3 x.db '.output locked/a.ts'",
  "find . -name 'locke*' -exec rm -r {} +",
  'git checkout HEAD -- .',
  'git checkout .',
  'git checkout old -- .',
  'git restore .',
  'git restore --source=old .',
  "git rm -r -- ':/'",
  'git rm -r .',
  'git clean -fdx',
  'git reset --hard',
  'git reset --hard HEAD~2',
  'git switch old',
  'git checkout old',
  'git checkout -f same',
  'git stash',
  'git stash -u',
  'git pull',
  'git merge --abort',
  'git revert HEAD~1',
  'git sparse-checkout set docs',
  "git filter-branch --tree-filter 'rm -r locked'",
  "git submodule foreach 'rm -r ../locked'",
  'git apply x.patch',
  'git am x.patch',
  'git read-tree -u --reset old',
  'git checkout-index -af',
  'git -C . restore .',
  'git config x y && git switch same',
  'git mv other/locked .',
  'git co .',
  'tar xf x.tar',
  'tar -C . -xzf x.tgz',
  'tar cf x.tar --remove-files .',
  'unzip -o x.zip',
  '7z x x.7z',
  'cpio -i < x.cpio',
  'python3 -m zipfile -e x.zip .',
  'patch -p1 < x.patch',
  'patch -p1 -i x.patch',
  'rm -r .',
  'rm -rf "$PWD"/.',
  'sudo rm -r .',
  'timeout 5 rm -r .',
  'npx rimraf .',
  'mv . ../x',
  'cp -r other/locked .',
  'cp -r other/. .',
  'cp -rt . other/locked',
  'rsync -a other/ .',
  'rsync -a --delete docs/ .',
  'ln -s . l',
  'ln -s "$(pwd)" l',
  'hg update',
  'prettier --write .',
  'npx prettier -w docs .',
  'yarn prettier --write .',
  'pnpm exec eslint --fix',
  'eslint . --fix',
  'biome check --write',
  'npx @biomejs/biome format --write .',
  'deno fmt',
  'codespell -w',
  'lint-staged',
  'pre-commit run --all-files',
  'docker run -v .:/w img make',
  'podman run --mount type=bind,source=.,target=/w img make',
  "python3 - <<'E'\nopen('locked/a.ts', 'w')\nE",
  'sed -i s/a/b/ */*.ts',
];

const harmless = [
  'find . -name a.md -delete',
  'find docs -delete',
  'find . -name a.ts',
  'git restore docs src',
  'git checkout HEAD -- src',
  'git rm --cached -r .',
  'git clean -fd docs',
  'git clean -n',
  'git reset',
  'git reset --soft HEAD~1',
  'git switch -c new',
  'git checkout -b new',
  'git switch same',
  'git stash list',
  'git stash drop',
  'git fetch',
  'git push',
  'git add .',
  "git commit -am 'all of it'",
  'git log -p',
  'git archive HEAD -o x.tar',
  'git worktree add ../w',
  'git clone https://example.com/x',
  'git mv src/a.ts src/b.ts',
  'tar cf x.tar .',
  'tar xf x.tar -C docs',
  'tar tf x.tar',
  'unzip -l x.zip',
  'unzip x.zip -d docs',
  'patch --dry-run -i x.patch',
  'rm -rf docs',
  'rm -rf node_modules',
  'mv docs d',
  'cp -r docs src',
  'cp -r . ../x',
  'cp src/a.ts docs',
  'rsync -a docs/ src',
  'grep -r one .',
  'npm test',
  'ln -s docs d',
  'prettier --check .',
  'prettier --write docs',
  'eslint .',
  'eslint --fix src',
  'eslint --fix-dry-run .',
  'biome check',
  'ruff format',
  'python -m black .',
  'gofmt -w .',
  'cargo fmt',
  'docker run -v ./docs:/w img make',
  'docker run -v .:/w:ro img make',
  'docker run -v locked:/w img make',
  'sed -i s/a/b/ *.ts',
  "find . -name '*.md' -delete",
];

describe.each([
  ['deny Edit(locked/**)', 'bypassPermissions'],
  ['deny Edit(/locked/**)', 'default'],
  ['ask Edit(/locked/**)', 'acceptEdits'],
] as const)('%s in %s', (forbidden, mode) => {
  const isLong = mode === 'bypassPermissions' ? {} : { tags: 'long' };
  for (const { row: command, options } of everyOtherIsQuick(writing))
    test(`${command} does not run without approval`, { ...options, ...isLong }, async () => {
      expect(await behavior(command, [forbidden, 'allow Bash'], mode)).not.toBe('allow');
    });
  test.each(harmless)('%s runs', isLong, async (command) => {
    expect(await behavior(command, [forbidden, 'allow Bash'], mode)).toBe('allow');
  });
});

test.each([
  ['deny Edit(/src/a.ts)', 'cp other/locked/../../docs/a.ts src'],
  ['deny Edit(/src/a.ts)', 'cp docs/a.ts src'],
  ['deny Edit(/src/a.ts)', 'mv docs/a.ts -t src'],
  ['deny Edit(/src/a.ts)', 'wget -P src https://h/a.ts'],
  ['deny Edit(/a.ts)', 'curl -O https://h/x/a.ts?y'],
  ['deny Edit(/src/a.ts)', 'gunzip src/a.ts.gz'],
  ['deny Edit(a.ts)', 'rm -r src'],
  ['deny Edit(/src/a.ts)', 'mv src s'],
])('with %s, %s does not run without approval', async (forbidden, command) => {
  expect(await behavior(command, [forbidden], 'bypassPermissions')).not.toBe('allow');
});

test.each(['deny Read(locked/**)', 'deny Edit(/secrets/**)', 'deny Bash(curl:*)'])(
  '%s does not apply to commands that may write files without naming them',
  async (other) => {
    for (const command of ['git pull', 'git switch old', 'rm -r docs', 'find . -name a.ts -delete'])
      expect([command, await behavior(command, [other, 'allow Bash'], 'bypassPermissions')]).toEqual([
        command,
        command === 'git pull' && other.includes('secrets') ? 'ask' : 'allow',
      ]);
  },
);

describe('a rule that denies all edits', () => {
  test.each([
    'echo x > a.ts',
    'cat > a.ts <<E\nx\nE',
    'echo x | tee -a a.ts',
    'sed -i s/a/b/ src/a.ts',
    'perl -pi -e s/a/b/ src/a.ts',
    'awk -i inplace 1 src/a.ts',
    'cp src/a.ts b.ts',
    'mv src/a.ts b.ts',
    'rm src/a.ts',
    'touch b.ts',
    'truncate -s 0 src/a.ts',
    'ln -s src/a.ts b.ts',
    'dd if=src/a.ts of=b.ts',
    'sort -o a.ts src/a.ts',
    'curl -so a.ts https://h/x',
    'wget https://h/x',
    'tar xf x.tar',
    'patch -p1 < x.patch',
    'git apply x.patch',
    'git restore .',
    'git stash',
    'npx prettier --write .',
    'find . -name a.ts -delete',
    'sudo tee /etc/x < y',
  ])('denies %s', async (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect(await behavior(command, ['deny Edit', 'allow Bash'], mode)).toBe('deny');
  });

  test.each([
    'cat src/a.ts',
    'ls > /dev/null 2>&1',
    'echo x | tee /dev/null',
    'sed s/a/b/ src/a.ts',
    'curl -so /dev/null https://h/x',
    'wget -qO - https://h/x',
    'dd if=src/a.ts of=/dev/null',
    'npm test',
    'make 2>&1 | tail -5',
    'prettier --check .',
    'git status',
    'git add .',
    'git commit -m x',
    'tar tf x.tar',
    'find . -name nothing -delete',
  ])('does not apply to %s', async (command) => {
    expect(await behavior(command, ['deny Edit'], 'bypassPermissions')).toBe('allow');
  });
});

describe('a rule that denies reading a folder applies to programs that send everything in a folder', () => {
  test.each([
    ...['docker cp . x:/', 'kubectl cp . x:/', 'aws s3 sync . s3://x', 'rclone sync . remote:x'],
    ...[
      'docker build .',
      'docker build -t x -f Dockerfile .',
      'podman build .',
      'docker buildx build --push .',
    ],
    ...[
      'docker build --build-context a=. src',
      'docker compose up --build',
      'docker compose build',
      'buildah bud .',
    ],
    'kubectl create secret generic x --from-file=.',
    'kubectl create configmap x --from-file=key=. --dry-run=client -o yaml',
    'kubectl create cm x --from-file .',
    ...[
      'kubectl apply -f .',
      'kubectl apply -f. --server-side',
      'kubectl diff -k .',
      'oc start-build x --from-dir=.',
    ],
    ...['gcloud run deploy x --source .', 'gcloud builds submit', 'vercel', 'vercel --prod', 'fly deploy'],
    ...[
      'netlify deploy --dir=.',
      'firebase deploy',
      'npm publish',
      'npm pack',
      'cargo package',
      'hf upload x',
    ],
    ...[
      'croc send .',
      'kopia snapshot create .',
      'repomix',
      'helm package .',
      'kustomize build',
      'sudo docker build .',
    ],
  ])('applies to %s', async (command) => {
    expect(await behavior(command, ['deny Read(locked/**)'], 'bypassPermissions')).not.toBe('allow');
  });

  test.each([
    ...[
      'docker cp src x:/',
      'docker ps',
      'kubectl get pods',
      'aws s3 ls',
      'docker compose ps',
      'docker build src',
    ],
    ...[
      'kubectl apply -f src/a.ts',
      'kubectl create cm x --from-file=src',
      'npm run build',
      'npm install',
      'helm list',
    ],
    ...[
      'cargo build',
      'fly status',
      'netlify status',
      'pulumi stack ls',
      'docker logs -f x',
      'docker build https://h/x',
    ],
  ])('does not apply to %s', async (command) => {
    expect(await behavior(command, ['deny Read(locked/**)'], 'bypassPermissions')).toBe('allow');
  });
});
