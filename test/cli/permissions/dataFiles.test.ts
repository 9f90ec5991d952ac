// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the variables of a shell.
/** Which files that a command names may change without a new approval, although they are not what it runs. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { addRecords, commandKey } from '../../../src/cli/permissions/approvedRecords.ts';
import { createScriptCheck } from '../../../src/cli/permissions/scriptCheck.ts';
import type { ProgramText } from '../../../src/protocol/settingsPrograms.ts';
import { temporaryFolderOfFile } from '../../temporaryFolder.ts';

const home = temporaryFolderOfFile();
const root = join(home, 'project');
const contents: Readonly<Record<string, string>> = {
  ...{
    'srv.csv': '',
    'store.db': '',
    'notes.txt': '',
    'run.sh': '',
    'hook.js': '',
    'srv.mk': '',
    'srv.sed': '',
  },
  ...{ 'hook.log': '', 'report.json': '', 'srv/main.go': '', 'hooks/x': '' },
};

beforeAll(() => {
  for (const [name, content] of Object.entries(contents)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), content);
  }
});

/** The files whose change stops this command until the user approves it. */
async function stops(program: ProgramText): Promise<readonly string[]> {
  const place = { root, home, dataRoot: join(home, '.clawdcode') };
  await addRecords(place, { files: {}, commands: [commandKey(program)] });
  const check = createScriptCheck(place, [], () => 'id');
  const state = await check.stateOf(
    { role: 'hook', ...program, cwd: root, env: {}, ofFolder: program },
    async () => undefined,
  );
  if (state.type !== 'changed') return [];
  const [, names = ''] =
    /^This hook was not run: (.*) changed since you approved it\./.exec(state.problem) ?? [];
  return names.split(', ');
}

describe('a file that the command runs needs approval, whatever its name', () => {
  const rows: readonly (readonly [string, ...string[]])[] = [
    ['sh < srv.csv', 'srv.csv'],
    ['awk -f srv.csv /dev/null', 'srv.csv'],
    ['make -s -f srv.csv', 'srv.csv'],
    ['sh ./run.sh # >./run.sh', 'run.sh'],
    ["echo 'see > run.sh'; sh run.sh", 'run.sh'],
    ['sh run.sh > run.sh', 'run.sh'],
    ['true | tee run.sh; sh ./run.sh', 'run.sh'],
    ['touch run.sh; sh ./run.sh', 'run.sh'],
    ['sed -f srv.csv notes', 'srv.csv'],
    ["xargs -a srv.csv sh -c 'echo $0'", 'srv.csv'],
    ['python3 -c "exec(open(\'srv.csv\').read())"', 'srv.csv'],
    ['python3 - < srv.csv', 'srv.csv'],
    ['bash -lc "node srv.csv"', 'srv.csv'],
    ["trap 'sh srv.csv' EXIT", 'srv.csv'],
    ['NODE_OPTIONS="--require ./store.db" npx prettier .', 'store.db'],
    ['mocha -r ./srv.csv', 'srv.csv'],
    ['node -r ./srv.csv hook.js', 'srv.csv'],
    ['node hook.js; sh srv.csv', 'srv.csv'],
    ['sh --db srv.csv', 'srv.csv'],
    ['"${CLAUDE_PROJECT_DIR:-.}"/srv.csv', 'srv.csv'],
    // Names that are attached to an option, and code that is named by its folder or module.
    ['make -fsrv.mk', 'srv.mk'],
    ['sed -fsrv.sed a', 'srv.sed'],
  ];
  test.each(rows)('%s', async (command, ...names) => {
    expect(await stops({ command })).toEqual(expect.arrayContaining(names));
  });
  test('as an argument of an MCP server', async () => {
    expect(await stops({ command: 'sh', args: ['-c', 'sh < srv.csv'] })).toContain('srv.csv');
    expect(await stops({ command: 'awk', args: ['-f', 'srv.csv'] })).toContain('srv.csv');
  });
});

describe('what a command writes, and files named like data or notes that it does not start, may change', () => {
  const rows: readonly (readonly [string | ProgramText, ...string[]])[] = [
    ['./run.sh >> hook.log 2>&1', 'run.sh'],
    ['./run.sh > report.json', 'run.sh'],
    ['./run.sh | tee -a hook.log', 'run.sh'],
    ['./run.sh; touch notes.txt', 'run.sh'],
    ['./run.sh; rm notes.txt', 'run.sh'],
    ['./run.sh | tee report.json', 'run.sh'],
    ['./run.sh >> hook.log; tail -n 3 hook.log | grep -v ok', 'run.sh'],
    ['LOG=hook.log; echo started >> "$LOG"'],
    ['cat notes.txt'],
    ['cat notes.txt | sh'],
    ['./run.sh srv.csv', 'run.sh'],
    ['test -f notes.txt && cat notes.txt'],
    ['grep -c TODO notes.txt | head -n 1'],
    ['node hook.js ./store.db', 'hook.js'],
    ['./hook.js --notes ./notes.txt', 'hook.js'],
    ['npx -y server-sqlite --db-path ./store.db'],
    [{ command: 'uvx', args: ['mcp-server-sqlite', '--db-path', './store.db'] }],
    [{ command: 'npx', args: ['server-memory'], env: { MEMORY_FILE_PATH: './store.db' } }],
  ];
  test.each(rows)('%s', async (given, ...names) => {
    const program = typeof given === 'string' ? { command: given } : given;
    expect(await stops(program)).toEqual(names);
  });
});
