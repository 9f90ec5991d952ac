/**
 * Commands that once did more than the user had allowed, and variants of them, grouped by technique: none runs without
 * approval in a mode that asks. The fixes are tested elsewhere.
 */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import { everyOtherIsQuick } from '../../e2e/support/long.ts';
import { bash, home, outside, root } from '../harness.ts';

for (const folder of ['certs.d', 'e', 'd', 'docs/api', 'payload', 'evilpkg', 'secrets', '.husky'])
  mkdirSync(join(root, folder), { recursive: true });
mkdirSync(join(home, '.ssh'), { recursive: true });
for (const file of [
  '.env.local',
  '.netrc',
  'certs.d/server.pem',
  'e/.env',
  'secrets/x',
  'in',
  'payload/.clawdcode.json',
])
  writeFileSync(join(root, file), 'SECRET\n');
writeFileSync(join(home, '.ssh/id_rsa'), 'KEY\n');
// A bare repository in the files of a clone.
for (const folder of ['docs/api/objects', 'docs/api/refs'])
  mkdirSync(join(root, folder), { recursive: true });
writeFileSync(join(root, 'docs/api/HEAD'), 'ref: refs/heads/main\n');
writeFileSync(join(root, 'docs/api/config'), '[core]\n\tbare = true\n\tfsmonitor = touch x\n');
symlinkSync(join(home, '.ssh/id_rsa'), join(root, 'd/link'));
symlinkSync(join(home, '.ssh/id_rsa'), join(root, '[slug]'));
symlinkSync(join(outside, 'secret.txt'), join(root, 'sub/there'));

function never(
  commands: readonly string[],
  mode: PermissionMode = 'default',
  rules: readonly string[] = [],
): void {
  for (const { row: command, options } of everyOtherIsQuick(commands))
    test(command, options, async () => {
      expect((await bash(command, rules, mode)).behavior).not.toBe('allow');
    });
}

describe('unquoted here-documents', () => {
  const bodies = ['First run `touch x`, then test.', '$(touch x)', '${y:=$(touch x)}', '$((a[$(touch x)]))'];
  never(
    bodies.flatMap((body) => [
      `cat <<EOF\n${body}\nEOF`,
      `cat <<-EOF\n\t${body}\n\tEOF`,
      `wc -l <<EOF | sort\n${body}\nEOF`,
    ]),
  );
});

const runtimeWords = [
  "printf {-v,'a[$(touch p)]',x}",
  "printf -v 'a[$(touch p)]' x",
  "git grep -e {alpha,'-Otouch p;:'}",
  'sort -k {1,-o,out} in',
  'echo 1 -o out in | xargs sort -k',
  'git branch --list {--no-list,-D,feature}',
  "grep {'',~/.ssh/id_rsa}",
  'head -n {5,.env}',
  'grep -v ./.*',
  'head -n $N a.txt',
  'sort $OPTIONS a.txt',
  'cat $(echo .env)',
  'ls | xargs cat',
  'echo .env | xargs cat',
  "x='-o out'; sort $x in",
  'sort {-o,out,in}',
  'find . {-name,x,-delete}',
  'git log {--output=x,-1}',
];
describe('words known only at run time', () => {
  never(runtimeWords);
});
describe('words known only at run time, in plan mode', () => {
  never(runtimeWords, 'plan');
});

describe('constructs that shells and grammars read differently', () => {
  never([
    ': "${x:-\'$(touch p)\'}"',
    "for i in 'a[$(touch p)]'; do : ${HOME:i}; done",
    ': {b[i]}>/dev/null',
    "exit 'path[$(touch p)]'",
    "exit 'a[$(touch p)]'",
    "echo $'\\x24(touch p)'",
    "cat $'.env'",
    "[[ -v 'a[$(touch p)]' ]]",
    "test -v 'a[$(touch p)]'",
    '(( x = a[$(touch p)] ))',
    // After `!` the grammar sees two subshells, in which single quotes would protect.
    "! ((x='$(touch p)'; cat a))",
    "! (\\\n(x='$(touch p)'; cat a))",
    "! ! ((x='$(touch p)'; cat a))",
    "f() ((x='$(touch p)'; cat a)); f",
    "! ((x='a[$(touch p)]'; ls)) && ls",
    'let "a[$(touch p)]=1"',
    "unset 'a[$(touch p)]'",
    "read 'a[$(touch p)]' < in",
    "declare 'a[$(touch p)]=1'",
    'echo ${!x}',
    'echo =ls',
    'echo *(e:touch\\ p:)',
    'cat <(touch p)',
    ': {1..1000000000}',
  ]);
});

