/** Commands whose words are the names that another command prints: `git ls-files | xargs wc -l`, `wc -l $(rg -l x)`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { outside, policyFor, top } from '../harness.ts';

const projects = join(top, 'home', 'projects');
const git = (name: string, ...args: readonly string[]): void => {
  const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'protocol.file.allow=always'];
  execFileSync('git', [...own, ...args], { cwd: join(projects, name), stdio: 'ignore' });
};

function project(name: string, files: readonly string[], others: readonly string[] = []): void {
  mkdirSync(join(projects, name), { recursive: true });
  for (const file of [...files, ...others]) {
    mkdirSync(dirname(join(projects, name, file)), { recursive: true });
    writeFileSync(join(projects, name, file), 'foo\n');
  }
  git(name, 'init', '-q', '-b', 'main');
  if (files.length > 0) git(name, 'add', '-f', '--', ...files);
}

const link = (name: string, target: string, path: string): void =>
  symlinkSync(target, join(projects, name, path));

const plain = ['src/app.ts', 'src/util/text.ts', 'docs/read.md', 'README.md'];
/** Names that a program or a shell would take for something else. */
const odd: Readonly<Record<string, string>> = {
  option: '-rf',
  long: '--files0-from=README.md',
  blank: 'a b',
  quote: "it's",
  backslash: 'a\\b',
  newline: 'a\nREADME.md',
  umlaut: 'ä.md',
  assignment: 'FS=x',
  plus: '+1',
  tilde: '~',
  star: '*',
  tab: 'a\tb',
};

