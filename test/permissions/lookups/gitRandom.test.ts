/**
 * Random git commands, with options and operands in every form that git's grammar has. Real git runs those that need no
 * approval: none shows a secret.
 *
 * @module-tag long
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { decide } from '../../../src/permissions/decide.ts';
import { readOnlyEnvironment } from '../../../src/tools/shell/childEnvironment.ts';
import { home, policyFor, top } from '../harness.ts';

/** In secret files only, and in no form that a redactor would know. */
const CANARY = 'kanarienvogel';
const COUNT = Number(process.env.FUZZ_RUNS ?? 100);
const SEED = Number(process.env.FUZZ_SEED ?? 1);

type Files = Readonly<Record<string, string | undefined>>;

const environment = {
  ...Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ),
  ...{
    HOME: home,
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@b',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@b',
  },
};

function git(place: string, ...args: readonly string[]): string {
  const own = ['-c', 'commit.gpgSign=false', '-c', 'core.hooksPath=/dev/null'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...args], {
    cwd: place,
    encoding: 'utf8',
    env: environment,
  });
  if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

function write(place: string, files: Files): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place, name)), { recursive: true });
    if (text === undefined) rmSync(join(place, name), { force: true });
    else writeFileSync(join(place, name), text);
  }
}

function repository(...steps: readonly Files[]): string {
  const place = mkdtempSync(join(top, 'home', 'random-'));
  git(place, 'init', '-q', '-b', 'main');
  symlinkSync('sub', join(place, 'link'));
  for (const files of steps) commit(place, files);
  return place;
}

function commit(place: string, files: Files): void {
  write(place, files);
  git(place, 'add', '-A', '-f', '.');
  git(place, 'commit', '-q', '--allow-empty', '-m', 'next');
}

const lines = 'A=1\nB=2\nC=3\nD=4\nE=5\n';
const settings = (password: string): string => `{\n  "Db": {\n    "Password":\n      "${password}"\n  }\n}\n`;
const plain = { 'sub/a.txt': lines, 'sub/deep/b.ts': 'b\n', 'c.ts': 'c\n' };
const later: readonly Files[] = [
  { 'c.ts': 'c2\n' },
  { 'sub/a.txt': `${lines}F\n` },
  { 'sub/deep/b.ts': 'b2\n' },
];

/** Where the secret is. */
const places: Readonly<Record<string, () => string>> = {
  nowhere: () => repository(plain, ...later),
  'in a file that was deleted': () =>
    repository({ ...plain, 'sub/.env': `${CANARY}\n` }, { 'sub/.env': undefined }, ...later),
  'in a file that was renamed': () =>
    repository(
      { ...plain, '.env': `${lines}${CANARY}\n` },
      { '.env': undefined, 'sub/moved.txt': `${lines}x\n` },
      ...later,
    ),
  'beside files named like commits and options': () =>
    repository(
      {
        ...plain,
        '.env': `${CANARY}\n`,
        main: 'm\n',
        'main^@': 'm\n',
        '^main': 'm\n',
        'HEAD~3..main': 'm\n',
      },
      { '.env': undefined, '-p': 'x\n', ':(top)': 'x\n', '*': 'x\n', 's*': 'x\n', 'main.ts': 'm\n' },
      { main: 'm2\n', 'main.ts': 'm2\n', '^main': 'm2\n', 's*': 'x2\n' },
      ...later,
    ),
  'in a change on disk': () => {
    const place = repository({ ...plain, '.env': 'A=1\n', 'sub/.env': 'A=1\n' }, ...later);
    write(place, { '.env': `${CANARY}\n`, 'c.ts': 'c3\n', 'sub/a.txt': 'x\n' });
    return place;
  },
  'in the index': () => {
    const place = repository(plain, ...later);
    write(place, { 'sub/.env': `${CANARY}\n`, 'c.ts': 'c3\n' });
    git(place, 'add', '-f', '.');
    rmSync(join(place, 'sub/.env'));
    return place;
  },
  'in an earlier version of settings': () =>
    repository(
      { ...plain, 'sub/appsettings.json': settings(''), 'appsettings.json': settings('') },
      { 'sub/appsettings.json': settings(CANARY) },
      { 'appsettings.json': settings(CANARY) },
      { 'sub/appsettings.json': settings(''), 'appsettings.json': settings('') },
      ...later,
    ),
  'in a stash': () => {
    const place = repository({ ...plain, '.env': 'A=1\n' }, ...later);
    write(place, { '.env': `${CANARY}\n`, 'sub/id_rsa': `${CANARY}\n` });
    git(place, 'stash', '-q', '-u');
    write(place, { 'c.ts': 'c3\n' });
    git(place, 'stash', '-q');
    return place;
  },
  'on a branch that was merged': () => {
    const place = repository(plain, later[0] ?? {});
    git(place, 'switch', '-qc', 'side');
    commit(place, { 'sub/.env': `${CANARY}\n` });
    commit(place, { 'sub/.env': undefined, 'sub/a.txt': 'side\n' });
    git(place, 'switch', '-q', 'main');
    commit(place, { 'c.ts': 'c4\n' });
    git(place, 'merge', '-q', '--no-ff', '-m', 'merge', 'side');
    return place;
  },
  'in a merge': () => {
    const place = repository(plain, later[0] ?? {});
    git(place, 'switch', '-qc', 'side');
    commit(place, { 'sub/a.txt': 'side\n' });
    git(place, 'switch', '-q', 'main');
    commit(place, { 'c.ts': 'c4\n' });
    git(place, 'merge', '-q', '--no-ff', '--no-commit', 'side');
    commit(place, { 'sub/.env': `${CANARY}\n` });
    commit(place, { 'sub/.env': undefined });
    return place;
  },
  'in a conflict': () => {
    const place = repository({ ...plain, '.env': 'A=1\n' });
    git(place, 'switch', '-qc', 'side');
    commit(place, { '.env': `${CANARY}\n` });
    git(place, 'switch', '-q', 'main');
    commit(place, { '.env': 'A=2\n' });
    spawnSync('git', ['merge', '-q', 'side'], { cwd: place, env: environment });
    write(place, { '.env': 'A=3\n' });
    return place;
  },
  'in a file marked as unchanged': () => {
    const place = repository({ ...plain, 'sub/appsettings.json': settings(CANARY) }, ...later);
    git(place, 'update-index', '--assume-unchanged', 'sub/appsettings.json');
    write(place, { 'sub/appsettings.json': settings('') });
    return place;
  },
};