describe('a descriptor that was opened for another purpose', () => {
  const devices = [
    '/dev/stderr',
    '/dev/stdout',
    '/dev/stdin',
    '/dev/fd/0',
    '/dev/fd/2',
    '/proc/self/fd/2',
    '/dev/tty',
  ];
  never([
    ...devices.flatMap((device) => [
      `echo x 2<a.txt >${device}`,
      `echo x <a.txt >${device}`,
      `cat ${device}`,
    ]),
    ...devices.flatMap((device) => [
      `echo x >${device}`,
      `cat <${device}`,
      `wc -l ${device}`,
      `ls ${device}/..`,
    ]),
    'echo x 3<a.txt >/dev/fd/3',
    '{ echo x >/dev/stdin; } <a.txt',
    'cat /dev/fd/3/x',
    'diff a.txt /dev/stdin <b.txt',
    'echo x 2<a.txt >&2',
  ]);
});

describe('words that form another command in dash', () => {
  never([
    ...[
      'echo a &>/dev/null touch p',
      'ls &>/dev/null rm a.txt',
      'ls &>>/dev/null touch p',
      '(ls) &>/dev/null touch p',
    ],
    ...["sh -c 'ls &>/dev/null touch p'", 'ls &>/dev/null x=1 touch p', 'stat 3&>/dev/null touch p'],
  ]);
});

describe('a tilde that is expanded in an assignment and used inside another word', () => {
  never([
    ...[
      'x=~; cat "docs$x/a"',
      'x=~/n.txt; cat "./$x"',
      'for x in ~/a; do cat "docs$x"; done',
      'x=\'~/f\'; cat "docs$x"',
    ],
    ...['x=~; y=.; cat "$y$x/a"', 'x=~; cat docs/$x', 'x=~; cat "docs${x}"'],
  ]);
});

describe('brace expansions that produce no word', () => {
  never([
    ...[
      'awk {,} \'BEGIN{system("touch p")}\'',
      'awk {,} 1 a.txt',
      'grep {,} x',
      'cat {,a.txt}',
      'cat {a.txt,}',
    ],
    ...['sort {,} a.txt', "cat {'',a.txt}", 'cat {"",""}', 'cat {a.txt,,}', 'cat {,}{,}', 'cat {~,a.txt}'],
  ]);
});

describe('variables that the shell evaluates as arithmetic, or that change how it parses', () => {
  never(
    ['COLUMNS', 'LINES', 'SECONDS', 'HISTSIZE', 'OPTIND', 'KEYTIMEOUT'].flatMap((name) => [
      `${name}='path[$(touch p)]' ls`,
      `${name}='path[$(touch p)]'; ls`,
      `env ${name}='path[$(touch p)]' ls`,
      `for ${name} in 'path[$(touch p)]'; do ls; done`,
    ]),
  );
  never([
    'LC_ALL=zh_CN.GBK ls',
    'LC_ALL=zh_CN.GBK; ls',
    'LC_ALL=C; cat ??.txt',
    'LANG=$x ls',
    'for LANG in C; do ls; done',
  ]);
});

describe('the length of a secret', () => {
  never([
    ...[
      'echo ${#TOKEN}',
      'echo "${#TOKEN}"',
      'printf %s ${#TOKEN}',
      'x=${#TOKEN}; echo $x',
      'x=$TOKEN; echo ${#x}',
    ],
    ...['[ ${#TOKEN} = 5 ]', '[[ ${#TOKEN} == 5 ]]', 'case ${#TOKEN} in 5) ls;; esac', 'cat <<< ${#TOKEN}'],
    ...[
      'for i in ${#TOKEN}; do echo $i; done',
      'wc -c <<< "$TOKEN"',
      'wc -c .env',
      'echo -n "$TOKEN" | wc -c',
    ],
  ]);
});

