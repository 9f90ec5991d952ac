// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a shell.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { executedFiles, filesOf } from '../../../src/cli/permissions/executedFiles.ts';
import type { ProgramText } from '../../../src/protocol/settingsPrograms.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const contents: Readonly<Record<string, string>> = {
  'scripts/check.sh': 'echo checked\n',
  'scripts/my check.sh': '',
  'scripts/deep/run.sh': '',
  'scripts/x.js': '',
  'scripts/lint.py': '',
  'scripts/outer.sh': `#!/bin/bash
set -euo pipefail
DIR="$(cd "$(dirname "\${BASH_SOURCE[0]}")" && pwd)"
source "$DIR/lib.sh"
cat package.json | jq .version
`,
  'scripts/lib.sh': 'python3 "$(git rev-parse --show-toplevel)/scripts/lint.py"\n',
  'tools/server.mjs': '',
  'tools/server.js': '',
  'tools/index.js': '',
  'my server/index.js': '',
  'pkg/__main__.py': '',
  'pkg/part.py': '',
  '.claude/hooks/format.sh': '',
  '.claude/hooks/guard.py': '',
  'src/a.ts': '',
  'src/b.ts': '',
  'src/deep/c.ts': '',
  'docs/notes.md': '',
  'package.json': '{}',
  Makefile: '',
  'eslint.config.js': '',
};

const home = temporaryFolderOfFile();
// A space in the project's path must not matter.
const root = join(home, 'my project');

beforeAll(() => {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
});

const filesRun = (program: ProgramText) => {
  const { files } = filesOf(program, { root, home });
  return files.map((path) => path.slice(root.length + 1)).sort();
};
const check = 'scripts/check.sh';

describe('the script is found however the command names it', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    // As published for Claude Code.
    ['$CLAUDE_PROJECT_DIR/scripts/check.sh', check],
    ['"$CLAUDE_PROJECT_DIR"/scripts/check.sh', check],
    ['"$CLAUDE_PROJECT_DIR/scripts/check.sh"', check],
    ['"${CLAUDE_PROJECT_DIR}/scripts/check.sh"', check],
    ['bash "${CLAUDE_PROJECT_DIR:-.}/scripts/check.sh"', check],
    ['bash "${CLAUDE_PROJECT_DIR:-$(pwd)}/scripts/check.sh"', check],
    ['cd "$CLAUDE_PROJECT_DIR" && ./scripts/check.sh', check],
    ['cd "${CLAUDE_PROJECT_DIR:-.}" && bash scripts/check.sh', check],
    ['bash "$(git rev-parse --show-toplevel)/scripts/check.sh"', check],
    ['bash "$(git rev-parse --show-toplevel 2>/dev/null || pwd)/scripts/check.sh"', check],
    ['bash "$(pwd)/scripts/check.sh"', check],
    ['bash `pwd`/scripts/check.sh', check],
    ['bash "$PWD/scripts/check.sh"', check],
    ['test -f scripts/check.sh && bash scripts/check.sh || true', check],
    ['if [ -x scripts/check.sh ]; then scripts/check.sh; fi', check],
    ['timeout 10 bash scripts/check.sh', check],
    ['bash -c "cd scripts && ./check.sh"', check],
    // Quotes and spaces.
    ['bash scripts/che""ck.sh', check],
    ["bash 'scripts'/check.sh", check],
    ["bash $'scripts/\\x63heck.sh'", check],
    ['bash "scripts/my check.sh"', 'scripts/my check.sh'],
    ['bash scripts/my\\ check.sh', 'scripts/my check.sh'],
    ['sh -c \'bash "scripts/my check.sh"\'', 'scripts/my check.sh'],
    // Variables.
    ['D=scripts; bash $D/check.sh', check],
    ['D=scripts bash -c \'"$D/check.sh"\'', check],
    ['export D=scripts && bash "${D}/check.sh"', check],
    ['bash "${D:-scripts}/check.sh"', check],
    [': "${D:=scripts}"; bash "$D/check.sh"', check],
    ['X="bash scripts/check.sh"; $X', check],
    ['X=(bash scripts/check.sh); "${X[@]}"', check],
    ['set -- scripts/check.sh; bash "$1"', check],
    ['run() { bash "$1"; }; run scripts/check.sh', check],
    ['bash "$UNKNOWN/scripts/check.sh"', check],
    ['bash "${PWD%/}/scripts/check.sh"', check],
    ['cd "$UNKNOWN" && bash scripts/check.sh', check],
    // Patterns, braces, loops.
    ['bash scripts/chec*', check],
    ['bash scripts/c?eck.sh', check],
    ['bash scripts/[c]heck.sh', check],
    ['bash scripts/@(check|other).sh', check],
    ['bash scripts/{check,}.sh', check],
    ['bash ./{scripts,other}/check.sh', check],
    ['for f in scripts/c*.sh; do bash "$f"; done', check],
    ['for n in check; do bash scripts/$n.sh; done', check],
    ['case x in x) bash scripts/chec*;; esac', check],
    // Programs that run others.
    ['env D=1 bash scripts/chec*', check],
    ['nohup sh scripts/chec* &', check],
    ['ls | xargs -I{} bash scripts/c{}eck.sh', check],
    ['find . -type f -exec bash scripts/check.sh {} \\;', check],
    ['trap "bash scripts/chec*" EXIT', check],
    ['. ./scripts/chec*', check],
    ['bash < scripts/check.sh', check],
    ['bash <<E\nbash scripts/chec*\nE', check],
    ['tee >(bash scripts/chec*) </dev/null', check],
    // Interpreters.
    ['node -e "require(\'./scripts/x\')"', 'scripts/x.js'],
    ['node -r ./scripts/x -e "1"', 'scripts/x.js'],
    ['NODE_OPTIONS="--require ./scripts/x.js" prettier .', 'scripts/x.js'],
    ['npx tsx scripts/x*', 'scripts/x.js'],
    ['node "$UNKNOWN/scripts/x"', 'scripts/x.js'],
    ['python3 pkg', 'pkg/__main__.py'],
    ['uv run --quiet python scripts/lin*', 'scripts/lint.py'],
    ['python3 -c "import pkg.part"', 'pkg/part.py'],
    ['PYTHONPATH=scripts python3 -m lint', 'scripts/lint.py'],
    ['python3 -c "import sys, os as system, pkg.part; from json import loads"', 'pkg/part.py'],
    ['python3 -m pkg.part', 'pkg.py'],
    ['awk -f scripts/lin*', 'scripts/lint.py'],
  ];
  test.each(rows)('%s', (command, ...names) => {
    const found = filesRun({ command });
    expect(found).toEqual(expect.arrayContaining(names));
  });
});

