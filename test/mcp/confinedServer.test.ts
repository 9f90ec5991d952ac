// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a definition.
/** A server that is started after the model has changed files. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openServers } from '../../src/cli/mcp/openServers.ts';
import type { SettingsProgram, SettingsRun } from '../../src/protocol/settingsPrograms.ts';
import { temporaryFolder } from '../temporaryFolder.ts';
import { openBench } from './support/bench.ts';
import { SERVER, stdio } from './support/testServer.ts';

test('a server is started in the sandbox if required, and released when it ends', async () => {
  const asked: SettingsProgram[] = [];
  let released = 0;
  const run: SettingsRun = {
    type: 'confined',
    launch: (shell, script) => ({
      ...{ program: shell, args: ['-c', `echo "in the sandbox" >&2; ${script}`], inherit: [] },
      env: { PATH: process.env.PATH ?? '', INSIDE: '1' },
    }),
    advice: () => 'It ran in the sandbox.',
    release: () => {
      released++;
    },
  };
  const programs = {
    admit: async (program: SettingsProgram) => {
      asked.push(program);
      return run;
    },
  };
  const { servers, call } = await openBench({ one: stdio() }, { programs });
  expect(servers.status()[0]?.log).toContain('in the sandbox');
  expect(asked[0]).toMatchObject({ role: 'MCP server "one"', command: process.execPath, args: [SERVER] });
  expect(asked[0]?.ofFolder).toBeUndefined();
  expect((await call('mcp__one__echo', { text: 'hello' })).status).toBe('ok');
  await servers.replace([]);
  expect(released).toBe(1);
});

test('a server defined by the folder is known as such', async () => {
  const asked: SettingsProgram[] = [];
  const programs = {
    async admit(program: SettingsProgram): Promise<SettingsRun> {
      asked.push(program);
      return { type: 'held', problem: 'It was not run.', isUnasked: true };
    },
  };
  const definition = { command: process.execPath, args: ['${WHICH}'], env: { A: '${A:-1}' } };
  const deps = { programs, variables: { WHICH: SERVER } };
  await openBench({ one: definition }, deps, onTestFinished, 'project');
  expect(asked[0]).toMatchObject({ args: [SERVER], ofFolder: definition });
});

test('a server that must not run is reported with the reason', async () => {
  const programs = {
    admit: async (): Promise<SettingsRun> => ({ type: 'held', problem: 'It was not run.', isUnasked: true }),
  };
  const { servers } = await openBench({ one: stdio() }, { programs });
  expect(servers.status()[0]?.state).toEqual({ type: 'failed', reason: 'It was not run.' });
});

test('a server that exits in the sandbox is reported with advice', async () => {
  const programs = {
    admit: async (): Promise<SettingsRun> => ({
      type: 'confined',
      launch: (shell) => ({ program: shell, args: ['-c', 'exit 1'], inherit: [], env: {} }),
      advice: () => 'It ran in the sandbox.',
      release: () => undefined,
    }),
  };
  const { servers } = await openBench({ one: stdio() }, { programs });
  expect(servers.status()[0]?.log).toContain('(It ran in the sandbox.)');
});

test('`${PWD}` and the project variables in a definition are the project’s root, wherever the session was started', async () => {
  const home = temporaryFolder();
  const root = join(home, 'project');
  const asked: SettingsProgram[] = [];
  const programs = {
    async admit(program: SettingsProgram): Promise<SettingsRun> {
      asked.push(program);
      return { type: 'held', problem: 'It was not run.', isUnasked: true };
    },
  };
  const place = {
    ...{ cwd: join(root, 'sub'), root, home, dataRoot: join(home, 'data'), packageRoot: home, version: '1' },
    env: { PATH: process.env.PATH, PWD: join(root, 'sub'), CLAUDE_PROJECT_DIR: '/elsewhere' },
  };
  const definition = { command: '${PWD}/server', args: ['${CLAUDE_PROJECT_DIR}/a.js'] };
  const source = { name: 'one', scope: 'project', source: '.mcp.json', definition } as const;
  const live = await openServers(place, [source], { programs, secretEnv: [] });
  onTestFinished(() => live.replace([]));
  await live.current()?.settle(new AbortController().signal);
  const { command, args, env, cwd } = asked[0] ?? {};
  expect([command, args, cwd]).toEqual([join(root, 'server'), [join(root, 'a.js')], root]);
  expect([env?.PWD, env?.CLAUDE_PROJECT_DIR]).toEqual([root, root]);
});
