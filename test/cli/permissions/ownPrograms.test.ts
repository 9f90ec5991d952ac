// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of shell scripts.
/** Where the user's own hooks, status line and notifications run in a folder that they have not trusted. */
import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { codeOfOwnProgram } from '../../../src/cli/permissions/programCode.ts';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import type { PolicyFacts } from '../../../src/permissions/policy.ts';
import { userProgramEnvironment } from '../../../src/tools/shell/childEnvironment.ts';
import { grammarFolder } from '../../permissions/grammarFolder.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const engine = new InProcessEngine(grammarFolder(temporaryFolderOfFile()), {});
const home = temporaryFolderOfFile();
const root = join(home, 'work/project');

const input = 'input=$(cat)\n';
const files: Readonly<Record<string, string>> = {
  '.claude/model.sh': `#!/bin/bash\n${input}echo "[$(echo "$input" | jq -r .model.display_name)]"\n`,
  '.claude/branch.sh': `#!/bin/bash\n${input}DIR=$(echo "$input" | jq -r .workspace.current_dir)\nif git rev-parse --git-dir > /dev/null 2>&1; then BRANCH=$(git -C "$DIR" branch --show-current); fi\necho "\${DIR##*/} $BRANCH"\n`,
  '.claude/there.sh': `#!/bin/bash\n${input}cd "$(echo "$input" | jq -r .cwd)" || exit\ngit diff --shortstat; git log -1 --format=%h\n`,
  '.claude/functions.sh': `#!/bin/bash\n${input}black() { printf '\\033[30m%s' "$1"; }\nmodel() { echo "$input" | jq -r .model.id; }\nparts=("$(black a)" "$(model)")\necho "\${parts[@]}"\n`,
  '.claude/log.sh': '#!/bin/sh\nLOG="$HOME/.claude/log.jsonl"\nmkdir -p "$(dirname "$LOG")"\ncat >> "$LOG"\n',
  '.claude/guard.sh': `#!/bin/bash\nif jq -r .tool_input.command | grep -qE 'rm -rf|npm publish'; then echo "No npx prettier here" >&2; exit 2; fi\n[ -f package.json ] && echo make\n`,
  '.claude/desktop.sh':
    '#!/bin/sh\nosascript -e "display notification \\"$1\\""\ntmux display-message "$1"\n',
  '.claude/helper.sh': '#!/bin/bash\nhere="$(cd "$(dirname "$0")" && pwd)"\npython3 "$here/check.py" "$@"\n',
  '.claude/check.py': '#!/usr/bin/env python3\nimport json\n',
  '.claude/check.js': '',
  '.claude/check.ts': '',
  '.clawdcode/hooks/check.sh': '#!/bin/sh\njq -r .tool_name\n',
  'scripts/check.sh': '#!/bin/sh\njq -r .tool_name\n',
  '.claude/format.sh': `#!/bin/bash\nfile=$(jq -r .tool_input.file_path)\ncase "$file" in *.ts) npx prettier --write "$file" ;; *.py) black "$file" ;; esac\n`,
  '.claude/arrays.sh':
    '#!/bin/bash\nfiles=("$@")\nprintf "%s\\n" "${files[@]}" | xargs -n 1 timeout 5 eslint --fix\n',
  '.claude/json.sh': `#!/bin/bash\npython3 -c "import json,sys; print(json.load(sys.stdin)['model']['id'])"\n`,
  '.claude/outer.sh': '#!/bin/bash\nnames=(a)\n. "$HOME/.claude/format.sh"\n',
  '.claude/of-project.sh': '#!/bin/bash\nnames=(a)\n"$CLAUDE_PROJECT_DIR"/tools/check.sh\n',
  '.claude/commits.sh': '#!/bin/bash\ngit add -A\ngit commit -qm "$(date)"\n',
  '.claude/stdin.sh': '#!/bin/bash\ncwd=$(jq -r .cwd)\n[ -f "$cwd/.env" ] && . "$cwd/.env"\n',
  '.claude/wrapper.sh': '#!/bin/sh\nexec "$@"\n',
  '.claude/binary': '\u007fELF\0',
  'work/project/tools/check.sh': '#!/bin/sh\n',
  'work/project/package.json': '{}',
};
for (const [name, text] of Object.entries(files)) {
  mkdirSync(dirname(join(home, name)), { recursive: true });
  writeFileSync(join(home, name), text);
  chmodSync(join(home, name), 0o755);
}
mkdirSync(join(home, 'links'));
symlinkSync(join(root, 'tools/check.sh'), join(home, 'links/linked.sh'));
execFileSync('git', ['init', '-q'], { cwd: root });

