/**
 * Git can show and restore files that are only in its history, such as secrets and protected files.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { policyFor, top } from '../harness.ts';
import { gitIn } from './gitRun.ts';

const project = join(top, 'home', 'history');
const clean = join(top, 'home', 'clean');
const ids: Record<string, string> = {};

const git = gitIn(project);

function write(place: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(place, name, '..'), { recursive: true });
    writeFileSync(join(place, name), text);
  }
}

beforeAll(() => {
  for (const place of [project, clean]) {
    const run = gitIn(place);
    mkdirSync(place, { recursive: true });
    run('init', '-q', '-b', 'main');
    write(place, { 'src/a.ts': 'one\n', 'b.txt': 'b\n' });
    if (place === project)
      write(place, { '.env': 'TOKEN=supersecret\n', '.husky/pre-commit': 'id\n', 'config/.env': 'K=1\n' });
    run('add', '-f', '.');
    run('commit', '-qm', 'one');
    if (place === project) {
      run('rm', '-rq', '.env', '.husky', 'config');
      rmSync(join(place, '.env'), { force: true });
    }
    write(place, { 'src/a.ts': 'two\n' });
    run('commit', '-qam', 'two');
  }
  ids.SECRET = git('rev-parse', 'HEAD~1:.env');
  ids.FOLDER = git('rev-parse', 'HEAD~1:config');
  ids.OLD = git('rev-parse', 'HEAD~1:src/a.ts');
  ids.NEW = git('rev-parse', 'HEAD:src/a.ts');
  write(project, { 'staged.txt': 'staged\n', 'c.txt': 'c\n' });
  git('add', 'staged.txt');
  ids.STAGED = git('rev-parse', ':staged.txt');
  const made = spawnSync('git', ['hash-object', '-w', '--stdin'], { cwd: project, input: 'X=1\n' });
  ids.UNNAMED = made.stdout.toString().trim();
});

const behavior = async (
  command: string,
  rules: readonly string[] = [],
  root = project,
  more = {},
): Promise<string> => {
  const policy = await policyFor(
    rules.map((one) => `allow Bash(${one})`),
    'default',
    { root, ...more },
  );
  const named = command.replace(/\b(?:SECRET|FOLDER|OLD|NEW|STAGED|UNNAMED)\b/g, (name) => ids[name] ?? '');
  return decide({ tool: 'Bash', access: { type: 'command', command: named, cwd: root } }, policy).behavior;
};

describe('without a rule', () => {
  test.each([
    'git cat-file -p SECRET',
    'git cat-file -p -- SECRET',
    'git cat-file blob SECRET',
    'git show SECRET',
    'git show SECRET^{blob}',
    'git diff SECRET NEW',
    'git diff OLD..SECRET',
    'git show UNNAMED',
    'git grep TOKEN HEAD~1',
    'git grep -e TOKEN HEAD~1',
    'git grep TOKEN main~1 HEAD',
    'git grep -- TOKEN HEAD~1',
    'git grep TOKEN HEAD~1 --',
    'git grep TOKEN HEAD~1 -- . src',
    "git grep TOKEN HEAD~1 -- '*v'",
    'git grep -h K HEAD~1:config',
    'git grep K FOLDER',
    'git grep TOKEN SECRET',
    'git grep TOKEN HEAD~1:.env',
    'git show HEAD~1:.env',
    'git show HEAD~1',
    "git for-each-ref --format='%(raw)'",
    "git tag -l --format '%(*raw)'",
  ])('%s needs approval', async (command) => {
    expect(await behavior(command)).toBe('ask');
  });

  test.each([
    'git cat-file -p HEAD',
    'git cat-file -p HEAD~1',
    'git cat-file -p FOLDER',
    'git cat-file -p NEW',
    'git cat-file -t SECRET',
    'git show OLD',
    'git show STAGED',
    'git show HEAD~1:src/a.ts',
    'git diff OLD NEW',
    'git diff HEAD~1:src/a.ts HEAD:src/a.ts',
    'git grep one',
    'git grep one src',
    'git grep one HEAD',
    'git grep one HEAD~1 -- src',
    'git grep -n one HEAD~1 -- src/a.ts',
    'git grep one OLD',
    'git rev-parse HEAD~1:.env',
    'git log -p -- src',
    "git for-each-ref --format='%(refname)'",
  ])('%s runs', async (command) => {
    expect(await behavior(command)).toBe('allow');
  });

  test('a command needs approval if the history cannot be listed', async () => {
    const more = { gitShows: () => undefined };
    expect(await behavior('git log -p -- src', [], project, more)).toBe('ask');
    expect(await behavior('git show OLD', [], project, more)).toBe('ask');
  });

  test('a rule for a file applies to HEAD:path in any folder, since the path starts at the root', async () => {
    const policy = await policyFor(['deny Read(src/a.ts)'], 'default', { root: project });
    const rules = policy.rules.map((one) => ({ ...one, base: project }));
    const access = { type: 'command', command: 'git show HEAD:src/a.ts', cwd: join(project, 'src') } as const;
    expect(decide({ tool: 'Bash', access }, { ...policy, rules }).behavior).not.toBe('allow');
  });
});

describe('commands that an allow rule does not cover', () => {
  test.each([
    // Names from standard input or a file.
    ['git show:*', 'git show --stdin'],
    ['git log:*', 'git log -p --stdin'],
    ['git cat-file:*', 'git cat-file --batch'],
    ['git cat-file:*', "git cat-file --batch='%(objecttype)'"],
    ['git cat-file:*', 'git cat-file --batch-command'],
    ['git cat-file:*', 'git cat-file --batch-check'],
    ['git diff-tree:*', 'git diff-tree -p --root --stdin'],
    ['git restore:*', 'git restore --source=HEAD~1 --pathspec-from-file=-'],
    ['git restore:*', 'git restore --source=HEAD~1 --pathspec-from-file=c.txt'],
    ['git restore:*', 'git restore --source=HEAD~1 --pathspec-from-file c.txt'],
    ['git restore:*', 'git restore --source=HEAD~1 --pathspec-fr=c.txt'],
    ['git checkout:*', 'git checkout HEAD~1 --pathspec-from-file=-'],
    ['git commit:*', 'git commit -m x --pathspec-from-file=c.txt'],
    ['git rm:*', 'git rm -f --pathspec-from-file=-'],
    ['git reset:*', 'git reset --pathspec-from-file=-'],
    ['git add:*', 'git add -f --pathspec-from-file=c.txt'],
    ['git stash:*', 'git stash push --pathspec-from-file=c.txt'],
    // Paths that only git resolves.
    ['git restore:*', "git restore --source=HEAD~1 ':(glob).husky/*'"],
    ['git restore:*', "git restore --source=HEAD~1 ':(glob).e*'"],
    ['git restore:*', "git restore --source=HEAD~1 '.h*'"],
    ['git restore:*', "git restore --source=HEAD~1 ':(icase).HUSKY'"],
    ['git restore:*', 'git restore --source=HEAD~1 .'],
    ['git restore:*', 'git restore --source HEAD~1 .'],
    ['git restore:*', 'git restore -s HEAD~1 .'],
    ['git restore:*', 'git restore -Ws HEAD~1 .'],
    ['git restore:*', 'git restore -sHEAD~1 .'],
    ['git restore:*', 'git restore -WsHEAD~1 .'],
    ['git restore:*', 'git restore --source=HEAD~1 config'],
    ['git checkout:*', 'git checkout HEAD~1 .'],
    ['git checkout:*', 'git checkout HEAD~1 -- .'],
    ['git checkout:*', 'git checkout HEAD~1... -- .'],
    ['git checkout:*', "git checkout HEAD~1 ':(top)'"],
    ['git:*', 'git --icase-pathspecs checkout HEAD~1 .HUSKY/PRE-COMMIT'],
    // Unknown options, and commands that show secrets.
    ['git log:*', 'git log -p'],
    ['git log:*', 'git log -p --output-indicator-new=x'],
    ['git log:*', 'git log -Ssupers --oneline'],
    ['git log:*', 'git log -G TOKEN=s --all'],
    ['git:*', 'git var -l'],
    ['git:*', 'git fsck --lost-found'],
    ['git log:*', 'git log -p --remerge-diff'],
    ['git log:*', 'git log -p --no-such SECRET'],
    ['git show:*', 'git show --output-indicator-new=x SECRET'],
    ['git show:*', 'git show SECRET'],
    ['git cat-file:*', 'git cat-file -p SECRET'],
    ['git grep:*', 'git grep --no-such TOKEN HEAD~1'],
    ['git grep:*', 'git grep TOKEN HEAD~1'],
    ['git format-patch:*', 'git format-patch --stdout HEAD~1'],
    ['git archive:*', 'git archive HEAD~1'],
    ['git whatchanged:*', 'git whatchanged -p'],
    ['git range-diff:*', 'git range-diff HEAD~1 HEAD main'],
    ['git stash:*', 'git stash show -p --no-such'],
    ['git checkout:*', 'git checkout -p HEAD~1'],
    ['git restore:*', 'git restore --patc --source=HEAD~1'],
    ['git reset:*', 'git reset -p HEAD~1'],
    ['git for-each-ref:*', "git for-each-ref --format='%(raw)'"],
    ['git tag:*', "git tag -l --format '%(*raw)'"],
    ['git notes:*', 'git notes add -C SECRET HEAD'],
    ['git notes:*', 'git notes append --reuse-message=SECRET HEAD'],
  ])('Bash(%s) does not cover %s', async (rule, command) => {
    expect(await behavior(command, [rule])).toBe('ask');
    expect(await behavior(`echo HEAD~1:.env | ${command}`, [rule])).toBe('ask');
  });

  test('Bash(git:*) does not cover patterns that match protected files, tracked or about to be added', {
    tags: 'long',
  }, async () => {
    const place = join(top, 'home', 'tracked');
    mkdirSync(place, { recursive: true });
    const run = gitIn(place);
    run('init', '-q');
    write(place, { '.env': 'x\n', '.gitignore': '.env\n', '.husky/pre-commit': 'id\n', 'a.ts': '1\n' });
    for (const command of [
      "git add -f ':(glob).e*'",
      "git add -f '.[e]nv'",
      "git add -fv ':/.e*'",
      "git clean -fdx ':(glob).husky/*'",
    ])
      expect(await behavior(command, ['git:*'], place), command).toBe('ask');
    for (const command of ['git add .', "git add '*.ts'", "git add . ':!dist'", 'git add *.ts'])
      expect(await behavior(command, ['git:*'], place), command).toBe('allow');
    run('add', '-f', '.');
    run('commit', '-qm', 'one');
    for (const command of [
      "git rm -f ':(glob).husky/*'",
      'git rm -rf .',
      "git stash push ':(glob).husky/*'",
      "git mv '.h*' src",
    ])
      expect(await behavior(command, ['git:*'], place), command).toBe('ask');
    expect(await behavior('git rm a.ts', ['git:*'], place)).toBe('allow');
    write(place, { '.husky/pre-commit': 'other\n' });
    expect(await behavior('git restore .', ['git:*'], place)).toBe('ask');
    expect(await behavior('git restore a.ts', ['git:*'], place)).toBe('allow');
  });
});

test('Bash(git:*) does not cover applying commits that add or remove protected files or secrets', {
  tags: 'long',
}, async () => {
  const place = join(top, 'home', 'branches');
  const run = gitIn(place);
  mkdirSync(place, { recursive: true });
  run('init', '-q', '-b', 'main');
  write(place, { 'a.ts': 'one\n' });
  run('add', '.');
  run('commit', '-qm', 'one');
  run('switch', '-qc', 'planted');
  write(place, { '.vscode/tasks.json': '{}\n', '.env': 'K=1\n' });
  run('add', '-f', '.');
  run('commit', '-qm', 'planted');
  run('update-ref', 'refs/remotes/mirror/elsewhere', 'planted');
  run('switch', '-q', 'main');
  write(place, { '.vscode/settings.json': '{}\n' });
  run('add', '.');
  run('stash', '-q');
  run('switch', '-qc', 'plain');
  write(place, { 'b.ts': 'b\n' });
  run('add', '.');
  run('commit', '-qm', 'plain');
  run('switch', '-q', 'main');
  for (const command of [
    'git switch planted',
    'git checkout planted',
    'git checkout -q elsewhere',
    'git switch -c x planted',
    'git switch --detach planted',
    'git checkout -f planted',
    'git checkout planted --',
    'git checkout --conflict merge planted',
    'git cherry-pick planted -X --abort',
    'git cherry-pick -s planted',
    'git merge -S planted',
    'git reset --hard planted',
    'git reset --keep planted',
    'git merge planted',
    'git merge --no-ff -m x planted',
    'git rebase planted',
    'git rebase --onto planted main',
    'git cherry-pick planted',
    'git cherry-pick main..planted',
    'git revert planted',
    'git revert --no-edit -m 1 planted',
    'git stash pop',
    'git stash apply 0',
    'git stash branch x',
    'git bisect start planted main',
    'git worktree add w planted',
    'git branch -f plain planted && git switch plain',
    'git fetch . planted:new; git switch new',
  ])
    expect(await behavior(command, ['git:*'], place), command).toBe('ask');
  for (const command of [
    'git switch plain',
    'git switch -',
    'git checkout plain',
    'git checkout -b x',
    'git switch -c x plain',
    'git merge plain',
    'git merge --abort',
    'git rebase plain',
    'git cherry-pick plain',
    'git revert plain',
    'git reset HEAD a.ts',
    'git reset --soft planted',
    'git reset --hard plain',
    'git stash',
    'git status && git switch plain',
  ])
    expect(await behavior(command, ['git:*'], place), command).toBe('allow');
});

test('showing repository settings needs approval if they contain a token', async () => {
  const place = join(top, 'home', 'tokens');
  const run = gitIn(place);
  mkdirSync(join(place, 'src'), { recursive: true });
  run('init', '-q', '-b', 'main');
  run('remote', 'add', 'origin', 'https://github.com/me/x.git');
  const commands = [
    'cat .git/config',
    'grep -rn url .',
    'git remote -v',
    'git remote get-url origin',
    'git config branch.main.remote',
  ];
  const moved = 'cd src && git remote -v';
  for (const command of [...commands, moved])
    expect(await behavior(command, [], place), command).toBe('allow');
  for (const [name, value] of [
    ['remote.origin.url', 'https://me:ghp_secret@github.com/me/x.git'],
    ['remote.origin.url', 'https://ghp_0123456789abcdefghij@github.com/me/x.git'],
    ['http.https://github.com/.extraheader', 'AUTHORIZATION: basic c2VjcmV0'],
  ] as const) {
    run('config', name, value);
    for (const command of [...commands, moved])
      expect(await behavior(command, [], place), command).toBe('ask');
    for (const command of commands.slice(0, 2))
      expect(await behavior(command, ['cat:*', 'grep:*'], place), command).toBe('ask');
    expect(await behavior('git remote', [], place)).toBe('allow');
    run('config', '--unset', name);
  }
});

describe('commands that an allow rule covers', () => {
  test.each([
    ['git log:*', 'git log -p -- src'],
    ['git log:*', 'git log --stat'],
    ['git show:*', 'git show HEAD -- src'],
    ['git show:*', 'git show OLD'],
    ['git restore:*', 'git restore src/a.ts'],
    ['git restore:*', 'git restore --staged .'],
    ['git restore:*', 'git restore --source=HEAD~1 src'],
    ['git restore:*', 'git restore .'],
    ['git checkout:*', 'git checkout main'],
    ['git checkout:*', 'git checkout -b feature'],
    ['git checkout:*', 'git checkout -- src/a.ts'],
    ['git checkout:*', 'git checkout HEAD~1 -- src/a.ts'],
    ['git checkout:*', 'git checkout -- .'],
    ['git add:*', 'git add -A'],
    ['git add:*', 'git add src b.txt'],
    ['git commit:*', "git commit -m ':sparkles: [fix] *'"],
    ['git commit:*', 'git commit -am x'],
    ['git stash:*', 'git stash push -m wip'],
    ['git stash:*', 'git stash pop stash@{0}'],
    ['git rm:*', 'git rm b.txt'],
    ['git add --pathspec-from-file=c.txt', 'git add --pathspec-from-file=c.txt'],
  ])('Bash(%s) covers %s', async (rule, command) => {
    expect(await behavior(command, [rule])).toBe('allow');
  });

  test.each([
    'git log -p',
    'git archive HEAD~1',
    'git format-patch -1',
    'git restore --source=HEAD~1 .',
    "git checkout HEAD~1 -- ':(glob)src/*'",
    'git grep one HEAD~1',
  ])('Bash(git:*) covers %s in a repository that never had a secret', async (command) => {
    expect(await behavior(command, ['git:*'], clean)).toBe('allow');
  });

  test.each(['git log -p --output-indicator-new=x', 'git log -p --remerge-diff'])(
    'only an exact rule covers %s, since wildcards cover only known options',
    async (command) => {
      expect(await behavior(command, ['git:*'], clean)).toBe('ask');
      expect(await behavior(command, [command], clean)).toBe('allow');
    },
  );

  test('a rule that spells out --stdin covers names from standard input', async () => {
    const command = 'git log -p --stdin';
    expect(await behavior(command, ['git log -p --stdin:*'], clean)).toBe('allow');
    expect(await behavior(command, ['git log -p:*'], clean)).toBe('ask');
  });
});
