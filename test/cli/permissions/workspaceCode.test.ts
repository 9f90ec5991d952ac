/** Which commands in the settings run code of the workspace. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CodeRun, codeRunBy } from '../../../src/cli/permissions/workspaceCode.ts';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import type { PolicyFacts } from '../../../src/permissions/policy.ts';
import { grammarFolder } from '../../permissions/grammarFolder.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const wasm = grammarFolder(temporaryFolderOfFile());
const engine = new InProcessEngine(wasm, {});

const files: Readonly<Record<string, string>> = {
  'project/build/x': 'x',
  'project/build/run.sh': '#!/bin/sh\nexit 0\n',
  'project/check.sh': '#!/bin/sh\nexit 0\n',
  'project/lint.sh': '#!/bin/sh\nnpm run lint\n',
  'project/obscure.sh': '#!/bin/bash\na=(1 2)\n',
  'project/.claude/hooks/guard.py': '',
  'bin/log.sh': '#!/bin/sh\nset -e\ninput=$(cat)\necho "$input" | jq -r .tool_name >> "$HOME/log"\n',
  'bin/notify': '#!/usr/bin/env bash\n# Tells me.\nnotify-send "Done" "$1"\n',
  'bin/outer': '#!/bin/sh\n~/bin/log.sh\n',
  'bin/outermost': '#!/bin/sh\n~/bin/outer\n',
  'bin/status.sh':
    '#!/bin/bash\ninput=$(cat)\nmodel=$(echo "$input" | jq -r .model.display_name)\nbranch=$(git branch --show-current)\nif [ -n "$branch" ]; then printf "%s on %s" "$model" "$branch"; fi\n',
  'bin/lint.sh': '#!/bin/sh\nnpm run lint\n',
  'bin/lint-there': '#!/bin/sh\nnpm --prefix "$1" run lint\n',
  'bin/runs-lint': '#!/bin/sh\n~/bin/lint.sh\n',
  'bin/runs-script': '#!/bin/sh\ncd ~/project && ./check.sh\n',
  'bin/runs-its-words': '#!/bin/sh\n"$@"\n',
  'bin/save': '#!/bin/sh\ncat >> ~/bin/y\n',
  'bin/obscure.sh': '#!/bin/bash\na=(1 2)\n',
  'bin/self': '#!/bin/sh\n~/bin/self\n',
  'bin/tool.py': '#!/usr/bin/env python3\n',
  'bin/binary': '\u007fELF\0',
  '.claude/hooks/x.sh': 'npm run lint\n',
  'servers/server.js': '',
};

const home = temporaryFolderOfFile();
const root = join(home, 'project');
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
  chmodSync(join(home, name), 0o755);
}
symlinkSync(join(root, 'build/run.sh'), join(home, 'bin/linked'));
symlinkSync(join(home, 'log'), join(root, 'link'));

const facts: PolicyFacts = {
  mode: 'default',
  rules: [
    { text: 'Bash', behavior: 'allow', source: 'test', base: root },
    { text: 'Bash(rm *)', behavior: 'deny', source: 'test', base: root },
  ],
  root,
  additionalDirectories: [],
  home,
  executedFiles: ['check.sh', 'lint.sh', 'obscure.sh'].map((name) => join(root, name)),
  platform: process.platform,
  localSettingsFile: join(root, '.clawdcode.local.json'),
};

const codeOf = async (
  command: string,
  cwd = root,
  used = engine,
  env: Record<string, string> = {},
  isApart = false,
): Promise<CodeRun> => {
  const answers: unknown[] = [];
  const code = await codeRunBy(command, cwd, {
    ...{ workspace: [root], root, home, isApart, isLed: false, env: { GIVEN: '1', ...env } },
    effects: async (text, at) => {
      const effects = await used.effects(text, at, facts);
      answers.push(effects);
      return effects;
    },
  });
  // Text that the reader does not understand may be anything.
  if (code === 'none') expect(answers).not.toContain(undefined);
  return code;
};

test.each([
  // Data, text, time.
  ...[
    'date',
    'echo done',
    'echo "$X" $Y',
    'printf "%s\\n" "$X"',
    'true',
    'exit 2',
    'sleep 1',
    'cat',
    'cat package.json',
  ],
  ...[
    'jq -r .tool_input.file_path',
    'cat | jq .',
    'wc -l < package.json',
    'grep -q x',
    'sed -n 1p',
    'tail -1 ~/log',
  ],
  ...[
    "awk '{ print $1 }'",
    '[ -n "$X" ]',
    '[ "$X" = y ]',
    '[[ -f x ]]',
    'test -d .git',
    'basename "$X"',
    'sort | uniq -c',
  ],
  ...[
    'x=$(date); echo "$x"',
    'if [ -n "$X" ]; then echo y; fi',
    'cat ~/a > ~/b',
    'find . -name "*.ts"',
    'rg -n x',
  ],
  // Writing outside of the workspace.
  ...[
    'echo done >> ~/log',
    'date > /tmp/at',
    'cat >> ~/log',
    'cat > "$HOME/last.json"',
    'tee -a ~/log',
    'mkdir -p ~/logs',
  ],
  ...[
    'touch ~/.seen',
    'jq -r .tool_name >> ~/.claude/log.txt',
    'echo x 2> /dev/null',
    'echo x >&2',
    'cp ~/a ~/b',
  ],
  // git that reads.
  ...[
    'git branch --show-current',
    'git status --short',
    'git rev-parse HEAD',
    'git log -1 --oneline',
    '/usr/bin/git diff --stat',
  ],
  // Notifying.
  ...[
    'notify-send done',
    'notify-send "$CLAWDCODE_MESSAGE"',
    'notify-send -u low "a" "b: $X"',
    '/usr/bin/notify-send x',
  ],
  ...[
    'terminal-notifier -message "Done: $X" -title x',
    'afplay /System/Library/Sounds/Glass.aiff',
    'paplay ~/x.oga',
  ],
  ...[
    'say done',
    'say "Done: $X"',
    'osascript -e beep',
    'osascript -e \'display notification "Done" with title "x"\'',
  ],
  ...[
    'logger done',
    'timeout 5 notify-send x',
    'sh -c "notify-send x"',
    'env LANG=C date',
    'CI=1 date',
    'nohup afplay x &',
  ],
  ...[
    'curl -s https://example.com -d done',
    'curl -fsS -X POST -H "a: b" -d "{\\"text\\": \\"$X\\"}" https://example.com/x',
  ],
  ...[
    'curl -sd @- https://example.com',
    'curl -s -o /dev/null --max-time 5 "$HOOK_URL"',
    'curl -d "$X" https://example.com',
    'curl -d "$x" ntfy.sh/topic',
    'curl -d "Done: $x" localhost:8080/x',
    // Data that leaves the machine is not code.
    'curl -d @x -H @y --data-urlencode a@x https://a',
    'curl -d x --url https://a',
  ],
  // The user's own variables.
  ...[
    'f=$(jq -r .tool_input.file_path); [[ $f == *.md ]] && notify-send "$f"',
    'log=~/log; date >> "$log"',
    'log=~/log; echo "$(jq -r .tool_name)" >> "$log"',
    'INPUT=$(cat); echo "$INPUT" | jq -r .tool_name',
    'FILE=$(jq -r .x); LOG_FILE=a; notify-send "$FILE"',
    'LOG="$HOME/x.log"; date >> "$LOG"',
    'read -r f; echo "$f"',
    'read -r tool f; notify-send "$f"; jq . <<< "$f"',
    'terminal-notifier -message "$(jq -r .message)" -title "$X"',
    'notify-send "$(jq -r .message)"',
  ],
  // The user's own scripts.
  ...[
    '~/bin/log.sh',
    '"$HOME"/bin/log.sh',
    `\${HOME}/bin/notify "$X"`,
    '~/bin/notify ./check.sh',
    'bash ~/bin/log.sh',
  ],
  ...[
    'sh -e ~/bin/log.sh',
    '~/bin/outer',
    '~/bin/status.sh',
    '/bin/bash ~/bin/status.sh',
    'cat | ~/bin/log.sh',
    'cd ~ && bin/notify',
  ],
])('runs no workspace code: %s', async (command) => {
  expect(await codeOf(command)).toBe('none');
});

test.each([
  // git: hooks, drivers, aliases, other repositories and settings.
  ...[
    'git commit -qam config',
    'git -c core.hooksPath=x commit -m config',
    'git tag -s x',
    'git remote update',
    'git fetch',
  ],
  ...[
    'git -c core.pager=./x log',
    'git -c alias.x=!./x x',
    'git --exec-path=. status',
    'git --exec-path . status',
    'git branch x',
  ],
  ...[
    'git --git-dir=x status',
    'git --git-dir x branch',
    'git --work-tree=x status',
    'git --config-env=core.pager=X log',
    'git tag x',
  ],
  ...[
    'git -C sub/.. checkout x',
    'git describe --dirty',
    'git config x.y z',
    'git config --edit',
    'git branch --edit-description',
  ],
  ...[
    'git add .',
    'git stash',
    'git push',
    'git difftool',
    'git diff --ext-diff',
    'git log --textconv',
    'git grep -O./x y',
    'git describe-x',
  ],
  ...[
    'git -p log',
    'git bisect run ./x',
    'git archive --exec=./x HEAD',
    'git ls-remote ext::./x',
    'git remote show x',
    'git status "$X"',
  ],
  // By an absolute path.
  ...[
    '/usr/bin/git commit -qam wip',
    '~/.local/bin/pylint',
    '/usr/bin/pylint',
    '/usr/local/bin/rubocop',
    '/opt/homebrew/bin/swiftlint',
  ],
  ...[
    '/usr/bin/make',
    '/opt/tools/run a b',
    '/usr/bin/env npm test',
    '/bin/sh check',
    '/usr/bin/python3 x.py',
    '/usr/bin/unknown',
  ],
  // Scripts of the user that run code of the project, or cannot be read.
  ...[
    '~/bin/lint.sh',
    'bash ~/bin/lint.sh',
    'bash ~/.claude/hooks/x.sh',
    '~/bin/runs-lint',
    '~/bin/runs-script',
    '~/bin/self',
    '~/bin/outermost',
  ],
  ...[
    '~/bin/obscure.sh',
    '~/bin/tool.py',
    'python3 ~/bin/tool.py',
    'node ~/bin/tool.py',
    '~/bin/binary',
    '~/bin/missing',
    '. ~/bin/notify',
  ],
  ...[
    '~/bin/runs-its-words npm test',
    '~/bin/linked',
    'source ~/bin/notify',
    'bash',
    'cat x | sh',
    'bash -s < x',
    'sh "$X"',
    '~/bin/$X',
  ],
  ...[
    '"~/bin/notify"',
    'bash -i ~/bin/notify',
    'bash --rcfile x ~/bin/notify',
    'zsh -o x ~/bin/notify',
    'find . -exec ~/bin/lint.sh {} +',
  ],
  // Filters with a language, and their options.
  ...[
    'gawk -l ./x 1',
    'gawk -i x 1',
    'gawk --load=x 1',
    'gawk --include x 1',
    'gawk -E x',
    'awk -f x',
    'gawk --loa=x 1',
    'gawk -lx 1',
  ],
  ...[
    'awk \'BEGIN { system("./x") }\'',
    'awk \'{ print | "./x" }\'',
    'awk \'{ "./x" | getline }\'',
    'awk \'{ print > "x" }\'',
    'awk "$X"',
  ],
  ...[
    'sort --compress-program=./x',
    'sort --compress-prog ./x',
    'sort --compress=./x',
    'sort -o x',
    'rg --pre ./x y',
    'rg --pr=./x y',
  ],
  ...[
    "sed '1e ./x'",
    "sed 's/a/b/e'",
    "sed 's/a/b/w x'",
    "sed 'w x'",
    'sed -f x',
    'sed --fil=x',
    'sed -i s/a/b/ x',
    'sed "$X"',
  ],
  ...[
    'jq -L . .',
    'jq -f x',
    'jq \'import "x" as x; .\'',
    'yq -i .a x',
    'find . -exec ./x {} +',
    'find . -delete',
    'xargs ./x',
    'xargs npm',
  ],
  ...[
    'osascript -e \'do shell script "./x"\'',
    'osascript x',
    'osascript -e "display notification \\"$X\\""',
    'osascript -l JavaScript -e x',
  ],
  ...[
    'osascript -e \'display notification "a" & (do shell script "./x")\'',
    'osascript -e beep -e \'do shell script "./x"\'',
  ],
  ...[
    'curl -K x https://a',
    'curl --config x',
    'curl --conf x',
    'curl -sKx https://a',
    'curl -o ~/bin/x https://a',
    'curl -O https://a/x',
    'curl -T x https://a',
  ],
  ...['curl $X', 'curl "$x"', 'curl "$CLAWDCODE_MESSAGE"', 'curl "$@"', 'curl -w "%output{x}y" https://a'],
  ...[
    'curl file:///x',
    'curl --unix-socket x https://a',
    'curl --engine x https://a',
    'curl -x "$X" https://a',
    'curl -F a=@x https://a',
    'curl -D x https://a',
  ],
  ...[
    'wget -q https://a',
    'wget --use-askpass=./x https://a',
    'wget --config=x https://a',
    'terminal-notifier -execute ./x',
  ],
  ...[
    'terminal-notifier -message x -open file:///x',
    'notify-send $X',
    'say "$X"',
    'open x',
    'xdg-open x',
    'mpv x',
    'ffplay x',
    'dbus-send x',
    'code x',
  ],
  // Variables that change what runs.
  ...[
    'GIT_SSH_COMMAND=./x git status',
    'PAGER=./x git log',
    'GIT_PAGER=./x git log',
    'npm_config_script_shell=./x date',
    'PATH=.:$PATH date',
  ],
  ...[
    'LD_PRELOAD=./x date',
    'env PATH=. date',
    'env -S "date"',
    'export PATH=.; date',
    'read PATH; date',
    'read -r PATH <<< .',
    'printf -v PATH .; date',
  ],
  ...[
    'declare PATH=.',
    'typeset -x PATH=.',
    'PATH+=:.; date',
    'for PATH in .; do date; done',
    'BASH_ENV=./x sh -c date',
    'GIT_DIR=x git status',
    'IFS=x; date',
  ],
  ...[
    'export X=1',
    'unset PATH',
    'local PATH=.',
    'getopts x PATH',
    'mapfile PATH',
    'alias date=./x; date',
    'hash -p ./x date',
    'enable -f ./x y',
    'path=.; date',
  ],
  ...[
    'NODE_OPTIONS=--import=./x node ~/y.js',
    'env -u X date',
    'env -i date',
    'exec date',
    'set -a',
    'set -- x',
    'shopt -s x',
    'trap ./x EXIT',
    'date() { ./x; }; date',
  ],
  ...[
    'PAGER=./x; git log',
    'UID=0; date',
    'GIVEN=x; date',
    'INPUT=$(cat) jq .',
    'export INPUT=1; date',
    'read -r f; npm test',
    'read -r f; $f',
    'read -r f; sh -c "$f"',
    'read -r f; echo x > "$f"',
    'read -u 3 f',
    'f=~/x; while read -r f; do echo x > "$f"; done',
    'log=out; date >> "$log"',
    'log=$CLAUDE_PROJECT_DIR/x; date >> "$log"',
    'log=$(cat); date >> "$log"',
    '[[ $f -gt 1 ]]',
    'curl -d x --url file:///x',
    'curl "$x" ntfy.sh',
    'curl -d x ./y',
    'terminal-notifier -message -execute',
  ],
  // Content of the workspace that is copied to a place where it may run.
  ...[
    'cp build/x ~/bin/',
    'git log --format=%B > ~/x',
    'find build -type f | xargs cat > ~/x',
    'jq . build/x > ~/x',
    'echo "$(<build/x)" > ~/x',
    'cat ~/proj*/build/x > ~/x',
    'cat /proc/self/cwd/build/x > ~/x',
    'echo x > /proc/self/cwd/out',
    '/proc/self/cwd/build/x',
    'mv build/x ~/bin',
    'ln -s "$PWD/build/x" ~/bin',
    'cat build/x > ~/bin/x',
    'tee ~/bin/x < build/x',
    'cat build/x | tee ~/bin/x',
  ],
  ...[
    'x=$(cat build/x); echo "$x" > ~/bin/x',
    'cat build/x | ~/bin/save',
    'grep -rh . build > ~/x',
    'git show HEAD:x > ~/x',
    'git diff >> ~/x',
    'cat * > ~/x',
  ],
  ...[
    'cat "$X" > ~/x',
    'install build/x ~/bin',
    'rsync build/x ~/bin',
    'dd if=build/x of=../bin/x',
    'cp -r . ~/bin',
    'head -c 9 ~/project/build/x > ~/y',
  ],
  // Writing into the workspace: a link there may lead anywhere.
  ...[
    'echo x > out',
    'cat > link',
    'cat >> "$CLAUDE_PROJECT_DIR"/link',
    'tee link',
    'touch x',
    'mkdir x',
    'echo x > "$F"',
    'echo x > *.log',
    'cd ~ && echo x > project/y',
  ],
  // Programs that find their configuration in the folders around them.
  ...[
    'tsx ~/x.ts',
    'bun ~/x.ts',
    'deno run ~/x.ts',
    'ts-node ~/x.ts',
    'node ~/x.js',
    'ruby ~/x.rb',
    'perl ~/x.pl',
    'php ~/x.php',
    'uv run ~/x.py',
    'python3 -c 1',
  ],
  ...[
    'npm run lint',
    'npx x',
    'make',
    'just',
    'cargo fmt',
    'go vet',
    'eslint .',
    'prettier --write .',
    'biome check',
    'ruff check',
    'black .',
    'mypy .',
    'tsc',
  ],
  ...[
    'docker compose up',
    'kubectl apply -f x',
    'terraform fmt',
    'gradle check',
    'mvn test',
    'pre-commit run',
    'dotnet format',
    'swiftlint',
    'clang-format x',
  ],
  ...[
    './build/x',
    'build/x',
    './build/run.sh',
    'sh build/run.sh',
    '~/project/build/x',
    'cd build && ./x',
    '(cd "$X" && ./x)',
    'tar cf ~/x .',
    'zip x y',
    'ssh host x',
    'gh pr list',
  ],
  // Not understood, or known only at run time.
  ...[
    '$CMD',
    '"$CMD" x',
    'eval "$X"',
    'sh -c "$X"',
    'if [',
    'x() { npm test; }; x',
    'a=(1 2)',
    '[[ "$X" -gt 1 ]]',
    'printf "$X"',
    'echo `npm test`',
    'echo $(npm test)',
  ],
  ...[
    'date & npm test',
    'date && npm test',
    'cat <(npm test)',
    'timeout 9 npm test',
    'nice npm test',
    'command npm test',
    'sudo date',
    'time make',
    'watch date',
  ],
  ...[
    'echo "#"; npm test',
    'echo \'$HOME" ; "\'; npm test',
    'echo "a" # x\nnpm test',
    'cat <<E\n$(npm test)\nE',
  ],
])('may run workspace code: %s', async (command) => {
  expect(await codeOf(command)).toBe('workspace');
});

