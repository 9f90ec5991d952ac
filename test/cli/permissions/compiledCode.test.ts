/** Programs of the settings outside the sandbox load no compiled code that a command left in the project. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ownCompiledCode, withOwnCompiledCode } from '../../../src/cli/permissions/compiledCode.ts';
import type { SettingsPrograms, SettingsRun } from '../../../src/protocol/settingsPrograms.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

const program = { role: 'hook', command: 'true', cwd: '/project' };
const started = async (
  env: Record<string, string>,
  run: SettingsRun = { type: 'outside' },
  { dataRoot = temporaryFolder(), isEphemeral = false } = {},
): Promise<SettingsRun> => {
  const programs: SettingsPrograms = { admit: async () => run };
  const places = { dataRoot, isEphemeral, workspace: () => ['/project'] };
  return withOwnCompiledCode(programs, ownCompiledCode(places)).admit({ ...program, env });
};

test('they have a folder of their own for it, in the data folder', async () => {
  const dataRoot = temporaryFolder();
  const run = await started({ A: '1', PYTHONPYCACHEPREFIX: '/project/cache' }, undefined, { dataRoot });
  const folder = join(dataRoot, 'cache/python');
  expect(run).toMatchObject({ type: 'outside', env: { A: '1', PYTHONPYCACHEPREFIX: folder } });
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  const chosen = await started({ A: '1' }, { type: 'outside', env: { B: '2' } }, { dataRoot });
  expect(chosen).toMatchObject({ env: { B: '2', PYTHONPYCACHEPREFIX: folder } });
});

test.each(['/elsewhere/cache', '/projects'])('the user’s own folder %s stays', async (folder) => {
  expect(await started({ PYTHONPYCACHEPREFIX: folder })).toMatchObject({
    env: { PYTHONPYCACHEPREFIX: folder },
  });
});

test.each(['cache', '/project', '/other/../project/x', ''])(
  'one that commands may write, %j, does not',
  async (folder) => {
    const run = await started({ PYTHONPYCACHEPREFIX: folder }, undefined, { isEphemeral: true });
    expect(run).toMatchObject({ env: { PYTHONPYCACHEPREFIX: '/dev/null/python' } });
  },
);

test('a program that is confined or held is started as it is', async () => {
  const held: SettingsRun = { type: 'held', problem: 'no', isUnasked: true };
  expect(await started({}, held)).toBe(held);
});

const hasPython = spawnSync('python3', ['--version']).status === 0;

test.skipIf(!hasPython)('Python runs the source, not what is in __pycache__', async () => {
  const folder = temporaryFolder();
  const at = (name: string): string => join(folder, name);
  mkdirSync(at('tools'));
  const python = (env: NodeJS.ProcessEnv): string =>
    execFileSync('python3', ['tools/lint.py'], { cwd: folder, env, encoding: 'utf8' }).trim();
  writeFileSync(at('tools/lint.py'), 'import rules\n');
  // The compiled code names the time and size of the source, so that Python takes it for current.
  writeFileSync(at('tools/rules.py'), 'print("evil")\n');
  expect(python({ PATH: process.env.PATH, HOME: process.env.HOME })).toBe('evil');
  const [compiled = ''] = readdirSync(at('tools/__pycache__'));
  const poisoned = readFileSync(at(`tools/__pycache__/${compiled}`));
  writeFileSync(at('tools/rules.py'), 'print("good")\n');
  const seconds = Buffer.alloc(4);
  seconds.writeUInt32LE(Math.floor(statSync(at('tools/rules.py')).mtimeMs / 1000));
  seconds.copy(poisoned, 8);
  writeFileSync(at(`tools/__pycache__/${compiled}`), poisoned);
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' };
  expect(python(env)).toBe('evil');
  const run = await started(env);
  expect(run.type === 'outside' && python({ ...run.env })).toBe('good');
});
