// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a shell.
/** Hooks as people write them run outside the sandbox, and their approval covers their scripts only. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { filesOf } from '../../../src/cli/permissions/executedFiles.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const home = temporaryFolderOfFile();
const root = join(home, 'project');

const contents: Readonly<Record<string, string>> = {
  'package.json': '{"scripts":{"lint":"eslint ."}}',
  Makefile: 'fmt:\n\tprettier --write .\n',
  '.prettierrc': '{}',
  '.env': 'TOKEN=x\n',
  '.env.example': 'TOKEN=\n',
  '.nvmrc': '22\n',
  'README.md': '# Project\nRun `./scripts/setup.sh $(pwd)`.\n',
  'docs/notes.md': 'See `$X` and run it.\n',
  'src/a.ts': 'export const a = `${1}`;\n',
  'scripts/x.js': 'console.log(`${1}`);\n',
  'scripts/lint.py': 'import sys\n',
  'scripts/lib.sh': 'log() { printf "%s\\n" "$*" >&2; }\nroot="$(git rev-parse --show-toplevel)"\n',
  'scripts/check.sh': '#!/bin/sh\nset -e\nnpm run -s lint\nnpm test\n',
  '.husky/_/husky.sh': `#!/usr/bin/env sh
if [ -z "$husky_skip_init" ]; then
  debug () {
    if [ "$HUSKY_DEBUG" = "1" ]; then
      echo "husky (debug) - $1"
    fi
  }
  readonly hook_name="$(basename -- "$0")"
  debug "starting $hook_name..."
  if [ "$HUSKY" = "0" ]; then
    debug "HUSKY env variable is set to 0, skipping hook"
    exit 0
  fi
  readonly husky_skip_init=1
  export husky_skip_init
  sh -e "$0" "$@"
  exitCode="$?"
  if [ $exitCode != 0 ]; then
    echo "husky - $hook_name hook exited with code $exitCode (error)"
  fi
  exit $exitCode
fi
`,
  '.husky/pre-commit': '#!/usr/bin/env sh\n. "$(dirname -- "$0")/_/husky.sh"\n\nnpx lint-staged\n',
};

beforeAll(() => {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
});

const judge = (command: string) => {
  const { files } = filesOf({ command }, { root, home });
  return files.map((path) => path.slice(root.length + 1)).sort();
};

/** The content of a hook's script, and the other files that the approval covers. */
const scripts: readonly (readonly [string, ...string[]])[] = [
  ['#!/bin/bash\nFILE=$(jq -r .tool_input.file_path)\nnpx prettier --write "$FILE"'],
  [
    'file=$(jq -r ".tool_input.file_path // empty")\n[ -z "$file" ] && exit 0\ncase "$file" in\n  *.ts|*.tsx) npx eslint --fix "$file" ;;\n  *.py) ruff format "$file" ;;\n  *.go) gofmt -w "$file" ;;\nesac',
  ],
  ['exec node "$(dirname "$0")/x.js" "$@"', 'scripts/x.js'],
  ['cd "$(dirname "$0")/.." && npm run -s lint'],
  ['set -euo pipefail\ncd "$CLAUDE_PROJECT_DIR"\nexec node scripts/x.js', 'scripts/x.js'],
  ['git diff --name-only --diff-filter=ACM | grep "\\.ts$" | xargs npx prettier --check'],
  ['date >> .claude/hook.log\njq -c . >> "$CLAUDE_PROJECT_DIR/.claude/hook.jsonl"'],
  ['input=$(cat)\necho "$(date -Iseconds) $(echo "$input" | jq -r .tool_name)" >> "$HOME/.hooks.log"'],
  [
    'input=$(cat)\ncmd=$(jq -r .tool_input.command <<< "$input")\nif [[ "$cmd" =~ rm\\ -rf ]] || grep -qE "sudo|mkfs" <<< "$cmd"; then\n  echo "Blocked: $cmd" >&2\n  exit 2\nfi\nexit 0',
  ],
  [
    'INPUT=$(cat)\nFILE=$(echo "$INPUT" | jq -r .tool_input.file_path)\nfor p in .env package-lock.json .git/; do\n  if [[ "$FILE" == *"$p"* ]]; then echo "protected: $p" >&2; exit 2; fi\ndone',
  ],
  ['. "$(dirname "$0")/lib.sh"\nlog "checking"\ncd "$root" && npm test --silent', 'scripts/lib.sh'],
  [
    'SCRIPT_DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"\nsource "$SCRIPT_DIR/lib.sh"\npython3 "$SCRIPT_DIR/lint.py" --all',
    'scripts/lib.sh',
    'scripts/lint.py',
  ],
  ['tmp=$(mktemp)\ntrap \'rm -f "$tmp"\' EXIT\njq . > "$tmp"\nnpx tsc --noEmit 2>&1 | tee "$tmp" | head -20'],
  ['[ -f .env ] && export $(grep -v "^#" .env | xargs)\nnpm run build'],
  ['set -a\n[ -f .env ] && . ./.env\nset +a\nnpm test', '.env'],
  ['if command -v notify-send >/dev/null 2>&1; then notify-send "Claude" "$1"; else osascript -e "beep"; fi'],
  ['branch=$(git branch --show-current)\nif [ "$branch" = main ]; then echo "not on main" >&2; exit 2; fi'],
  [
    'model=$(jq -r .model.display_name)\ndir=$(jq -r .workspace.current_dir)\nprintf "\\033[32m%s\\033[0m %s" "$model" "${dir##*/}"',
  ],
  [
    'input=$(cat)\nIFS=$\'\\n\' read -r -d "" name cost < <(echo "$input" | jq -r ".model.id, .cost.total_cost_usd")\necho "$name $cost"',
  ],
  [
    'while IFS= read -r file; do\n  [ -f "$file" ] && npx prettier --write "$file"\ndone < <(git diff --name-only)',
  ],
  ['files=$(git diff --cached --name-only)\nfor f in $files; do\n  npx eslint "$f" || exit 2\ndone'],
  ['mapfile -t files < <(git ls-files "*.sh")\nshellcheck "${files[@]}"'],
  [
    'curl -s -X POST -H "Content-Type: application/json" -d "{\\"text\\":\\"done\\"}" "$SLACK_URL" >/dev/null',
  ],
  [
    'export NVM_DIR="$HOME/.nvm"\n[ -s "$NVM_DIR/nvm.sh" ] && . "$NVM_DIR/nvm.sh"\nnvm use >/dev/null\nnpm run lint',
  ],
  ['export PATH="$HOME/.local/bin:/usr/local/bin:$PATH"\nuv run ruff check --fix .'],
  ['export PATH="$PWD/node_modules/.bin:$PATH"\neslint --fix src'],
  ['export FOO="${FOO:-bar}"\nmake -s fmt && git diff --exit-code --stat'],
  ['if ! out=$(npx tsc --noEmit 2>&1); then\n  echo "$out" | head -50 >&2\n  exit 2\nfi'],
  [
    'case "$1" in\n  start) npm run dev & ;;\n  stop) pkill vite || true ;;\n  *) echo "usage: $0 start|stop"; exit 1 ;;\nesac',
  ],
  [
    'run() {\n  echo "> $*"\n  "$@" || failed=1\n}\nrun npm run lint\nrun npx tsc --noEmit\nexit "${failed:-0}"',
  ],
  ['cp -n .env.example .env 2>/dev/null\nnpm ci'],
  ['cp "$(jq -r .tool_input.file_path)" "$HOME/backup/" 2>/dev/null || true'],
  ['python3 - <<\'PY\'\nimport json, sys\nprint(json.dumps({"decision": "allow"}))\nPY'],
  ['python3 -c "import json,sys; print(json.load(sys.stdin)[\'tool_name\'])"'],
  ['node -e \'const d=JSON.parse(require("fs").readFileSync(0));process.exit(d.x?2:0)\''],
  [
    'cat <<EOF\n{"hookSpecificOutput":{"additionalContext":"$(git log --oneline -5 | tr \'\\n\' \' \')"}}\nEOF',
  ],
  ['timeout 60 npm test -- --run 2>&1 | tail -n 30\nexit "${PIPESTATUS[0]}"'],
  ['docker compose exec -T web bin/rubocop "$(jq -r .tool_input.file_path)"'],
  ['sed -i "s/[ \\t]*$//" "$(jq -r .tool_input.file_path)"\nawk \'NF { print $1 }\' package.json | sort -u'],
  ['find src -name "*.ts" -newer .nvmrc -exec npx prettier --check {} +', '.nvmrc'],
  ['n=0\nwhile [ $n -lt 3 ]; do npm run -s ping && break; n=$((n + 1)); sleep 1; done'],
  ['bash scripts/check.sh || { echo "check failed" >&2; exit 2; }', 'scripts/check.sh'],
  ['tar czf "$HOME/backup/src.tgz" --exclude node_modules .'],
];

test.each(scripts)('a script: %s', (text, ...names) => {
  writeFileSync(join(root, 'scripts/hook.sh'), text);
  expect(judge('"$CLAUDE_PROJECT_DIR"/scripts/hook.sh')).toEqual([...names, 'scripts/hook.sh'].sort());
});

test('a script of husky', () => {
  expect(judge('.husky/pre-commit')).toEqual(['.husky/_/husky.sh', '.husky/pre-commit']);
});