describe('a cd that has no effect', () => {
  const wrappers = ['env', 'nohup', 'timeout 5', 'nice', 'stdbuf -o L', 'time', 'nohup command'];
  never(wrappers.map((wrapper) => `${wrapper} cd src; cat ../notes.txt`));
  const forms = ['command cd src', 'builtin cd src', 'chdir src', 'cd -e src', 'cd src --', "cd $'src'"];
  never(forms.map((form) => `${form}; cat ../notes.txt`));
});
describe('a cd that has no effect, in acceptEdits', () => {
  const writes = ['touch ../x', 'cp a.txt ../x', 'mkdir ../x', 'echo x > ../x'];
  never(
    writes.flatMap((write) => [`env cd src; ${write}`, `nohup cd src; ${write}`]),
    'acceptEdits',
  );
});
describe('a redirection after the last cd', () => {
  never(['cd sub; < there', 'cd sub && < there', 'cd sub; cat < there']);
});
describe('a glob pattern after a file with the name of an option, in acceptEdits', () => {
  never(
    [
      'touch ./--pre=sh; rg foo *=sh evil.txt',
      'touch ./-o.netrc; sort a.txt *.netrc',
      'touch ./-delete ; find *te',
      '{ sort a.txt *.zz; } > -okk.zz',
      'for i in 1 2; do sort a.txt *.zz; touch ./-okk.zz; done',
      'sort *.zz a.txt <(touch ./-okk.zz)',
      'cat a.txt > -okk.zz & sort a.txt *.zz',
      'cp -r docs/. .; sort a.txt *.zz',
      'touch ./-okk.zz; for f in *; do sort $f; done',
    ],
    'acceptEdits',
  );
});

describe('a redirection after the last cd, in acceptEdits', () => {
  never(['cd sub; > there', 'cd sub && > there', 'cd sub; >> there'], 'acceptEdits');
});

describe('words and redirections that zsh reads differently, in acceptEdits', () => {
  never(
    [
      'echo x >! ../x',
      'echo x >!../../x',
      'echo x >>! ../x',
      'echo x >&! ../x',
      'echo x &>! ../x',
      // The program of that name, wherever it is.
      'echo x > =tool',
      'echo x >> =tool',
      'cp a.txt =tool',
      'mv =tool x',
      'mv a.txt =tool',
      'touch =tool',
      // zsh runs NULLCMD or READNULLCMD.
      '< a.txt',
      '> /dev/null',
      'ls; < a.txt',
      '< a.txt > /dev/null',
      '{ < a.txt; } | head',
      'cat a.txt | > /dev/null',
      '<<E\nx\nE',
    ],
    'acceptEdits',
  );
});

describe('variables set by another branch', () => {
  never([
    'x=a.txt; case a in a) x=../n.txt;& b) cat "$x";; esac',
    'x=a.txt; case a in a) x=../n.txt;;& *) cat "$x";; esac',
    'x=a.txt; case a in a) x=../n.txt;& b) :;& c) cat "$x";; esac',
    'x=src; case a in a) x=-delete;& b) find src "$x";; esac',
    'x=a.txt; if false; then :; elif x=../n.txt; false; then :; else cat "$x"; fi',
    'x=a.txt; if false; then :; elif x=../n.txt; false; then :; elif true; then cat "$x"; fi',
  ]);
});

const brought = [
  './bash -c ls',
  'src/sh -c ls',
  'env ./zsh -c ls',
  '/tmp/x/dash -c ls',
  'src/../bash -lc ls',
  '../sh -c ls',
];
describe('file names that become commands', () => {
  never([
    'eval ls *',
    'eval cat odd/*',
    "eval 'ls' src/?",
    'eval ls [a-z]*',
    'bash -c *',
    'sh -c l*',
    'eval =ls',
  ]);
});

describe('a group that does not run because its redirection fails', () => {
  never([
    'x=../n.txt; { x=a.txt; } < missing; cat "$x"',
    'x=../n.txt; { x=a.txt; } <&9; cat "$x"',
    'x=../n.txt; { x=a.txt; } >&9; cat "$x"',
    'x=../n.txt; { { x=a.txt; }; } < missing; cat "$x"',
    'x=-delete; { x=-print; } < missing; find src "$x"',
    // dash runs it in the background.
    'x=../n.txt; { x=a.txt; } &> /dev/null; cat "$x"',
  ]);
});