test.each([
  ['./check.sh', 'script'],
  ['sh check.sh', 'script'],
  ['"$CLAUDE_PROJECT_DIR"/check.sh', 'script'],
  ['./check.sh && notify-send x', 'script'],
  ['python3 .claude/hooks/guard.py', 'script'],
  ['node .claude/x.js', 'script'],
  // It is protected, and what it starts is unknown.
  ['./obscure.sh', 'script'],
  ['./lint.sh', 'workspace'],
  ['sh lint.sh', 'workspace'],
  ['cat build/x | ./check.sh > ~/y', 'workspace'],
])('a script of the workspace that does not change without approval: %s', async (command, expected) => {
  expect(await codeOf(command)).toBe(expected);
});

const codeOfServer = (command: string, cwd: string, env: Record<string, string> = {}): Promise<CodeRun> =>
  codeOf(command, cwd, engine, env, true);

test('a hook that starts elsewhere may get to know the folder all the same', async () => {
  mkdirSync(join(home, 'servers'), { recursive: true });
  for (const command of [
    'cd ~/servers && node server.js',
    'cd ~/servers && jq -r .cwd | xargs -I{} make -s -C {} lint',
    'cd ~/servers; npx -y ccusage statusline',
    'python3 ~/servers/x.py',
  ])
    expect([command, await codeOf(command)]).toEqual([command, 'workspace']);
  expect(await codeOf('make', join(home, 'servers'))).toBe('workspace');
});