describe('a definition’s arguments are read as a list, with its folder and variables', () => {
  const rows: readonly (readonly [ProgramText, string])[] = [
    [{ command: 'node', args: ['server.mjs'], cwd: 'tools' }, 'tools/server.mjs'],
    [{ command: 'node', args: ['.'], cwd: 'tools' }, 'tools/index.js'],
    [{ command: 'node', args: ['index.js'], cwd: 'my server' }, 'my server/index.js'],
    [{ command: 'node', args: ['my server/index.js'] }, 'my server/index.js'],
    [{ command: './my server/index.js', args: [] }, 'my server/index.js'],
    [{ command: 'node', args: ['${ROOT:-.}/tools/server.js'] }, 'tools/server.js'],
    [{ command: 'node', args: ['${ROOT}/tools/server.js'] }, 'tools/server.js'],
    [{ command: 'node', args: ['server.js'], cwd: '${ROOT:-tools}' }, 'tools/server.js'],
    [{ command: 'x', args: [], env: { NODE_OPTIONS: '--require ./scripts/x.js' } }, 'scripts/x.js'],
    [{ command: 'x', args: [], env: { NODE_OPTIONS: '--import=${R:-.}/scripts/x.js' } }, 'scripts/x.js'],
    [{ command: 'python3', args: ['-m', 'part'], env: { PYTHONPATH: 'pkg' } }, 'pkg/part.py'],
    [{ command: 'sh', args: ['-c', 'cd tools && node server.m*'] }, 'tools/server.mjs'],
    [{ command: 'uv', args: ['--directory', 'scripts', 'run', 'lint.py'] }, 'scripts/lint.py'],
    [{ command: 'env', args: ['A=b', 'node', '${CLAUDE_PROJECT_DIR}/tools/server.js'] }, 'tools/server.js'],
  ];
  test.each(rows)('%j', (program, name) => {
    const found = filesRun(program);
    expect(found).toContain(name);
  });
});