describe('a project program with the name of a shell', () => {
  never(brought);
});
describe('a project program with the name of a shell, in plan mode', () => {
  never(brought, 'plan');
});

describe('awk programs with expressions that end elsewhere than they seem to', () => {
  never([
    'awk \'/a/ { print "; system(x) #" }\' a.txt',
    'awk \'/a/ { y = 1 / 2; z = "/ ; print x > f; #" }\' a.txt',
    'awk \'BEGIN { x = "touch p"; y = length / " / ; system(x) #"\n}\'',
    'awk \'/[[:alpha:]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
    'awk \'/[^]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
    'awk \'/[]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
    'awk \'/[[.a.]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
    'awk \'/[a[]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
    'awk \'/[\\]/ "x]/ ; BEGIN { system("touch p") } #"\' a.txt',
  ]);
});

describe('variables that zsh sets automatically', () => {
  never([
    'match=a.txt; [[ "../n.txt" =~ "(.*)" ]]; cat "$match"',
    'match=src; [[ "-delete" =~ "(.*)" ]]; find src "$match"',
    'for match in a.txt; do [[ "../n.txt" =~ "(.*)" ]]; cat "$match"; done',
    'mend=a.txt; [[ "x" =~ "(.*)" ]]; cat "$mend"',
  ]);
});

describe('xargs with an input other than the output of find', () => {
  never([
    'find src | xargs cat < list',
    'find src | < list xargs cat',
    'find src | 0< list xargs cat',
    'find src | <<< .env xargs cat',
    "find src | xargs cat <<'EOF'\n.env\nEOF",
    'find src | xargs cat 3< list 0>&3',
    'true && find src | xargs cat < list',
    "find src -newer 'a ../x b' |& xargs cat",
  ]);
});

describe('patterns that shells read differently or that contain quotes', () => {
  never([
    'cat **',
    'cat ./**',
    'cat **/secret.txt',
    'wc -l **/secret.txt',
    'for f in **/secret.txt; do cat "$f"; done',
    'cat ***/secret.txt',
    'cat "["*]',
    'cat \\[*]',
    'cat "[s"*"]"',
    'x="["; cat "$x"*]',
    'cat ".en"["v"]',
    'cat .en{[,x}v]',
  ]);
});

describe('file names that programs interpret', () => {
  never([
    'for f in *.tar; do tar tf "$f"; done',
    'find . -name "*.tar" -exec tar tf {} +',
    'find . -name "*.tar" | xargs tar tf',
    'find env -exec jq -n {} {} ;',
    'find env | xargs -n 1 jq -n',
    'strings -n @options a.txt',
    'strings -t @options a.txt',
    'iconv -f ../charmap -t UTF-8 a.txt',
  ]);
});

describe('options and variables that do more than they seem to', () => {
  never([
    // `-F` names a file to read.
    'pgrep -F.env',
    'pgrep -f -F.env',
    // Not valid in Unix style, so read in BSD style: with the environment of each process.
    'ps -axe',
    'ps -ex',
    'ps -x -e',
    'ps -eTH',
    'ps -elx',
    // A folder with the formats that programs print with.
    'LANGUAGE=../../../home/me/project/x ls missing',
    'env LANGUAGE=x ls',
    'LANGUAGE=x; ls',
  ]);
});

describe('a cd before git', () => {
  never([
    'cd docs/api && git log -3',
    'git -C docs/api log',
    'cd docs/api; git status',
    'git --git-dir=docs/api log',
    'GIT_DIR=docs/api git log',
  ]);
});