test('a server that is told nothing of the workspace loads only what its arguments name', async () => {
  const apart = join(home, 'servers');
  for (const command of [
    'npx -y some-server',
    'node server.js',
    'python3 ~/servers/x.py',
    '/opt/tools/run',
    'make',
  ])
    expect([command, await codeOfServer(command, apart)]).toEqual([command, 'none']);
  for (const command of [
    ...[
      'node ../project',
      'npx -y server --root=../project',
      `make -C${root}`,
      'node "$X"',
      'bash ~/bin/lint-there ../project',
    ],
    ...[
      'cd ../project && make',
      `node -e 'import("${root}/x.js")'`,
      'NODE_PATH=../project node server.js',
      'bash ~/bin/obscure.sh',
    ],
    '~/bin/runs-script',
  ])
    expect([command, await codeOfServer(command, apart)]).toEqual([command, 'workspace']);
  // The home folder contains the project.
  expect(await codeOfServer('make', home)).toBe('workspace');
});

test('links from modules and programs elsewhere are followed into the workspace', async () => {
  const at = (name: string): string => join(home, 'links', name);
  const [link, file] = [
    (target: string, name: string): void => {
      mkdirSync(dirname(at(name)), { recursive: true });
      symlinkSync(target, at(name));
    },
    (name: string, text: string): void => {
      mkdirSync(dirname(at(name)), { recursive: true });
      writeFileSync(at(name), text);
    },
  ];
  file('plain/node_modules/dep/index.js', '');
  file('plain/server.js', '');
  link(at('plain'), 'plain/node_modules/other');
  file('linked/src/server.js', '');
  link(root, 'linked/node_modules/app');
  link(root, 'scoped/node_modules/@org/app');
  file('beside/server.js', '');
  link(join(root, 'build'), 'beside/lib');
  file('npm/lib/node_modules/tool/cli.js', '');
  link(at('npm/lib/node_modules/tool/cli.js'), 'npm/bin/tool');
  link(root, 'global/lib/node_modules/app');
  file('global/lib/node_modules/tool/cli.js', '');
  link(at('global/lib/node_modules/tool/cli.js'), 'global/bin/tool');
  link(join(root, 'build/x'), 'programs/tool');
  link(join(root, 'build/x'), 'programs/jq');
  file('python/lib/python3.12/site-packages/a.pth', `import x\n${root}/src\n`);
  file('python/bin/tool', '');
  file('editable/lib/python3.12/site-packages/__editable___a_finder.py', `M = {'a': '${root}/a'}`);
  link(root, 'modules/app');
  mkdirSync(at('modules/plain'));
  const apart = at('plain');
  const rows: readonly (readonly [string, string, string, Record<string, string>?])[] = [
    ['none', 'node server.js', apart],
    ['none', `node ${at('plain/server.js')}`, apart],
    ['none', 'tool', apart, { PATH: at('npm/bin') }],
    ['none', 'python3 x.py', apart, { PYTHONPATH: at('modules/plain') }],
    ['workspace', 'node server.js', at('linked/src')],
    ['workspace', `node ${at('linked/src/server.js')}`, apart],
    ['workspace', 'node x.js', at('scoped')],
    ['workspace', `node ${at('beside/server.js')}`, apart],
    ['workspace', `node --enable-source-maps ${at('beside/server.js')}`, apart],
    ['workspace', at('beside/server.js'), apart],
    ['workspace', 'tool', apart, { PATH: at('global/bin') }],
    ['workspace', 'tool', apart, { PATH: at('programs') }],
    ['workspace', 'tool', apart, { PATH: at('python/bin') }],
    ['workspace', 'python3 x.py', apart, { PYTHONPATH: at('modules') }],
    ['workspace', 'x.py', at('editable')],
  ];
  for (const [expected, command, cwd, env] of rows)
    expect([command, env, await codeOfServer(command, cwd, env)]).toEqual([command, env, expected]);
  // A known program, too.
  const linked = new InProcessEngine(wasm, { PATH: `${at('programs')}:${process.env.PATH}` });
  expect(await codeOf('jq .', root, linked)).toBe('workspace');
});