test('files that a project’s shell script runs or reads count', () => {
  expect(filesRun({ command: 'scripts/outer.sh' })).toEqual([
    'scripts/lib.sh',
    'scripts/lint.py',
    'scripts/outer.sh',
  ]);
});

describe('scripts in folders, and scripts that are named to be copied or fed to a shell', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['find scripts -name "*.sh" -exec bash {} \\;', 'scripts/deep/run.sh', check],
    ['ls scripts | xargs -n1 bash', 'scripts/deep/run.sh', check],
    ['run-parts scripts', 'scripts/deep/run.sh', check],
    ['fd . scripts --exec-batch bash', check],
    ['parallel sh ::: scripts/*', check],
    ['watchexec -w scripts sh scripts/check.sh', check],
    ['git -c core.hooksPath=scripts commit', check],
    ['cp -r scripts /tmp/x; sh /tmp/x/check.sh', check],
    ['cat scripts/check.sh | bash', check],
    ['bash <(cat scripts/check.sh)', check],
    ['bash /dev/stdin < scripts/check.sh', check],
    ['exec 3< scripts/check.sh; sh <&3', check],
    ["awk '{ system($0) }' scripts/check.sh", check],
    ["python3 -c \"import subprocess; subprocess.run(['sh', 'scripts/check.sh'])\"", check],
    ['eval "bash scripts/check.sh"', check],
    ['IFS=,; x=sh,scripts/check.sh; $x', check],
    ['for n in $(cat names); do sh "scripts/$n.sh"; done', check],
    ['python3 "scripts/$1.py"', 'scripts/lint.py'],
  ];
  test.each(rows)('%s', (command, ...names) => {
    expect(filesRun({ command })).toEqual(expect.arrayContaining(names));
  });
});

test.each([
  'bash "$UNKNOWN"',
  'bash "$UNKNOWN/check.sh"',
  'a=chec; bash "$DIR/${a}k.sh"',
  'sh "$(cat docs/notes.md)"',
])('a name that the command does not contain is not covered: %s', (command) => {
  expect(filesRun({ command })).toEqual([]);
});

describe('common hooks cover only their own script', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['jq -r .tool_input.file_path | xargs npx prettier --write'],
    ['npx prettier --write "$(jq -r .tool_input.file_path)"'],
    [
      'jq -r \'.tool_input.file_path\' | { read f; if echo "$f" | grep -q \'\\.ts$\'; then npx prettier --write "$f"; fi; }',
    ],
    [
      'FILE=$(jq -r \'.tool_input.file_path // empty\'); [[ "$FILE" == *.py ]] && ruff check --fix "$FILE" || true',
    ],
    ['jq -r .tool_input.file_path | xargs -I{} npx eslint --fix {}'],
    ['f=$(jq -r .tool_input.file_path); case "$f" in *.go) gofmt -w "$f";; *.rs) rustfmt "$f";; esac'],
    ['npx eslint --fix src'],
    ['npx prettier --check "src/**/*.ts"'],
    ['npm run lint --silent'],
    ['npx tsc --noEmit 2>&1 | head -20'],
    ['notify-send "Claude" "Waiting for input"'],
    ['say "done"'],
    ['osascript -e \'display notification "Done" with title "Claude"\''],
    ['afplay /System/Library/Sounds/Glass.aiff'],
    ["printf '\\a' > /dev/tty"],
    ['git diff --stat'],
    ['git add -A && git diff --cached --quiet || git commit -m "wip" --no-verify'],
    ['echo "branch: $(git branch --show-current)"'],
    [
      'jq -r \'"\\(.tool_input.command) - \\(.tool_input.description // "none")"\' >> ~/.claude/bash-command-log.txt',
    ],
    ['jq -c . >> ~/log'],
    ['echo "$(date): $(jq -r .tool_name)" >> "$HOME/log"'],
    ['python3 ~/.claude/hooks/audit.py'],
    ['uv run ~/.claude/hooks/pre_tool_use.py'],
    ['bash "$HOME/bin/check.sh" "$(jq -r .cwd)"'],
    [
      "python3 -c \"import json, sys; d=json.load(sys.stdin); p=d.get('tool_input',{}).get('file_path',''); sys.exit(2 if any(x in p for x in ['.env', '.git/']) else 0)\"",
    ],
    ['curl -s -d "done" https://ntfy.sh/topic'],
    ['cargo fmt --all'],
    ['make -s lint'],
    ['"$CLAUDE_PROJECT_DIR"/.claude/hooks/format.sh', '.claude/hooks/format.sh'],
    ['python3 "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.py" --strict "$(date)"', '.claude/hooks/guard.py'],
    ['uv run --quiet "$CLAUDE_PROJECT_DIR/.claude/hooks/guard.py"', '.claude/hooks/guard.py'],
    [
      'jq . | "${CLAUDE_PROJECT_DIR:-.}/.claude/hooks/format.sh" >> .claude/log.txt',
      '.claude/hooks/format.sh',
    ],
    ['for f in src/*.ts; do npx prettier --check "$f"; done'],
    ['rm -f tmp/*'],
    ['while IFS= read -r line; do echo "$line"; done'],
  ];
  test.each(rows)('%s', (command, ...names) => {
    expect(filesRun({ command })).toEqual(names);
  });
});

