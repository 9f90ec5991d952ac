/** Which commands may change git folders in the sandbox: those that run nothing but git. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { gitUseOf } from '../../../src/permissions/command/git/gitUse.ts';
import type { Policy } from '../../../src/permissions/policy.ts';
import type { GitUse } from '../../../src/protocol/sandbox.ts';
import { home, policyFor, root, top } from '../harness.ts';

const project = join(top, 'home', 'of-git');

beforeAll(() => {
  for (const folder of ['.', 'made', 'hooked', 'filtered'])
    for (const name of ['objects', 'refs', 'hooks'])
      mkdirSync(join(project, folder, '.git', name), { recursive: true });
  for (const folder of ['.', 'made', 'hooked', 'filtered'])
    writeFileSync(join(project, folder, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(project, 'made/.git/hooks/pre-commit.sample'), '');
  writeFileSync(join(project, '.git/hooks/pre-commit'), '');
  writeFileSync(join(project, 'hooked/.git/hooks/pre-commit'), '');
  writeFileSync(
    join(project, '.git/config'),
    `[remote "origin"]\n\turl = https://example.com/x.git\n[alias]\n\town = !./evil\n\tsave = commit -a
\tcircle = circle\n\tpick = bisect run ./evil\n\tlook = pick\n\tsend = push vendor/e.git\n`,
  );
  writeFileSync(
    join(home, '.gitconfig'),
    '[alias]\n\tst = status\n\tci = commit\n\tgo = !./evil\n\tfar = own\n',
  );
  for (const [folder, setting] of [
    ['pushes', '[remote "origin"]\n\turl = https://example.com/x\n\tpushurl = ../vendor/e.git'],
    [
      'named',
      '[remote "origin"]\n\turl = https://example.com/x\n[branch "main"]\n\tpushRemote = vendor/e.git',
    ],
  ] as const) {
    for (const name of ['objects', 'refs', 'hooks'])
      mkdirSync(join(project, folder, '.git', name), { recursive: true });
    writeFileSync(join(project, folder, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(project, folder, '.git/config'), `${setting}\n`);
  }
  mkdirSync(join(project, 'host:x'));
  writeFileSync(join(project, 'filtered/.git/config'), '[core]\n\tfsmonitor = ./x\n');
  symlinkSync('.git', join(project, 'link'));
  mkdirSync(join(project, 'bin'));
  writeFileSync(join(project, 'bin/git'), '');
  chmodSync(join(project, 'bin/git'), 0o755);
});

const useOf = async (command: string, more: Partial<Policy> = {}, cwd = project): Promise<GitUse['type']> => {
  const policy = await policyFor([], 'default', { root: project, ...more });
  return gitUseOf(policy.parseCommand(command), cwd, policy).type;
};

const heredoc = `git commit -m "$(cat <<'EOF'\nfix(a): b\n\nuses .git/hooks and x::y\nEOF\n)"`;

const only: readonly string[] = [
  'git add .',
  'git add -A && git commit -m "fix: x"',
  heredoc,
  `git add -A && ${heredoc} && git status`,
  "git commit -F - <<'EOF'\nabc\nEOF",
  'git commit -am "see .git/config" --no-verify',
  'git commit --amend --no-edit',
  'GIT_EDITOR=true git rebase --continue',
  'GIT_AUTHOR_DATE="2024-01-01" HUSKY=0 git commit -m x',
  'git -c user.name=A -c user.email=a@b.c commit -qm x',
  'git -c core.editor=true commit --amend',
  'git -C made commit -m x',
  'git -C "$PWD" add .',
  'git --no-pager stash pop',
  'git -c commit.gpgsign=false -c core.pager=cat commit -m x',
  'git -C made -C . commit -m x',
  '/usr/bin/git fetch',
  'command git fetch',
  'timeout 60 git pull --rebase',
  'git fetch origin && git rebase origin/main',
  'git rebase -s ours main',
  'git merge --strategy=ort main',
  'git push -u origin "$(git branch --show-current)"',
  'b=$(git branch --show-current) && git push origin "$b"',
  'git pull 2>&1 | tail -5',
  'git checkout -b next && git log --oneline | head -3 | cat',
  'cd made && git commit -m x',
  '(cd sub; git add .)',
  'for f in *.ts; do git add "$f"; done',
  'if git diff --quiet; then echo same; else git commit -am x; fi',
  'while ! git push; do sleep 5; done',
  'set -e; git add .; git commit -m x',
  'mkdir -p docs && touch docs/a && git add docs',
  'rm -rf dist && git rm -r --cached dist',
  'rm -f .git/index.lock && git commit -m x',
  'git commit -m x > /dev/null 2>&1; echo "done"',
  'echo x > a && git add a && git commit -m x',
  'cat > docs/a.md <<E\ntext\nE\ngit add docs/a.md',
  'git add . && git log > log.txt',
  'git commit -m x; git diff HEAD~1 > x.patch',
  'git submodule update --init --recursive',
  'git submodule add https://example.com/x.git lib',
  'git remote add up https://example.com/x.git && git fetch up',
  'git worktree add ../wt -b next',
  'git clone https://example.com/x.git copy && git -C copy checkout -b x',
  'git init sub',
  'git add a && git -C . commit -m x && cd . && git status',
  'git -C made add . && cd made && git status && git -C ../made commit -m x',
  'git init y && cd y && git add . && git commit -m x',
  'git -C made init z && git -C made/z add .',
  'git clone https://example.com/a/y.git/ && cd y && git checkout -b x',
  'gh repo clone a/b',
  'git bisect start && git bisect bad && git bisect good v1',
  'git apply fix.patch && git add -u',
  'git update-index --add --cacheinfo 160000,abc,lib',
  'git gc && git fsck && git prune',
  'git config user.name A',
  'git init y && git -C y config set user.email a@b.c && git -C y commit --allow-empty -m x',
  'git st && git ci -m x',
  'git save -m x',
  'git push https://example.com/y.git main',
  'git fetch git@example.com:a/b.git main && git fetch --multiple origin',
  'git fetch . main:next && git push . HEAD:main',
  'git push -o ci.skip --force-with-lease origin main',
  'git push --recurse-submodules no origin main',
  'git fetch --depth 1 -j 4 origin && git pull -X theirs origin main',
  'for r in origin https://example.com/y.git; do git push "$r" main; done',
  'git remote update --prune && git remote prune origin && git remote set-head origin -a',
  'git remote set-url origin https://example.com/z.git && git push',
  'git clone . copy',
  'git maintenance run',
  'git lfs push origin main',
  'git subtree pull --prefix lib https://example.com/x.git main --squash',
  'gt create -m x',
  'hub fetch origin',
  'git stash list && git stash drop',
  'gh pr checkout 12',
  'gh pr create --title x --body "y"',
  'glab mr checkout 3',
  'git lfs pull',
  'git-lfs pull',
  'jj commit -m x',
  'bash -c "git add ."',
  'test -f a && git add a',
  'grep -q x a.txt && git commit -am x',
];

const mixed: readonly string[] = [
  'git add . && npm test',
  'npm test && git commit -m x',
  'git commit -m "$(./message.sh)"',
  'git commit -m "$(python3 m.py)"',
  'git add . && python3 x.py',
  'git add . | sh',
  'git add . & node server.js',
  'git checkout other && echo x > a',
  'git pull; echo x > a',
  'echo x > .git/COMMIT_EDITMSG && git add .',
  'echo x > ../elsewhere && git add .',
  'echo x > "$F" && git add .',
  'ls > a; git stash pop',
  'cp evil .git/index && git add .',
  'mv a .git/index; git add .',
  'ln -s ~/.bashrc .git/COMMIT_EDITMSG; git add .',
  'git add . && echo x | tee a',
  'git add .; ./git commit',
  'git add . && git rebase -x "npm test" main',
  'git add . && xargs git rm < list',
  'git add . && PATH=./bin:$PATH git commit -m x',
  'git add . && make',
  'sed -i s/a/b/ x && git add x',
  'git add . && find . -name x -exec sh {} +',
  'LD_PRELOAD=x ls; git add .',
  'PATH=./bin:$PATH; git add .',
  // Several repositories, one of which the command may have created.
  'git init sub && git add sub',
  'git -C made add . && git commit -m x',
  'git -C made log && git commit -m x',
  'git -C made status; git add .',
  'cd made && git commit -m x || true',
  '(cd made; git add .)',
  'git clone https://example.com/x.git && git add x',
  'git init y && git -C made add .',
  'git init "$Y" && git add .',
  'gh repo clone a/b && git add b',
  // A split line is checked again, step by step.
  'git remote set-url origin /tmp/e && git push',
  'git init y && git -C y config remote.origin.url ../vendor/e.git && git -C y push origin main',
  'git init y && git -C y config set core.fsmonitor ../evil && git -C y add .',
];

const none: readonly string[] = [
  'cd .git; echo x > description; git add .',
  'npm test',
  'ls -la',
  'git status',
  'git log --oneline | head',
  'git diff > x.patch',
  'echo git add .',
  'python3 -c "import os; os.system(\'git add .\')"',
  './git add .',
  'bin/git add .',
  '~/bin/git add .',
  'eval "$X"',
  'xargs git add < list',
  'git ls-files | xargs git add',
  'sh -c "npm test"',
  'git() { ./evil; }; git add .',
  'alias git=./evil; git add .',
  'export PATH=./bin; git add .',
  'PATH=./bin git add .',
  'GIT_EDITOR=./evil git commit',
  'GIT_SSH_COMMAND=./evil git push',
  'GIT_DIR=.git git add .',
  'GIT_WORK_TREE=.git git checkout x -- .',
  'git -c core.fsmonitor=./evil status',
  'git -c alias.x=!./evil x',
  'git -c core.hooksPath=. commit -m x',
  'git --exec-path=. commit',
  'git --git-dir=.git --work-tree=.git checkout x -- .',
  'git -C .git apply ../x.patch',
  'cd .git && git apply ../x.patch',
  'cd link && git apply ../x.patch',
  'cd "$D" && git apply x.patch',
  'git worktree add .git/remotes main',
  'git worktree add link/remotes main',
  'git clone https://example.com/x.git .git/modules/lib',
  'git clone -c core.fsmonitor=./evil https://example.com/x.git',
  'git clone --template=evil https://example.com/x.git',
  'git config -f .git/sequencer/opts options.strategy x/evil',
  'git config --file=x a.b c',
  'git config core.fsmonitor ./evil',
  'git config "$KEY" x',
  'git config --edit',
  'git config rename-section a core',
  'git diff --output=.git/rebase-merge/git-rebase-todo',
  'git archive -o .git/index HEAD',
  'git bundle create .git/index HEAD',
  'git format-patch -o .git/x HEAD~1',
  'git checkout-index --prefix=link/ -a',
  'git rebase -x "npm test" main',
  'git rebase --exec=./evil main',
  'git rebase -s x/evil main',
  'git merge --strategy=./evil main',
  'git bisect run npm test',
  'git submodule foreach ./evil',
  'git filter-branch --tree-filter ./evil',
  'git difftool -x ./evil',
  'git for-each-repo --config=x gc',
  'git fetch --upload-pack=./evil origin',
  'git push --receive-pack=./evil origin',
  'git push ./evil.git main',
  'git fetch ext::./evil main',
  'git rebase "$(cat x)"',
  'git add $FILES',
  'git -C hooked commit -m x',
  'git -C made -C ../hooked commit -m x',
  'git -C "$D" commit -m x',
  'cd "$D" && git add .',
  'git -c pull.twohead=./evil pull',
  'git -c protocol.ext.allow=always fetch',
  'cd hooked && git commit -m x',
  'cd filtered && git add .',
  'jj util exec -- ./evil',
  // A repository in a local folder: its hooks would run.
  'git push vendor/e.git main',
  'git push e main',
  "git push 'vendor' main",
  'git push -- e main',
  'git push -o x e main',
  'git push --recurse-submodules no e main',
  'git push --push-opt no e main',
  'git push $(echo vendor/e.git) main',
  'git push "$REMOTE" main',
  'for r in origin e; do git push "$r"; done',
  'git push file:///srv/e.git main',
  'git push ~/e.git main',
  'git push evil://x main',
  'git fetch vendor/e.git',
  'git fetch --depth 1 e',
  'git fetch --multiple origin e',
  'git pull vendor main',
  'git pull -X theirs vendor main',
  'git ls-remote vendor/e.git && git fetch vendor/e.git',
  'git remote update e',
  'git remote show e && git remote prune e',
  'git remote add x ../evil && git push x main',
  'git remote add -f -t main x vendor/e.git',
  'git remote set-url --push origin vendor/e.git',
  'git clone vendor/e.git copy',
  'git clone -b main vendor/e.git copy',
  'git clone host:x copy',
  'git submodule add ./vendor/e.git lib',
  'git lfs push vendor/e.git main',
  'git subtree push --prefix lib e main',
  'cd pushes && git push',
  'cd named && git push',
  'cd pushes && gh pr create',
  // Subcommands that git does not have, or that start programs.
  "git submodule--helper foreach 'sh x.sh'",
  'git x',
  'git evil',
  'git go',
  'git own',
  'git far',
  'git look',
  'git pick',
  'git circle',
  'git send',
  'git whatever-it-is x',
  'git difftool--helper',
  'git quiltimport',
  'git imap-send',
  'git http-backend',
  'git receive-pack e',
  'git upload-pack e',
  'git column --command=x',
  'git interpret-trailers --trailer x',
  'git apply --unsafe-paths x.patch',
  'git apply --unsafe x.patch',
  'git maintenance start',
  'git lfs merge-driver --program ./evil',
  'git lfs evil',
  'git filter-repo',
  'git cola',
  'git pull-request',
  'git merge-recursive a -- b c',
  'gh x',
  'gh extension exec x',
  'gh run download -D .git/modules',
  'gh repo clone a/b .git/modules/x',
  'gh repo clone a/b x -- -c core.fsmonitor=./evil',
  'gh release download -D .git',
  'glab duo ask x',
  'gt config',
  'gt create --cwd made -m x',
  'hub alias -s sh',
  'hub bisect run ./evil',
  'hub push vendor/e.git',
  'jj evil',
  'cd hooked && gh pr checkout 1',
  'gh alias set x "!./evil"',
  'git commit -m "unclosed',
];

test.each([
  ...only.map((command) => [command, 'only'] as const),
  ...mixed.map((command) => [command, 'mixed'] as const),
  ...none.map((command) => [command, 'none'] as const),
])('%s: %s', async (command, use) => {
  expect(await useOf(command)).toBe(use);
});

test("the project's own git does not count, nor does git beside another program of the project", async () => {
  const projectProgram = (names: readonly string[]) => (_: readonly string[], name: string) =>
    names.includes(name) ? join(project, 'bin', name) : undefined;
  expect(await useOf('git add .', { projectProgram: projectProgram(['git']) })).toBe('none');
  expect(await useOf('timeout 5 git add .', { projectProgram: projectProgram(['timeout']) })).toBe('none');
  expect(await useOf('git add . | head', { projectProgram: projectProgram(['head']) })).toBe('mixed');
});

test.each([
  ['git push', 'none'],
  ['git push origin main', 'none'],
  ['git fetch', 'none'],
  ['git commit -m x', 'only'],
])('in a repository whose remote is a local folder, %s: %s', async (command, use) => {
  const pushes = join(project, 'pushes');
  expect(await useOf(command, { root: pushes }, pushes)).toBe(use);
});

test('git does not count if it starts in a git folder', async () => {
  expect(await useOf('git apply ../x', {}, join(project, '.git'))).toBe('none');
  expect(await useOf('git add .', {}, root)).toBe('only');
});

test.each([
  ['git add . && git commit -m x', ['.git'], false, '.'],
  ['cd docs && git add .', ['.git'], false, 'docs'],
  ['git add . && cd docs && git add .', ['.git'], false, undefined],
  ['git worktree add new && git -C new commit -m x', ['.git'], false, undefined],
  ['git -C made commit -m x', ['made/.git'], true, 'made'],
  ['git init y && cd y && git add .', ['y/.git'], true, 'y'],
  ['git clone https://example.com/y.git && cd y && git checkout x', ['y/.git'], true, 'y'],
  ['gh repo clone a/b', [], true, undefined],
])('finds the git folders that a command may change: %s', async (command, folders, isForeign, place) => {
  const policy = await policyFor([], 'default', { root: project });
  expect(gitUseOf(policy.parseCommand(command), project, policy)).toEqual({
    type: 'only',
    folders: folders.map((folder) => join(project, folder)),
    isForeign,
    ...(place === undefined ? {} : { place: join(project, place) }),
  });
});