test('a program that the PATH finds in the project is project code', async () => {
  const bin = join(root, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['jq', 'bash', 'notify-send']) writeFileSync(join(bin, name), '');
  const PATH = `${bin}:${process.env.PATH}`;
  const projects = new InProcessEngine(wasm, { PATH });
  for (const command of ['jq .', 'notify-send x', 'bash -c date', 'bash ~/bin/log.sh', '~/bin/notify'])
    expect([command, await codeOf(command, root, projects)]).toEqual([command, 'workspace']);
  expect(await codeOf('cat', root, projects)).toBe('none');
});

test('git counts as project code if the repository’s settings name programs', async () => {
  const inner = join(root, 'inner');
  mkdirSync(inner);
  execFileSync('git', ['init', '--quiet'], { cwd: inner });
  expect(await codeOf('git -C inner status')).toBe('workspace');
  expect(await codeOf('cd inner && git status')).toBe('workspace');
  symlinkSync(inner, join(home, 'inner'));
  for (const command of ['git -C ~/inner status', 'git -C "$HOME"/inner status', 'cd ~/inner && git status'])
    expect([command, await codeOf(command)]).toEqual([command, 'workspace']);
});

test('whatever is added to a command, it counts as harmless only if it is fully understood', async () => {
  const words = [
    'date',
    'npm',
    '"$X"',
    '$X',
    ';',
    '|',
    '&&',
    '>',
    '~/x',
    'x',
    '(',
    ')',
    '`',
    "'",
    '"',
    '#',
    '\n',
    'PATH=.',
    '&',
    '<<E',
  ];
  await fc.assert(
    fc.asyncProperty(fc.array(fc.constantFrom(...words), { maxLength: 8 }), async (chosen) => {
      const command = chosen.join(' ');
      if ((await codeOf(command)) !== 'none') return;
      // As a word that is run, it would not be undefined.
      expect(/(?:^|[;|&\n(]\s*)npm\b/.test(command.replace(/#[^\n]*|"[^"]*"|'[^']*'/g, ''))).toBe(false);
    }),
    { numRuns: 150 },
  );
});