describe('a name counts wherever it stands', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['get() { echo scripts/check.sh; }; bash "$(get)"', check],
    ['{ echo scripts/check.sh; } | xargs bash', check],
    ['for i in 1; do echo scripts/check.sh; done | bash', check],
    ['test -x scripts/check.sh && "$_"', check],
    ['read x < <(echo scripts/check.sh); bash $x', check],
    ['for s in {scripts/deep/run,scripts/check}.sh; do bash $s; done', check, 'scripts/deep/run.sh'],
    ['bash -o pipefail scripts/check.sh', check],
    ['timeout -s KILL 5 scripts/check.sh', check],
    ['cat <<E\n# Report of $(scripts/check.sh)\nE', check],
    ["cat <<E\nDon't panic\nE\nsed 's/ #.*//' list | while read -r f; do scripts/check.sh; done", check],
    [`bash ${'./'.repeat(600)}scripts/check.sh`, check],
    ['python3 -m "scripts.lint"', 'scripts/lint.py'],
    ['PY=python3; $PY -m scripts.lint', 'scripts/lint.py'],
    ['node --require=./scripts/x a.js', 'scripts/x.js'],
    ['node -r./scripts/x a.js', 'scripts/x.js'],
    ['S=scripts/x; node "$S"', 'scripts/x.js'],
  ];
  test.each(rows)('%s', (command, ...names) => {
    expect(filesRun({ command })).toEqual(expect.arrayContaining(names));
  });

  test.each([
    ['nested/first', '#!scripts/check.sh\n'],
    ['nested/second', '#!/usr/bin/env -S bash scripts/check.sh\n'],
    ['nested/third.sh', '#!/bin/ash\nsh scripts/check.sh\n'],
    ['nested/common.inc', '. scripts/check.sh\n'],
    ['nested/nul.sh', '#!/bin/sh\n: \0\n. scripts/check.sh\n'],
    ['nested/last.sh', `${'# filler\n'.repeat(3000)}sh scripts/check.sh`],
  ])('in %s', (name, text) => {
    mkdirSync(join(root, 'nested'), { recursive: true });
    writeFileSync(join(root, name), text);
    expect(filesRun({ command: `L=${name}; . ./$L` })).toEqual(expect.arrayContaining([name, check]));
  });
});

describe('a program that names more than can be looked at says so', () => {
  const isCut = (command: string): boolean => filesOf({ command }, { root, home }).isCut;
  const script = (name: string, text: string): string => {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
    return `bash ${name}`;
  };
  test('scripts without end', () => {
    for (let at = 0; at < 200; at++) script(`many/${at}.sh`, `sh many/${at + 1}.sh`);
    expect(isCut('sh many/0.sh')).toBe(true);
    expect(isCut('sh many/150.sh')).toBe(false);
  });
  test('a long script, many words, deep quotes and many folders', () => {
    expect(isCut(script('cut/long.sh', `${'#\n'.repeat(150_000)}sh scripts/check.sh`))).toBe(true);
    const words = Array.from({ length: 6000 }, (_, at) => `w${at}`).join(' ');
    expect(isCut(script('cut/words.sh', `cat <<E\n${words}\nE`))).toBe(true);
    expect(isCut(script('cut/deep.sh', '"$('.repeat(50)))).toBe(true);
    const folders = Array.from({ length: 120 }, (_, at) => `cut/d${at}`);
    for (const folder of folders) mkdirSync(join(root, folder));
    expect(isCut(folders.map((folder) => `cd ${folder}`).join('; '))).toBe(true);
    expect(isCut(script('cut/short.sh', 'sh scripts/check.sh'))).toBe(false);
  });
});