/** Pseudo-random numbers, the same in every run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/);
const revision =
  words(`HEAD HEAD~1 HEAD~2 HEAD^ HEAD^2 HEAD~3 main @ @~ side main~4 HEAD@{1} @{0} stash stash@{0} stash@{1}
  stash^3 MERGE_HEAD main..HEAD~1 HEAD~3.. ..HEAD~2 HEAD~1...side side..main ^HEAD~2 HEAD^! HEAD^@ HEAD^- HEAD^{tree}
  HEAD^{commit} ... .... .. ..main ...main main... HEAD^-1 HEAD^-+1 :/next HEAD^{/next} main@{yesterday} ID TREE 0 1 -`);
const file =
  words(`. .. ./ ../ sub sub/ ../sub a.txt c.ts sub/a.txt ./c.ts ../c.ts sub/../c.ts * ** sub/* s* [s]ub s?b *.ts m* [m^]* *@ ?ain H*
  '*' '*.ts' 'sub/*' 's*' '[s]ub/**' '**/.e*' ':!c.ts' ':^c.ts' ':!nothing' ':(top)' ':/' ':/sub' ':(top)sub' ':(exclude)c.ts'
  ':/!c.ts' ':(glob)**/.env' ':(icase)SUB' 'SUB' ':(top,exclude)c.ts' sub/appsettings.json appsettings.json sub/deep deep/b.ts
  sub/moved.txt moved.txt $PWD link link/. link/.. '*/' 's*b/' '(' ')' -- ...`);
const object =
  words(`HEAD:c.ts HEAD~1:sub/a.txt HEAD~2:./a.txt HEAD:../c.ts :c.ts :0:c.ts :1:.env :2:.env :3:.env :./a.txt
  HEAD~3:sub HEAD:./ HEAD: HEAD~2:sub/appsettings.json HEAD~4:./appsettings.json HEAD~5:sub/.env :sub/.env :./.env HEAD~4:../.env
  :sub/appsettings.json stash^3:sub/id_rsa BLOB HEAD~4:./appsettings.json HEAD~4:./appsettings.json HEAD~4:../sub/appsettings.json
  HEAD~4:appsettings.json`);
const diffOption =
  words(`-p -u -U0 -U5 -w -b -M -C -C -B -R -W -a -z -r -t -s -m -c --cc --stat --stat=80 --numstat --name-only
  --name-status --raw --patch --no-patch --patch-with-stat --cached --staged --merge-base --diff-filter=M --diff-filter=AD
  --relative --relative=sub --no-renames --find-renames=10% --find-copies-harder --word-diff --word-diff=porcelain
  --color-words --word-diff-regex=. --exit-code --check --quiet --full-index --binary --text --no-prefix --ignore-submodules
  --submodule=log --color=always --no-color --inter-hunk-context=9 --ita-invisible-in-index -1 -2 -3 --root --first-parent
  --diff-algorithm=patience --compact-summary --summary --dirstat --stat-width 40 --word-diff-regex . --diff-algorithm minimal
  -S${CANARY.slice(0, 4)} -G. -l5 -O/dev/null`);
const logOption =
  words(`-1 -2 -3 -n1 -n 2 --max-count=3 --max-count 2 --skip=1 --skip 2 --all --branches --tags --remotes
  --branches=m* --first-parent --no-merges --merges --min-parents=2 --max-parents=1 --author=a --author a --since=1.year --since 2.years
  --until=now --grep=next --grep next -i -E --oneline --graph --reverse --topo-order --date-order --follow --full-diff
  --full-history --simplify-merges --boundary --left-right --cherry-pick --walk-reflogs -g --reflog --not --diff-merges=off
  --diff-merges=1 --diff-merges=m --format=%s --pretty=oneline --decorate --date=iso --date iso -L1,3:c.ts -L 1,2:sub/a.txt
  --no-walk --parents --children --exclude=side --glob=s* --source --merge`);
const grepOption =
  words(`-n -i -l -c -w -h -E -F -v -A1 -C 2 --cached --untracked --count --heading --full-name -e . --and
  --max-count 3 --max-depth 0 --function-context -W -p -o -r`);
const blameOption =
  words(`-L1,3 -L 1,2 -w -M -C -C -e -s -p --root --porcelain --since=1.year --since 1.year --date=iso --date iso
  --line-porcelain --abbrev=9 -n -f -l -t -b --ignore-rev HEAD --incremental`);

interface Form {
  readonly name: string;
  readonly options: readonly string[];
  readonly operands: readonly (readonly string[])[];
  readonly always?: readonly string[];
}
const forms: readonly Form[] = [
  { name: 'diff', options: diffOption, operands: [revision, revision, file, object] },
  {
    name: 'show',
    options: [...diffOption, ...logOption],
    operands: [revision, revision, file, object, object],
  },
  {
    name: 'log',
    options: [...diffOption, ...logOption, ...logOption],
    operands: [revision, file],
    always: words('-p -p -u --stat -c --cc -m'),
  },
  { name: 'diff-tree', options: diffOption, operands: [revision, revision, file], always: ['-p'] },
  { name: 'diff-index', options: diffOption, operands: [revision, file], always: ['-p'] },
  { name: 'diff-files', options: diffOption, operands: [file], always: ['-p'] },
  {
    name: 'stash show',
    options: [...diffOption, ...logOption],
    operands: [words('0 1 stash stash@{0} stash@{1} HEAD')],
    always: ['-p'],
  },
  { name: 'blame', options: blameOption, operands: [file, file, revision] },
  { name: 'grep', options: grepOption, operands: [revision, file, file, object], always: words('. -e.') },
  { name: 'cat-file', options: [], operands: [object, revision], always: words('-p blob') },
  { name: 'status', options: words('-v -vv -s --porcelain -u'), operands: [file] },
  { name: 'reflog', options: [...diffOption, ...logOption], operands: [revision], always: words('-p show') },
];

/** A command. Most are short, since git rejects most combinations of many words. */
function commandFrom(below: (below: number) => number): string {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const some = <T>(list: readonly T[], most: number): readonly T[] =>
    list.length === 0 ? [] : Array.from({ length: below(most + 1) }, () => pick(list));
  const form = pick(forms);
  const first = form.always === undefined || below(6) === 0 ? [] : [pick(form.always)];
  const options = [...first, ...some(form.options, 3)];
  const operands = some(form.operands, 2).map(pick);
  const paths = below(3) === 0 ? ['--', ...some(file, 2)] : [];
  // Options may follow operands.
  const body = below(4) === 0 ? [...operands, ...options] : [...options, ...operands];
  const command = [form.name, ...body, ...paths].join(' ');
  const folder = pick(['sub', 'sub', './sub', 'sub/deep', 'link', 'link/deep', 'link/..']);
  return pick([
    `git ${command}`,
    `git ${command}`,
    `git -C ${folder} ${command}`,
    `cd ${folder} && git ${command}`,
  ]);
}

test.each(Object.keys(places))(
  'commands that run without approval show no secret: %s',
  { timeout: 1_200_000 },
  async (where) => {
    const place = places[where]?.() ?? '';
    const id = git(place, 'rev-parse', 'HEAD~1');
    const tree = git(place, 'rev-parse', 'HEAD^{tree}');
    const blob = git(place, 'rev-parse', 'HEAD:c.ts');
    const env = { ...readOnlyEnvironment(environment, [place]), HOME: home };
    const below = numbers(SEED * 1000 + Object.keys(places).indexOf(where));
    const shown: string[] = [];
    const counts = { allowed: 0, withOutput: 0, commands: 0 };
    for (let at = 0; at < COUNT; at += 1) {
      const command = commandFrom(below)
        .replace(/\bID\b/g, id)
        .replace(/\bTREE\b/g, tree)
        .replace(/\bBLOB\b/g, blob);
      const policy = await policyFor([], 'default', { root: place });
      counts.commands += 1;
      const access = { type: 'command', command, cwd: place } as const;
      if (decide({ tool: 'Bash', access }, policy).behavior !== 'allow') continue;
      counts.allowed += 1;
      const { stdout, stderr } = spawnSync('sh', ['-c', command], {
        cwd: place,
        encoding: 'utf8',
        input: '',
        env,
      });
      if (stdout !== '') counts.withOutput += 1;
      // Word diffs have colors in the middle of a line.
      const text = `${stdout}${stderr}`.replace(/\x1b\[[\d;]*m/g, '');
      if (text.includes(CANARY)) shown.push(command);
    }
    if (process.env.FUZZ_RUNS !== undefined) console.info(where, counts);
    expect(shown).toEqual([]);
    expect(counts.withOutput).toBeGreaterThan(COUNT / 50);
  },
);