const factsOf = (folder: string): PolicyFacts => ({
  ...{ mode: 'default', rules: [], root: folder, additionalDirectories: [folder], home },
  ...{
    executedFiles: [],
    platform: process.platform,
    localSettingsFile: join(folder, '.clawdcode.local.json'),
  },
});
const isConfined = async (command: string, folder = root, env: Record<string, string> = {}) => {
  const program = { command, cwd: folder, env: { HOME: home, PATH: '/usr/local/bin:/usr/bin:/bin', ...env } };
  const code = await codeOfOwnProgram(
    { ...program, env: userProgramEnvironment(program.env, [folder]) },
    {
      root: folder,
      home,
      effects: (text, at) => engine.effects(text, at, factsOf(folder)),
    },
  );
  return code !== 'none';
};

const outside = [
  'jq -r .tool_input.command >> ~/.claude/commands.log',
  'date >> ~/log',
  'notify-send "Done"',
  `osascript -e 'display notification "Done" with title "ClawdCode"'`,
  'afplay /System/Library/Sounds/Glass.aiff',
  'curl -s -d done https://ntfy.sh/topic',
  'git branch --show-current',
  'git status --short | wc -l',
  'echo "$(jq -r .model.id) $(git branch --show-current)"',
  'cat > /dev/null; printf "\\a" > /dev/tty',
  ...['model', 'guard'].map((name) => `bash ~/.claude/${name}.sh`),
  '"$HOME"/.clawdcode/hooks/check.sh',
  '~/scripts/check.sh',
];

const confined = [
  'npx prettier --write .',
  'jq -r .tool_input.file_path | xargs npx prettier --write',
  'cd ~/.claude && npx -y ccusage statusline',
  'cd ~/.claude && python3 check.py',
  'npx -y ccusage@15.0.0 statusline',
  'ccusage statusline',
  'npm run -s lint',
  'make -s fmt',
  'bun run ~/.claude/check.ts',
  'tsx ~/.claude/check.ts',
  'uv run ~/.claude/check.py',
  'node -e \'require("left-pad")\'',
  'python3 -c "import json"',
  '/usr/bin/python3 -c "import json"',
  '/bin/bash ~/.claude/format.sh',
  './tools/python3 ~/.claude/check.py',
  '"$CLAUDE_PROJECT_DIR"/.venv/bin/python ~/.claude/check.py',
  '~/.claude/binary',
  './tools/check.sh',
  '"$CLAUDE_PROJECT_DIR"/tools/check.sh',
  '~/links/linked.sh',
  'git commit -qam x',
  // What scripts start cannot always be seen in their text.
  ...['format', 'arrays', 'json', 'outer', 'of-project', 'stdin', 'branch', 'there', 'functions'].map(
    (name) => `bash ~/.claude/${name}.sh`,
  ),
  ...['log', 'desktop', 'helper', 'commits'].map((name) => `bash ~/.claude/${name}.sh`),
  '~/.claude/branch.sh',
  'python3 ~/.claude/check.py --strict',
  '/usr/bin/python3 ~/.claude/check.py',
  '/bin/bash ~/.claude/branch.sh',
  '"/opt/node 20/bin/node" "$HOME/.claude/check.js"',
  '~/.claude/check.py',
  'node "$HOME/.claude/check.js"',
  '~/.claude/wrapper.sh make -s fmt',
];

describe('in a folder that the user has not trusted', () => {
  test.each(outside)('this runs outside the sandbox: %s', async (command) => {
    expect(await isConfined(command)).toBe(false);
  });

  test.each(confined)('this runs in the sandbox: %s', async (command) => {
    expect(await isConfined(command)).toBe(true);
  });

  test('variables of the folder do not lead there, since the program does not get them', async () => {
    const env = {
      PYTHONPATH: join(root, 'lib'),
      NODE_OPTIONS: '--require ./x.js',
      PATH: `${root}/bin:/usr/bin:/bin`,
    };
    expect(await isConfined('bash ~/.claude/model.sh', root, env)).toBe(false);
    expect(await isConfined('npx prettier .', root, env)).toBe(true);
  });
});

describe('if the repository’s settings make git start programs', () => {
  const hostile = join(home, 'work/hostile');
  mkdirSync(hostile);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: hostile });
  git('init', '-q');
  git('config', 'filter.f.clean', 'touch ~/ran; cat');

  test.each([
    'git status --short | wc -l',
    ...['branch', 'there', 'functions', 'helper', 'commits'].map((name) => `bash ~/.claude/${name}.sh`),
    ...['python3 ~/.claude/check.py', '~/.claude/check.py', 'node ~/.claude/check.js'],
  ])('what may start git runs in the sandbox: %s', async (command) => {
    expect(await isConfined(command, hostile)).toBe(true);
  });

  test.each([
    ...['notify-send done', 'jq -r .tool_name >> ~/log', 'bash ~/.claude/model.sh', '~/scripts/check.sh'],
  ])('what is known to start no git runs outside: %s', async (command) => {
    expect(await isConfined(command, hostile)).toBe(false);
  });
});