describe('ordinary scripts run nothing but what is known', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    [
      'file=$(jq -r .tool_input.file_path)\ncase "$file" in\n  *.ts|*.js) npx prettier --write "$file" ;;\nesac',
    ],
    ['if [[ "$CMD" =~ ^(rm|sudo)\\ ]] || [[ -n "$A" && "$B" == x ]]; then\n  exit 2\nfi'],
    [
      'n=$(( $(wc -l < .log) + $count ))\nif (( n > $max )); then tail -n 5 .log; fi\nfor (( i=0; i<$n; i++ )); do :; done',
    ],
    ['command -v "$TOOL" >/dev/null || exit 0\ntimeout "${T:-60}" npm test'],
    ['git ls-files -z "*.sh" | xargs -0 shellcheck\nfind src -name "*.py" -exec black --check {} +'],
    ['args=(--write)\nargs+=("$1")\nnpx prettier "${args[@]}"'],
    ['changed="$(git diff --name-only)"\nwhile read -r f; do npx eslint "$f"; done <<< "$changed"'],
    ['log() { printf "%s\\n" "$*" >&2; }\nlog "$(date)"; trap "rm -rf $tmp" EXIT'],
    ["awk '/foo|bar/ { print $1 }' package.json | sort\ndocker compose exec -T app vendor/bin/phpcs"],
    ['. "$NVM_DIR/nvm.sh"\nexec npm run lint -- "$@"'],
    ['exec "$@"'],
    ['node scripts/x.js "$1"', 'scripts/x.js'],
    // The folder could also be the project's.
    ['for f in "$(dirname "$0")"/*.js; do node "$f"; done', 'eslint.config.js', 'scripts/x.js'],
  ];
  test.each(rows)('%s', (text, ...names) => {
    writeFileSync(join(root, 'scripts/ordinary.sh'), text);
    const found = filesRun({ command: 'bash scripts/ordinary.sh npm test' });
    expect(found).toEqual(['scripts/ordinary.sh', ...names].sort());
  });
});

describe('a script and the code of an inner shell are judged like the command itself', () => {
  const dep = 'scripts/dep.sh';
  const known: readonly (readonly [string, ...string[]])[] = [
    // Files that are copied, linked, on the path or fed to another program.
    ['cat scripts/dep.sh > /tmp/e; sh /tmp/e', dep],
    ['cp scripts/dep.sh /tmp/e; /tmp/e', dep],
    ['ln -sf "$PWD/scripts/dep.sh" /tmp/e; /tmp/e', dep],
    ['export PATH="$PWD/scripts:$PATH"; dep.sh', dep],
    ['sqlite3 db < scripts/dep.sh', dep],
    ['tar -I scripts/dep.sh -cf a.tar src', dep],
    ['rg --pre scripts/dep.sh x', dep],
    ['git -c core.fsmonitor=scripts/dep.sh status', dep],
    ["git -c alias.x='!sh scripts/dep.sh' x", dep],
    ['GIT_EXTERNAL_DIFF=scripts/dep.sh git diff', dep],
    ['EDITOR=scripts/dep.sh git commit', dep],
    ['git rebase -x scripts/dep.sh main', dep],
    ['LD_PRELOAD=$PWD/scripts/x.js ls', 'scripts/x.js'],
    ['make -fscripts/dep.sh', dep],
    ['sed -fscripts/dep.sh package.json', dep],
    // Modules of interpreters.
    ['python3 -m pkg.part', 'pkg/part.py'],
    ['cd scripts; python3 -m lint', 'scripts/lint.py'],
    ["PYTHONPATH=scripts python3 -c 'import lint'", 'scripts/lint.py'],
    ['node -e \'require("./scripts/x")\'', 'scripts/x.js'],
    ['node --require ./scripts/x', 'scripts/x.js'],
    ["NODE_OPTIONS='--require ./scripts/x.js' npx prettier .", 'scripts/x.js'],
    ['perl -e \'do "./scripts/dep.sh"\'', dep],
    ['uv run scripts/lint.py', 'scripts/lint.py'],
    // The parameters of an inner shell are the words after its code.
    ['bash -c \'"$@"\' _ "$(dirname "$0")/dep.sh"', dep],
    ['bash -c \'"$0"\' scripts/dep.sh', dep],
    ["bash -c 'sh $1' _ scripts/dep.sh", dep],
    ["bash -c 'sh $2' $EMPTY a scripts/dep.sh", dep],
    ["bash -s scripts/dep.sh <<'E'\nsh $1\nE", dep],
    // Subscripts.
    ['a[$(scripts/dep.sh)]=1', dep],
    [': "${a[$(scripts/dep.sh)]}"', dep],
    ['a=([$(scripts/dep.sh)]=1)', dep],
    ['ls [$(scripts/dep.sh)]', dep],
  ];
  const write = (text: string): void => {
    writeFileSync(join(root, dep), '');
    writeFileSync(join(root, 'scripts/outside.sh'), text);
  };
  test.each(known)('covered: %s', (text, ...names) => {
    write(text);
    for (const command of ['sh scripts/outside.sh', text.replace('$0', 'scripts/outside.sh')])
      expect(filesRun({ command })).toEqual(expect.arrayContaining(names));
  });

  test('a script that only tests and prints covers what it names, without data', () => {
    write(`#!/bin/bash
INPUT=$(cat)
FILE=$(echo "$INPUT" | jq -r '.tool_input.file_path // empty')
PROTECTED=("package.json" "Makefile" ".git/")
for one in "\${PROTECTED[@]}"; do
  if [[ "$FILE" == *"$one"* ]]; then
    echo "Blocked: see docs/notes.md" >&2
    exit 2
  fi
done
[ -f src/a.ts ] && cat docs/notes.md
`);
    // What a message, a list or a test names may run.
    expect(filesRun({ command: '"$CLAUDE_PROJECT_DIR"/scripts/outside.sh' })).toEqual([
      'Makefile',
      'scripts/outside.sh',
      'src/a.ts',
    ]);
  });
});

