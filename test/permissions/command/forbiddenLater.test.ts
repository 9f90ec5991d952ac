/**
 * Deny and ask rules apply to commands that the line does not show as such: with words that a program fills in, under
 * names that the line gives to programs, and in text that the shell evaluates.
 */
import { describe, expect, test } from 'vitest';
import { bash } from '../harness.ts';

interface Rows {
  readonly ask: readonly string[];
  readonly allow: readonly string[];
}

/** Words that a program fills in. */
const filled: Rows = {
  ask: [
    'find push -maxdepth 0 -exec git {} \\;',
    'find push -exec git {} +',
    'find push -execdir git -C . {} \\;',
    'find . -exec git p{}h \\;',
    'find /usr/bin/git -exec env {} push \\;',
    'find . -exec timeout 5 git {} \\;',
    'sudo find push -exec git {} \\;',
    'busybox find push -exec git {} \\;',
    'bfs push -exec git {} \\;',
    'fd push -x git {}',
    "fd '^push$' -x git",
    'fd -Hx git --no-pager',
    'fd --exec=git',
    "fd '^git$' /usr/bin -X {} push",
    'fd -x env git',
    'parallel git',
    'parallel -j4 git {1} ::: push',
    "parallel 'git -C .' ::: push",
    'parallel -a list git',
    'parallel ::: git ::: push',
    'echo push | xargs -I{} git -C . {}',
    'echo push | xargs -I{} env git {}',
    'echo push | xargs -J % git %',
    'ls push | entr git /_',
    'rush git',
    "fzf --preview 'git {}'",
    "fzf --bind 'enter:become(git {})'",
    "chokidar . -c 'git {path}'",
    'onchange . -- git {{file}}',
    'rg --pre git x push',
    'rsync -e git push:x .',
    'GIT_SSH=git git fetch push:x',
    'coproc fd -x git',
    'ls 3>f | xargs git',
  ],
  allow: [
    'find . -type d -exec git -C {} status \\;',
    'find . -name .git -execdir git status \\;',
    'find . -exec git log {} +',
    "find . -name '*.sh' -exec bash {} \\;",
    "find . -name '*.ts' -exec sed -n 1p {} \\;",
    'ls | xargs -I{} git -C {} log',
    'ls | xargs -I{} npm --prefix {} test',
    'fd -e ts -x wc -l',
    'fd -x git log',
    'parallel npm test ::: push',
    "parallel -j2 ::: 'npm test' 'npm run lint'",
    "fzf --preview 'git log {}'",
    "curl -d '{}' https://example.com/git",
    'gh api repos/{owner}/{repo}/pulls',
    'rsync -e ssh a b:',
    'tar -I zstd -xf a',
    'GIT_PAGER=cat git log',
  ],
};

/** Names that an earlier line gives to a program, and files that shells run first. */
const renamed: Rows = {
  ask: [
    'shopt -s expand_aliases\nalias g=git\ng push',
    "alias g='git '; alias u=push\ng u",
    'command alias g=git\ng push',
    'alias g=/usr/bin/git\ng push',
    "alias x='ls; git'\nx push",
    'alias e=env\ne git push',
    'alias -g P=push\ngit P',
    'alias -s txt=git\na.txt push',
    "eval 'alias g=git'\ng push",
    'autoload -Uz g; g push',
    'hash -p /usr/bin/git g\ng push',
    'enable -f ./g.so g 3>f\ng push',
    'export BASH_ENV=f; bash x.sh',
    'export ENV=./f; sh -i',
    'command_not_found_handle() {\n  git "$@"\n}\npush',
  ],
  allow: ["alias ll='ls -la'\nll", "alias gs='git status'\ngs", "alias ..='cd ..'", 'export ENV=production'],
};

const code = "x='a[$(git push)]'";