beforeAll(() => {
  project('plain', plain, ['node_modules/x/.env', '.env', 'src/.env.local']);
  writeFileSync(join(projects, 'plain/.gitignore'), 'node_modules\n.env\n.env.local\n');
  for (const [name, file] of Object.entries(odd)) project(name, [...plain, file]);
  for (const [name, file] of Object.entries(odd)) project(`untracked-${name}`, plain, [file]);
  project('deep', [...plain, 'src/-o', 'src/x=1/y']);
  project('secret', [...plain, '.env', 'certs/server.key']);
  project('key', [...plain, 'certs/server.key']);
  project('links', plain, ['private/id_rsa']);
  link('links', outside, 'out');
  link('links', join(outside, 'secret.txt'), 'out.txt');
  link('links', '../private/id_rsa', 'docs/key');
  link('links', 'docs', 'inner');
  git('links', 'add', '--', 'docs/key', 'out.txt');
  // The name that ripgrep gives to its input.
  project('stdin', plain);
  link('stdin', join(outside, 'secret.txt'), '<stdin>');
  project('inner', plain);
  link('inner', 'README.md', 'CLAUDE.md');
  link('inner', 'docs', 'manual');
  git('inner', 'add', '--', 'CLAUDE.md', 'manual');
  project('moved', [...plain, 'lib/secret.txt']);
  execFileSync('rm', ['-r', 'lib'], { cwd: join(projects, 'moved') });
  link('moved', outside, 'lib');
  project('module', ['x.ts'], ['.env']);
  git('module', 'commit', '-qm', 'one');
  project('modules', plain);
  git('modules', 'submodule', 'add', '-q', join(projects, 'module'), 'sub');
  project('modulelink', plain);
  git('modulelink', 'update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},key`);
  link('modulelink', join(outside, 'secret.txt'), 'key');
  project('climbing', plain);
  climb(join(projects, 'climbing/.git/index'));
});

/** Changes an index as git never would: a path of the same length leads out of the worktree. */
function climb(index: string): void {
  execFileSync('python3', [
    '-c',
    `import hashlib, sys
data = open(sys.argv[1], 'rb').read()[:-20].replace(b'src/app.ts', b'../../x.ts')
open(sys.argv[1], 'wb').write(data + hashlib.sha1(data).digest())`,
    index,
  ]);
}

async function verdict(
  name: string,
  command: string,
  mode: PermissionMode = 'default',
  rules: readonly string[] = [],
) {
  const root = join(projects, name);
  const policy = await policyFor(rules, mode, { root });
  return decide({ tool: 'Bash', access: { type: 'command', command, cwd: root } }, policy).behavior;
}

type Rows = readonly (readonly [behavior: 'allow' | 'ask', project: string, command: string])[];
const table = (rows: Rows): void => {
  test.each(rows)('%s in the project "%s": %s', async (behavior, name, command) => {
    expect(await verdict(name, command)).toBe(behavior);
  });
};

describe('git ls-files | xargs', () => {
  table([
    ['allow', 'plain', 'git ls-files | xargs wc -l'],
    ['allow', 'plain', 'git ls-files -z | xargs -0 wc -l'],
    ['allow', 'plain', "git ls-files '*.ts' | xargs grep foo"],
    ['allow', 'plain', 'git ls-files src docs/read.md | xargs -n 1 head -5'],
    ['allow', 'plain', 'git ls-files -m -- src | xargs cat'],
    ['allow', 'plain', 'cd src && git ls-files | xargs wc -l'],
    ['allow', 'plain', 'git ls-files | xargs rg foo'],
    ['allow', 'plain', 'git ls-files | xargs ls -l'],
    ['allow', 'inner', 'git ls-files | xargs cat'],
    ['ask', 'inner', 'git ls-files | xargs grep -r foo'],
    // Names that end differently than xargs expects.
    ['ask', 'plain', 'git ls-files -z | xargs wc -l'],
    ['ask', 'plain', 'git ls-files | xargs -0 wc -l'],
    // Without names it would search everything.
    ['ask', 'plain', 'git ls-files | xargs grep -r foo'],
    ['allow', 'plain', 'git ls-files | xargs grep -r foo src/util'],
    ['ask', 'plain', 'git ls-files | xargs rm'],
    ['ask', 'plain', 'git ls-files | xargs sed -i s/a/b/'],
    ['ask', 'plain', 'git ls-files | xargs -I{} cat {}'],
    ['ask', 'plain', 'git ls-files | xargs cat < .env'],
  ]);
  table(
    [
      ...[
        '-s',
        '-t',
        '-v',
        '-o',
        '-i -x a',
        '-k',
        '-u',
        '-f',
        '--stage',
        '--debug',
        '--eol',
        '--full-name',
        '--sparse',
      ],
      ...['--recurse-submodules', '--with-tree=HEAD', '--format=.env', '--abbrev', '--others', '--directory'],
      ...['..', '../plain', '/', ':/', ':(top).env', "':!x'", '~', "''", 'src/../..', "'a\\\\b'", '-- :/'],
    ].map((word) => ['ask', 'plain', `git ls-files ${word} | xargs cat`] as const),
  );
  table([
    ['ask', 'plain', 'git -C src ls-files | xargs cat'],
    ['ask', 'plain', 'git --literal-pathspecs ls-files | xargs cat'],
    ['ask', 'plain', 'git ls-tree --name-only HEAD | xargs cat'],
    ['ask', 'plain', 'GIT_INDEX_FILE=x git ls-files | xargs cat'],
    ['ask', 'plain', 'env GIT_INDEX_FILE=x git ls-files | xargs cat'],
  ]);
});

describe('a tracked secret', () => {
  table([
    ['ask', 'secret', 'git ls-files | xargs cat'],
    ['ask', 'secret', 'git ls-files -z | xargs -0 grep foo'],
    ['ask', 'secret', 'git ls-files certs | xargs cat'],
    ['ask', 'secret', 'git ls-files certs/server.key | xargs cat'],
    ['ask', 'secret', 'git ls-files "*.key" | xargs cat'],
    ['ask', 'secret', "git ls-files '*' | xargs cat"],
    ['ask', 'secret', "git ls-files 'src*' | xargs cat"],
    ['allow', 'secret', 'git ls-files | xargs ls -l'],
    ['allow', 'secret', "git ls-files '*.ts' | xargs cat"],
    ['allow', 'secret', 'git ls-files src ./docs/ | xargs cat'],
    ['ask', 'secret', "git ls-files '*.ts' CERTS | xargs cat"],
    ['ask', 'secret', "git ls-files 'e\u0301' | xargs cat"],
    ['ask', 'secret', 'rg --hidden -l foo | xargs cat'],
    ['ask', 'secret', 'rg -l foo certs | xargs cat'],
    ['ask', 'secret', 'grep -rl foo . | xargs cat'],
    ['allow', 'secret', 'grep -rl foo src docs | xargs cat'],
  ]);
});

describe('links, submodules and an index from elsewhere', () => {
  table([
    ['ask', 'links', 'git ls-files | xargs cat'],
    ['ask', 'links', 'git ls-files docs | xargs cat'],
    ['ask', 'links', 'git ls-files out.txt | xargs ls -lL'],
    ['allow', 'links', 'git ls-files src | xargs cat'],
    // They do not follow links.
    ['allow', 'links', 'rg -l foo src | xargs cat'],
    ['allow', 'links', 'grep -rl foo docs | xargs cat'],
    ['allow', 'links', 'grep -rl foo inner | xargs cat'],
    ['ask', 'links', 'grep -rl foo out | xargs cat'],
    ['ask', 'links', 'rg -l foo out.txt | xargs cat'],
    // A tracked file behind a link.
    ['ask', 'moved', 'git ls-files | xargs cat'],
    ['allow', 'moved', 'git ls-files src | xargs cat'],
    ['allow', 'modules', 'git ls-files | xargs wc -l'],
    ['ask', 'modules', 'git ls-files | xargs rg foo'],
    ['ask', 'modulelink', 'git ls-files | xargs cat'],
    ['ask', 'climbing', 'git ls-files | xargs cat'],
  ]);
});

describe('names that would be read as something else', () => {
  const names = Object.keys(odd);
  const verbatim = new Set(['blank', 'quote', 'backslash', 'newline', 'umlaut', 'tab']);
  table(names.map((name) => ['ask', name, 'git ls-files | xargs cat'] as const));
  table(
    names.map(
      (name) => [verbatim.has(name) ? 'allow' : 'ask', name, 'git ls-files -z | xargs -0 cat'] as const,
    ),
  );
  table(names.map((name) => ['allow', `untracked-${name}`, 'git ls-files | xargs cat'] as const));
  table(names.map((name) => [name === 'umlaut' ? 'allow' : 'ask', name, 'rg -l foo | xargs cat'] as const));
  table(
    names.map((name) => [verbatim.has(name) ? 'allow' : 'ask', name, 'rg -l0 foo | xargs -0 cat'] as const),
  );
  table(names.map((name) => ['allow', name, 'grep -rl --null foo . | xargs -0 cat'] as const));
  table([
    ['allow', 'deep', 'git ls-files | xargs cat'],
    ['ask', 'deep', 'cd src && git ls-files | xargs cat'],
    ['ask', 'blank', "rg -l foo 'a b' src | xargs cat"],
    ['ask', 'blank', "rg -l -g '*.ts' foo 'a b' | xargs cat"],
    ['allow', 'blank', "rg -l -g '*.ts' foo | xargs cat"],
    ['allow', 'blank', "find . -name '*.ts' | xargs cat"],
    ['ask', 'blank', 'find . -type f | xargs cat'],
  ]);
});

describe('rg -l, rg --files and grep -l | xargs', () => {
  table([
    ['allow', 'plain', 'rg -l foo | xargs wc -l'],
    ['allow', 'plain', 'rg --files | xargs wc -l'],
    ['allow', 'plain', "rg --files -g '*.ts' src | xargs grep -n foo"],
    ['allow', 'plain', 'rg -l -t ts foo . | xargs head -3'],
    ['allow', 'plain', "rg -l0 -e foo -e bar src | xargs -0 sed -n '1,5p'"],
    ['allow', 'plain', 'grep -rl foo docs | xargs sed -n 1,5p'],
    ['allow', 'plain', 'grep -rln foo docs | xargs head -5'],
    ['allow', 'plain', 'grep -l foo README.md docs/read.md | xargs cat'],
    ['allow', 'plain', 'grep -rL foo docs | xargs wc -l'],
    ['ask', 'plain', 'grep -rl foo src | xargs cat'],
    ['ask', 'plain', 'grep -rl foo . | xargs head -5'],
    ['allow', 'plain', "grep -rl --include='*.ts' foo . | xargs head -5"],
    ['ask', 'plain', 'rg -l --hidden foo | xargs cat'],
    ['ask', 'plain', 'rg --files --no-ignore --hidden | xargs cat'],
    ['allow', 'plain', 'rg --files | xargs ls -l'],
    ['ask', 'plain', 'rg foo | xargs cat'],
    ['ask', 'plain', 'grep -r foo docs | xargs cat'],
    ['ask', 'plain', 'grep -l foo | xargs cat'],
    // BSD grep reads its input.
    ['ask', 'plain', "grep -rl --include='*.ts' foo | xargs cat"],
    ['allow', 'plain', 'cat README.md | rg -l foo | xargs cat'],
    ['allow', 'stdin', 'rg -l foo src | xargs cat'],
    ['allow', 'stdin', 'rg --files -t ts | xargs cat'],
    ['ask', 'stdin', 'cat README.md | rg -l -t ts foo | xargs cat'],
    ['ask', 'stdin', 'cat README.md | wc -l $(rg -l -t ts foo)'],
    ['ask', 'plain', 'grep -l foo - | xargs cat'],
    ['ask', 'plain', 'grep -rl foo docs - | xargs cat'],
    ['ask', 'plain', 'rg -l foo - | xargs cat'],
    ['ask', 'plain', 'rg -l foo ~ | xargs cat'],
    ['ask', 'plain', 'rg -l foo .. | xargs cat'],
    ['ask', 'plain', 'rg -l foo | xargs -0 cat'],
    ['ask', 'plain', 'rg -l0 foo | xargs cat'],
    ['ask', 'plain', 'rg -l foo $DIR | xargs cat'],
    ['ask', 'plain', 'rg -l foo src* | xargs cat'],
  ]);
  table(
    [
      ...[
        '--stats',
        '--color=always',
        '-p',
        '-c',
        '-q',
        '--json',
        '--vimgrep',
        '--heading',
        '-L',
        '--follow',
      ],
      ...['--path-separator=x', '-H', '--type-list', '-r x', '--no-filename', '--debug', '--pre=x', '-z'],
    ].map((option) => ['ask', 'plain', `rg -l ${option} foo docs | xargs cat`] as const),
  );
  table(
    [
      '-c',
      '-H',
      '-h',
      '-o',
      '-q',
      '--color=always',
      '--label=.env',
      '-R',
      '-f list',
      '-z',
      '-Z',
      '-A 1',
      '-b',
      '-T',
      '-U',
    ].map((option) => ['ask', 'plain', `grep -rl ${option} foo docs | xargs cat`] as const),
  );
});

describe('names in $(…) and in loops over them', () => {
  table([
    ['allow', 'plain', 'wc -l $(git ls-files)'],
    ['allow', 'plain', 'wc -l $(git ls-files 2>/dev/null)'],
    ['allow', 'plain', "grep -n foo $(git ls-files '*.ts')"],
    ['allow', 'plain', "head -5 $(find src -name '*.ts')"],
    ['allow', 'plain', 'sed -n 1,5p $(rg -l foo docs)'],
    ['allow', 'plain', 'cd src && wc -l $(git ls-files)'],
    ['allow', 'plain', 'echo "$(cat $(git ls-files))"'],
    ['allow', 'plain', `for f in $(git ls-files '*.ts'); do wc -l "$f"; done`],
    ['allow', 'plain', "for f in $(find src -name '*.ts'); do head -3 $f; done"],
    ['allow', 'plain', 'for f in README.md $(rg -l foo docs); do cat "$f"; done'],
    // As with patterns: what the script does counts as unknown.
    ['ask', 'plain', `bash -c 'wc -l $(git ls-files)'`],
    ['allow', 'plain', 'find src -name "*.ts" 2>/dev/null | xargs wc -l'],
    ['ask', 'plain', 'grep -r foo $(git ls-files)'],
    ['ask', 'plain', 'cat $(find . -type f)'],
    ['ask', 'plain', 'cat "$(git ls-files)"'],
    ['ask', 'plain', 'cat src/$(git ls-files)'],
    ['ask', 'plain', 'cat $(git ls-files).bak'],
    ['ask', 'plain', 'cat -$(git ls-files)'],
    ['ask', 'plain', 'cat $(git ls-files -z)'],
    ['ask', 'plain', 'cat $(git ls-files; echo .env)'],
    ['ask', 'plain', 'cat $(git ls-files | sed s/a/b/)'],
    ['ask', 'plain', 'cat $(git ls-files > x)'],
    ['ask', 'plain', 'cat $(git ls-files 2>&1)'],
    ['ask', 'plain', 'cat $(cd src; git ls-files)'],
    ['ask', 'plain', 'cat $(cd src && git ls-files)'],
    ['ask', 'plain', 'cat $(! git ls-files)'],
    ['ask', 'plain', 'cat $(git ls-files &)'],
    ['ask', 'plain', 'cat `git ls-files`'],
    ['ask', 'plain', 'cat $(< README.md)'],
    ['ask', 'plain', 'cat $(echo .env)'],
    ['ask', 'plain', 'cat $(GIT_INDEX_FILE=x git ls-files)'],
    ['ask', 'plain', 'IFS=/; cat $(git ls-files)'],
    ['ask', 'plain', 'IFS=/ cat $(git ls-files)'],
    ['ask', 'plain', 'set -x; cat $(git ls-files)'],
    ['ask', 'plain', '$(git ls-files) x'],
    ['ask', 'plain', 'rm $(git ls-files)'],
    ['ask', 'plain', 'sort $(git ls-files) -o README.md'],
    ['ask', 'plain', 'uniq $(git ls-files)'],
    ['ask', 'plain', 'diff $(git ls-files src) $(git ls-files docs)'],
    ['ask', 'plain', 'git log -p $(git ls-files)'],
    ['ask', 'plain', 'cat {} $(git ls-files)'],
    ['ask', 'plain', 'xargs cat $(git ls-files) < README.md'],
    ['ask', 'plain', 'cat > x $(git ls-files)'],
    ['ask', 'plain', 'cat > $(git ls-files)'],
    ['ask', 'plain', 'cat < $(git ls-files)'],
    // zsh does not split a variable.
    ['ask', 'plain', 'x=$(git ls-files); cat $x'],
    ['ask', 'plain', 'x=$(git ls-files); cat "$x"'],
    ['ask', 'plain', 'for f in "$(git ls-files)"; do cat "$f"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do cat "$f".bak; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do cat "${f%.ts}"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do cat "src/$f"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do cd src; cat "$f"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do cat "$f"; cd src; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do f=.env; cat "$f"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do rm "$f"; done'],
    ['ask', 'plain', 'for f in $(git ls-files); do uniq README.md "$f"; done'],
    ['ask', 'secret', 'cat $(git ls-files)'],
    ['ask', 'secret', 'for f in $(git ls-files); do cat "$f"; done'],
    ['allow', 'secret', "cat $(git ls-files '*.ts')"],
    ['ask', 'links', 'cat $(git ls-files)'],
    ['ask', 'links', 'for f in $(git ls-files docs); do cat "$f"; done'],
  ]);
  const names = Object.keys(odd);
  table(names.map((name) => ['ask', name, 'cat $(git ls-files)'] as const));
  table(names.map((name) => ['ask', name, 'for f in $(git ls-files); do cat "$f"; done'] as const));
  table(names.map((name) => ['ask', name, 'cat $(rg -l foo)'] as const));
  const onlyFirst = new Set(['option', 'long', 'assignment', 'plus']);
  table(names.map((name) => [onlyFirst.has(name) ? 'allow' : 'ask', name, 'cat $(find . -type f)'] as const));
});

describe('the commit that git merge-base prints', () => {
  beforeAll(() => {
    git('plain', 'commit', '-qm', 'one');
    git('plain', 'branch', 'other');
    git('secret', 'commit', '-qm', 'one');
    git('secret', 'rm', '-q', '.env', 'certs/server.key');
    git('secret', 'commit', '-qm', 'two');
  });
  table([
    ['allow', 'plain', 'git diff $(git merge-base main HEAD)'],
    ['allow', 'plain', 'git diff "$(git merge-base main HEAD)" HEAD -- src'],
    ['allow', 'plain', 'git diff --stat $(git merge-base main other)'],
    ['allow', 'plain', 'git log --oneline $(git merge-base origin/main HEAD)..HEAD'],
    ['allow', 'plain', 'git log -p "$(git merge-base main HEAD)..HEAD"'],
    ['allow', 'plain', 'base=$(git merge-base main HEAD); git diff --name-only "$base"'],
    ['allow', 'plain', 'base=$(git merge-base main HEAD) && git diff $base...HEAD'],
    // Secrets in the history, whatever the branches point to then.
    ['ask', 'secret', 'git diff $(git merge-base main HEAD)'],
    ['ask', 'secret', 'git log -p $(git merge-base main HEAD)..HEAD'],
    ['ask', 'secret', 'git grep foo $(git merge-base main HEAD)'],
    ['allow', 'secret', 'git diff --stat $(git merge-base main HEAD)'],
    ['allow', 'secret', 'git log --oneline $(git merge-base main HEAD)..HEAD'],
    ['ask', 'plain', 'git show $(git merge-base main HEAD):.env'],
    ['ask', 'plain', 'git show $(git merge-base main HEAD):src/app.ts'],
    ['ask', 'plain', 'git diff -$(git merge-base main HEAD)'],
    ['ask', 'plain', 'git diff --output=$(git merge-base main HEAD)'],
    ['ask', 'plain', 'git diff $(git merge-base --fork-point main)'],
    ['ask', 'plain', 'git diff $(git merge-base -a main HEAD)'],
    ['ask', 'plain', 'git diff $(git merge-base main HEAD other)'],
    ['ask', 'plain', 'git diff $(git merge-base "$x" HEAD)'],
    ['ask', 'plain', 'git diff $(git -C .. merge-base main HEAD)'],
    ['ask', 'plain', 'git checkout $(git merge-base main HEAD)'],
    ['ask', 'plain', 'git branch $(git merge-base main HEAD)'],
    ['ask', 'plain', 'git tag $(git merge-base main HEAD)'],
    ['ask', 'plain', 'cat $(git merge-base main HEAD)'],
    // A tag may be called `--output=x`.
    ['ask', 'plain', 'git log $(git describe --tags --abbrev=0)..HEAD'],
    ['ask', 'plain', 'git log "$(git rev-parse --abbrev-ref HEAD)"'],
  ]);
});

describe('names that the same command creates', () => {
  // In this project, `out.txt` is a link to a file elsewhere.
  test.each([
    "cp README.md 'src/x out.txt' && find src -type f | xargs cat",
    "touch 'src/x out.txt'; find src -type f | xargs cat",
    "find src -type f | xargs cat; mv README.md 'src/x out.txt'",
    "mkdir 'src/x out.txt' && find src | xargs cat",
    "for f in $(find src); do cat $f; done; mkdir 'src/x out.txt'",
    'mkdir ./-oREADME.md; sort *.md *',
    'cp README.md src/new && cat $(find src -type f)',
    "cp README.md 'x out.txt' && find src -type f | xargs cat",
    'touch ./-rf && rg -l foo src . | xargs cat',
    "git ls-files '*.ts' | xargs cat; cp README.md x.ts",
  ])('%s needs approval', async (command) => {
    expect(await verdict('links', command, 'acceptEdits')).toBe('ask');
  });
  test('reading a file that a rule adds to the index needs approval', async () => {
    const rules = ['allow Bash(git add:*)'];
    expect(await verdict('plain', 'git add -f src && git ls-files | xargs cat', 'default', rules)).toBe(
      'ask',
    );
  });
});

describe('names behind programs that print some of their lines', () => {
  const kept = [
    ...['grep ts', "grep -vE 'x|y'", 'egrep -i ts', 'rg -v x', 'head', 'head -n 3', 'head -3'],
    ...['tail -n +2', 'sort', 'sort -u', 'sort -t / -k 2', 'uniq', 'tac', 'cat', 'sed -n 1,3p', 'sed 5q'],
  ];
  table(kept.map((filter) => ['allow', 'plain', `git ls-files | ${filter} | xargs cat`] as const));
  table(kept.map((filter) => ['ask', 'key', `git ls-files | ${filter} | xargs cat`] as const));
  table(kept.map((filter) => ['allow', 'plain', `cat $(git ls-files | ${filter})`] as const));
  const other = [
    ...['grep -o e.*', 'grep -n ts', 'grep -c ts', 'grep -A 1 ts', 'grep -b ts', 'grep -H ts', 'grep -z ts'],
    ...[
      'grep -f list',
      'grep ts README.md',
      'grep -r ts .',
      'grep --color=always ts',
      'rg -r .env .ts',
      'rg -o e',
    ],
    ...['rg -n ts', 'rg ts .', 'head -c 5', 'head README.md', 'tail -f', 'tail -c 5', 'sort README.md'],
    ...[
      'sort -z',
      'sort -o x',
      'sort --files0-from=x',
      'uniq -c',
      'uniq README.md',
      'cat -n',
      'cat README.md',
    ],
    ...[
      'cat -',
      'sed s/a/b/',
      'sed 5q README.md',
      'sed -s 5q',
      'sed =',
      'cut -c 2-',
      'tr a b',
      'awk 1',
      'tee x',
    ],
    ...['xargs ls', 'nl', 'rev', 'tac -s e', 'grep "$x"', 'grep $(echo ts)'],
  ];
  table(other.map((filter) => ['ask', 'plain', `git ls-files | ${filter} | xargs cat`] as const));
  table([
    ['allow', 'plain', 'rg --files | grep -v x | sort | head -5 | xargs wc -l'],
    ['allow', 'plain', 'find src -name "*.ts" 2>/dev/null | head -5 | xargs wc -l'],
    ['allow', 'plain', 'for f in $(git ls-files | head -5); do cat "$f"; done'],
    ['ask', 'plain', 'git ls-files |& grep ts | xargs cat'],
    ['ask', 'plain', 'git ls-files | grep ts |& xargs cat'],
    ['ask', 'plain', 'git ls-files | grep ts < list | xargs cat'],
    ['ask', 'plain', 'git ls-files -z | head -5 | xargs -0 cat'],
    ['ask', 'plain', 'echo .env | grep e | xargs cat'],
    ['ask', 'plain', 'git ls-files | (cat; echo .env) | xargs cat'],
    ['ask', 'plain', 'git diff $(git merge-base main HEAD | head -1)'],
  ]);
  // grep prints a message instead of a name that is not text in its locale.
  table(Object.keys(odd).map((name) => ['ask', name, 'git ls-files | grep -v x | xargs cat'] as const));
});

describe('names in lines that a loop reads', () => {
  const loop = (body: string, read = 'read -r f'): string => `git ls-files | while ${read}; do ${body}; done`;
  table(
    [
      ...[
        'head -1 "$f"',
        'head -n 5 $f',
        'cat "$f"; wc -l "$f"',
        'echo "== $f"; tail -3 "$f"',
        'grep -n foo "$f"',
      ],
      ...['sed -n \'1,3p\' "$f"', '[ -f "$f" ] && cat "$f"', 'if [ -s "$f" ]; then cat "$f"; fi'],
      ...[
        'cat "$f" | head -c 3',
        'grep foo "$f" | wc -l',
        'n=$(grep -c foo "$f"); echo "$n"',
        'basename "$f"',
      ],
    ].map((body) => ['allow', 'plain', loop(body)] as const),
  );
  table([
    ['allow', 'plain', loop('cat "$f"', 'read f')],
    ['allow', 'plain', loop('cat "$f"', 'IFS= read -r f')],
    ['allow', 'plain', 'git ls-files | grep ts | while read -r f; do cat "$f"; done'],
    ['allow', 'plain', 'find src -name \'*.ts\' | while read -r f; do cat "$f"; done'],
    ['ask', 'key', loop('cat "$f"')],
    ['allow', 'key', loop('ls -l "$f"')],
    ['ask', 'plain', loop('rm "$f"')],
    ['ask', 'plain', loop('grep -r foo "$f.bak"')],
    ['ask', 'plain', loop('cat "./$f"')],
    // Other ways to split a line, or to begin the next one.
    ['ask', 'plain', loop('cat "$f"', 'read -r f g')],
    ['ask', 'plain', loop('cat "$f"', 'IFS=/ read -r f')],
    ['ask', 'plain', loop('cat "$f"', 'read -d e f')],
    ['ask', 'plain', loop('cat "$f"', 'read -n 3 f')],
    ['ask', 'plain', `IFS=/; ${loop('cat "$f"')}`],
    ['ask', 'plain', 'git ls-files | while read f; do cat "$f"; done < list'],
    ['ask', 'plain', 'git ls-files |& while read f; do cat "$f"; done'],
    ['ask', 'plain', 'git ls-files | sed s/a/b/ | while read f; do cat "$f"; done'],
    ['ask', 'plain', 'git ls-files; while read f; do cat "$f"; done'],
    ['ask', 'plain', `${loop('cat "$f"')}; cat "$f"`],
    ['ask', 'plain', loop('cd src; cat "$f"')],
    ['ask', 'plain', loop('f=.env; cat "$f"')],
    // As `-`, the variable names the input of the loop.
    ['ask', 'plain', loop('cat "$f"; f=-; head -n 1 "$f"')],
    ['ask', 'plain', loop('cat "$f"; for f in -; do head -n 1 "$f"; done')],
    ['ask', 'plain', loop('cat "$f"; if true; then f=-; fi; head -n 1 "$f"')],
    ['ask', 'plain', loop('cat "$f"; (f=-; head -n 1 "$f")')],
    ['ask', 'plain', loop('cat "$f"; read -r f; cat "$f"')],
    ['ask', 'plain', loop('f=x$f; cat "$f"')],
  ]);
  // The rest of a line that a command has begun to read could be any name.
  table(
    [
      ...[
        'head -c 3',
        'cat -',
        'read g',
        'cat "$f" -',
        'grep foo',
        'grep -A "$f"',
        'rg foo -g "$f"',
        'sed 5q',
      ],
      ...[
        'head -n "$f"',
        'head -c "$f"',
        'wc --files0-from=-',
        'echo "$(head -c 3)"',
        'sort',
        'grep -f - foo "$f"',
      ],
      ...[
        'cat /dev/stdin',
        'while read g; do echo x; done',
        'git ls-files',
        'true | head -c 3; head -c 3',
        'cat < x',
      ],
    ].flatMap((reader) => [
      ['ask', 'plain', loop(`${reader}; cat "$f"`)] as const,
      ['ask', 'plain', loop(`cat "$f"; ${reader}`)] as const,
    ]),
  );
  table(Object.keys(odd).map((name) => ['ask', name, loop('cat "$f"')] as const));
});