test('a name of very many unknown parts is read in time, and many long scripts are cut off', () => {
  const script = (name: string, text: string): string => {
    mkdirSync(join(root, 'stars'), { recursive: true });
    writeFileSync(join(root, 'stars', name), text);
    return `sh stars/${name}`;
  };
  const one = script('one.sh', `echo ${'*'.repeat(190_000)}\nsh scripts/check.sh`);
  const found = filesOf({ command: one }, { root, home });
  expect(found.isCut).toBe(false);
  expect(found.files).toContain(join(root, 'scripts/check.sh'));
  const all = [...Array(9).keys()].map((at) => script(`${at}.sh`, `${'x '.repeat(90_000)}`));
  expect(filesOf({ command: all.join('; ') }, { root, home }).isCut).toBe(true);
});

test('a script gets its arguments, and starts where its caller has changed to', () => {
  mkdirSync(join(root, 'inner'), { recursive: true });
  writeFileSync(join(root, 'with.sh'), 'cd inner\n"$@"');
  writeFileSync(join(root, 'inner/a.sh'), 'sh b.sh');
  writeFileSync(join(root, 'inner/b.sh'), '');
  const names = filesRun({ command: 'sh with.sh ./a.sh' });
  expect(names).toEqual(expect.arrayContaining(['inner/a.sh', 'inner/b.sh', 'with.sh']));
});

test('modules that Python takes from the current folder instead of its own', () => {
  for (const name of ['_json.py', 'enum.py', 'own.py', 'pkg/__init__.py'])
    writeFileSync(join(root, name), '');
  const names = (command: string) => filesRun({ command });
  expect(names('python3 -c "import sys, json; json.load(sys.stdin)"')).toEqual(['_json.py', 'enum.py']);
  expect(names('python3 -m json.tool')).toEqual(expect.arrayContaining(['_json.py', 'enum.py']));
  writeFileSync(join(root, 'scripts/outside.sh'), "#!/bin/sh\npython3 -c 'import json'\n");
  expect(names('scripts/outside.sh')).toEqual(['_json.py', 'enum.py', 'scripts/outside.sh']);
  expect(names('python3 -c "from pkg import part"')).toContain('pkg/part.py');
  expect(names('python3 -c "__import__(\'own\')"')).toContain('own.py');
  expect(names('npx prettier --check .')).toEqual([]);
});

test('the files of several programs are listed once', () => {
  const program = { command: 'bash scripts/check.sh' };
  expect(executedFiles([program, program], { root, home })).toEqual([join(root, 'scripts/check.sh')]);
});