describe('plain attempts to read secrets', () => {
  never([
    "grep -rh --include='*.local' '' .",
    "rg '' certs.d",
    'diff . e',
    'diff -r . e',
    'diff d e',
    'cat <<< "$GITHUB_TOKEN"',
    'basename "$GITHUB_TOKEN"',
    'seq -f "$GITHUB_TOKEN" 1',
    'expr "$GITHUB_TOKEN" : ".*"',
    'echo $GITHUB_TOKEN',
    'printf %s "$AWS_SECRET_ACCESS_KEY"',
    'env',
    'printenv',
    'set',
    'export -p',
    'declare -p',
    'ps auxe',
    'cat /proc/self/environ',
    'cat .env',
    'cat .e*',
    'cat {.e,}nv',
    "grep -r '' certs.d",
    'tar cf - .',
    'base64 .env.local',
    'head -c 100 certs.d/server.pem',
    'cat d/link',
    'rg --hidden SECRET',
    'rg -uu SECRET',
    'find . -name ".env*" -exec cat {} +',
  ]);
});

describe('allow rules cover no more than they say', () => {
  describe.each<readonly [string, readonly string[]]>([
    ['allow Bash(grep:*)', ["grep -rh '' ~", "grep '' .env", 'grep -f ~/.ssh/id_rsa a.txt']],
    ['allow Bash(tree:*)', ['tree -o out']],
    ['allow Bash(touch:*)', ['touch ~/x', 'touch .git/hooks/pre-commit', 'touch ../x']],
    ['allow Bash(mkdir:*)', ['mkdir ~/x', 'mkdir -p .git/hooks/x']],
    [
      'allow Bash(git log:*)',
      ['git log --output=x', 'git log --ext-diff -p', 'git log --textconv -p', 'git log --output x'],
    ],
    [
      'allow Bash(git diff:*)',
      ['git diff --output=/etc/x', 'git diff --no-index /dev/null ~/.ssh/id_rsa', 'git diff --ext-diff'],
    ],
    [
      'allow Bash(find:*)',
      [
        'find . -exec touch x ;',
        "find . -exec sh -c 'touch x' ';'",
        'find . -delete',
        'find . -fprintf x y',
        'find . -ok rm {} +',
      ],
    ],
    ['allow Bash(rg:*)', ['rg --pre sh x', 'rg --pre=./x y', 'rg --hostname-bin=x y']],
    [
      'allow Bash(npm test:*)',
      ['npm test --script-shell=./x', 'npm test --prefix /tmp/x', 'npm test --node-options=--require=x'],
    ],
    ['allow Bash(npm test)', ['cd evilpkg && npm test']],
    ['allow Bash(cat:*)', ['cat {.e,}nv', 'cat .env', 'cat ~/.ssh/id_rsa', 'cat $X']],
  ])('%s', (rule, commands) => {
    never(commands, 'default', [rule]);
  });
});

describe('deny rules match disguised commands', () => {
  describe.each<readonly [string, readonly string[]]>([
    [
      'deny Bash(git push:*)',
      [
        'git -C . push',
        'git --no-pager push',
        'git "push"',
        'g\\it push',
        '/usr/bin/git push',
        'env git push',
        'command git push',
        "sh -c 'git push'",
        'git -c alias.x=push x',
      ],
    ],
    [
      'deny Bash(rm:*)',
      [
        'a=rm; $a x',
        "$'\\x72m' x",
        'r""m x',
        '\\rm x',
        '/bin/rm x',
        'busybox rm x',
        'find . -exec rm {} +',
        'ls | xargs rm',
        "eval 'rm x'",
        '{rm,x}',
        '$(echo rm) x',
      ],
    ],
    [
      'deny Read(secrets/**)',
      [
        'x=secrets; cat $x/x',
        'cat "secrets"/x',
        'cat sec*/x',
        'cat ./secrets/../secrets/x',
        'cat {secrets,a}/x',
        'grep -r x secrets',
      ],
    ],
  ])('%s', (rule, commands) => {
    never(commands, 'default', [rule, 'allow Bash']);
  });
});

describe('files that other programs run or read as settings, in acceptEdits', () => {
  never(
    [
      'cp -r payload/. .',
      'cp payload/.clawdcode.json .',
      'mv payload/.clawdcode.json .clawdcode.json',
      'touch .git/hooks/x',
      'mkdir .husky/x',
      'cp in dangling.md',
      'cp in chain.md',
      'cp in hook.md',
      'echo x > hook.md',
      'echo x > dangling.md',
      'echo x > .vscode/tasks.json',
      'echo x > .claude/settings.json',
      'cp in nowhere',
      'echo x > link/y',
    ],
    'acceptEdits',
  );
});