/** Text that the shell evaluates: as the name of a variable, as a number, or as code. */
const evaluated: Rows = {
  ask: [
    ...[`${code}; printf -v "$x" y`, `${code}; printf -v"$x" y`, `${code}; unset "$x"`, `${code}; let "$x"`],
    ...[
      `${code}; let y=x`,
      `${code}; read "$x" <<< y`,
      `${code}; read -a "$x" <<< y`,
      `${code}; test -v "$x"`,
    ],
    ...[`${code}; [[ -v $x ]]`, `${code}; [[ $x -eq 1 ]]`, `${code}; [[ x -eq 1 ]]`, `${code}; [ -t "$x" ]`],
    ...[
      `${code}; wait -n -p "$x"`,
      `${code}; declare "$x=1"`,
      `${code}; declare -i n=x`,
      `${code}; export "$x"`,
    ],
    ...[
      `${code}; declare -n n="$x"; n=1`,
      `${code}; OPTIND=$x`,
      `${code}; exit "$x"`,
      `${code}; integer n=x`,
    ],
    ...[`${code}; shift "$x"`, `${code}; printf %d "$x"`, `${code}; echo \${!x}`, `${code}; echo $((x))`],
    ...[`${code}; set -A "$x" 1`, `${code} bash -c 'let x'`, `${code}; ls`],
    "RANDOM='a[$(git push)]'",
    'x="a[\\$(git push)]"; OPTIND=$x',
    "x=$'a[\\x24(git push)]'; OPTIND=$x",
    "x='a[`git -C . push`]'; OPTIND=$x",
    'for x in \'a[$(git push)]\'; do let "$x"; done',
    'f() { let "$1"; }; f \'a[$(git push)]\'',
    "read x <<< 'a[$(git push)]'; [[ $x -eq 1 ]]",
    "x=$(echo 'a[$(git push)]'); [[ $x -eq 1 ]]",
    "x='a[$(git '; y=$x'push)]'; [[ $y -eq 1 ]]",
    "x='a[$(git'; y=' push)]'; let \"$x$y\"",
    'x=\'$(git push)\'; compgen -W "$x"',
    'x=\'$(git push)\'; declare -a n="($x)"',
    'x=\'$(git push)\'; print -P "$x"',
    'x="git push"; complete -C "$x" y',
    'x="git push #"; mapfile -C "$x" -c 1 y < a.txt',
  ],
  allow: [
    'n=3; [[ $n -eq 3 ]]',
    'n=$(wc -l < a.txt); [ "$n" -gt 3 ]',
    'n=$(grep -c \'^x$\' a.txt); [ "$n" -gt 3 ]',
    'if [ "$#" -gt 3 ]; then ls; fi',
    'while read -r x; do echo "$x"; done < a.txt',
    'read -p "$prompt" answer',
    'printf -v x \'%s\' "$y"',
    'printf \'%d\\n\' "$n"',
    'unset x',
    '[ -v x ]',
    'title=\'docs: what $(x) does\'; echo "$title"',
    'x="see $(git -C . log)"; echo "$x"',
    "git commit -m 'fix: a[$(git push)]'",
    "grep 'a[$(git push)]' a.txt",
  ],
};

describe.each(
  Object.entries({
    'words that a program fills in': filled,
    'names that an earlier line gives to programs': renamed,
    'text that the shell evaluates': evaluated,
  }),
)('%s', (_, { ask, allow }) => {
  const rules = ['deny Bash(git push:*)', 'allow Bash'];
  test.each(ask)('%s does not run without approval', async (command) => {
    for (const mode of ['default', 'bypassPermissions'] as const)
      expect((await bash(command, rules, mode)).behavior).not.toBe('allow');
  });
  test.each(allow)('%s runs', async (command) => {
    expect((await bash(command, rules, 'bypassPermissions')).behavior).toBe('allow');
  });
});

test('a rule about files applies to text that the shell may evaluate', async () => {
  const rules = ['deny Read(secrets/**)', 'allow Bash'];
  for (const command of [
    "x='a[$(cat secrets/x)]'; OPTIND=$x",
    'for x in \'a[`cat secrets/x`]\'; do let "$x"; done',
  ])
    expect((await bash(command, rules, 'bypassPermissions')).behavior).not.toBe('allow');
});

test('the reason names the command that may run', async () => {
  const { behavior, reason } = await bash(`${code}; ls`, ['deny Bash(git push:*)'], 'bypassPermissions');
  expect(behavior).toBe('ask');
  expect(reason).toContain('may apply to git push');
});
