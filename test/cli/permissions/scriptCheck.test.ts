// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a definition.
/** Scripts that programs in the settings run must be as the user approved them, at each start. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import {
  addRecords,
  commandKey,
  readRecords,
  recordOf,
} from '../../../src/cli/permissions/approvedRecords.ts';
import {
  createSettingsPrograms,
  type ProgramSession,
} from '../../../src/cli/permissions/settingsPrograms.ts';
import type { ChangedFile } from '../../../src/config/types.ts';
import type { ProgramText } from '../../../src/protocol/settingsPrograms.ts';
import { temporaryFolder } from '../../temporaryFolder.ts';

/** A project in which the user has approved a hook that runs `check.sh`. */
async function approved(
  text: string | ProgramText = 'sh ./check.sh',
  files = ['check.sh'],
  excluded: readonly string[] = [],
) {
  const program: ProgramText = typeof text === 'string' ? { command: text } : text;
  const { command } = program;
  const home = temporaryFolder();
  const root = join(home, 'project');
  mkdirSync(root);
  const place = { root, home, dataRoot: join(home, '.clawdcode') };
  const at = (name: string): string => join(root, name);
  for (const name of files) mkdirSync(dirname(at(name)), { recursive: true });
  for (const name of files) writeFileSync(at(name), 'one\ntwo\nthree\n');
  await addRecords(place, {
    files: Object.fromEntries(files.map((name) => [at(name), recordOf(at(name))])),
    commands: [commandKey(program)],
  });
  const questions: string[] = [];
  /** Another program in the same project, with a user who gives this answer; without one, there is no user. */
  const open = (
    answer?: 'allow' | 'deny',
    mode: 'default' | 'bypassPermissions' = 'default',
    declined?: readonly ChangedFile[],
  ) => {
    const programs = createSettingsPrograms({
      ...place,
      ...{ addedDirectories: () => [], allowWrite: [], temporary: [], excluded, isEphemeral: false, env: {} },
      newId: () => 'id',
      declined,
      now: () => Date.now(),
    });
    const ask: ProgramSession['ask'] = async ({ headline, preview }) => {
      questions.push(`${headline}\n${preview.type === 'text' ? preview.text : ''}`);
      return { behavior: answer ?? 'deny' };
    };
    programs.enter({
      sandbox: { state: async () => ({ type: 'off', reason: 'off' }), confine: () => Promise.reject() },
      permissions: {
        effects: async () => undefined,
        matches: async () => false,
        installs: async () => false,
      },
      mode: () => mode,
      warn: () => undefined,
      ...(answer && { ask }),
    });
    const run = async (text = command): Promise<string> => {
      const got = await programs.admit({ role: 'hook', command: text, cwd: root, env: {} });
      return got.type === 'held' ? `held${got.isUnasked ? ' unasked' : ''}: ${got.problem}` : got.type;
    };
    return { programs, run };
  };
  return { root, at, open, questions };
}

test('in a headless run, a script changed after the settings were loaded does not run', async () => {
  const { at, open } = await approved();
  const { run } = open();
  expect(await run()).toBe('outside');
  writeFileSync(at('check.sh'), 'one\nevil\nthree\n');
  expect(await run()).toBe(
    'held unasked: This hook was not run: check.sh changed since you approved it. Run clawdcode here to decide.',
  );
  // Unchanged: the times differ, the content does not.
  writeFileSync(at('check.sh'), 'one\ntwo\nthree\n');
  expect(await run()).toBe('outside');
  rmSync(at('check.sh'));
  expect(await run()).toMatch(/^held unasked/);
});

test('a change that the user declined at the start holds the hook in every mode, until it is undone', async () => {
  const { at, open, questions } = await approved();
  writeFileSync(at('check.sh'), 'one\nevil\nthree\n');
  const path = at('check.sh');
  const declined = [{ path, name: 'check.sh', users: [], before: undefined, now: recordOf(path) }];
  for (const mode of ['default', 'bypassPermissions'] as const)
    expect(await open('allow', mode, declined).run()).toMatch(/^held unasked: .* check\.sh changed/);
  expect(questions).toEqual([]);
  writeFileSync(path, 'one\ntwo\nthree\n');
  expect(await open('allow', 'default', declined).run()).toBe('outside');
});

test('going back to a content that was approved before asks nothing', async () => {
  const { at, open, questions } = await approved();
  const write = (version: number): void => writeFileSync(at('check.sh'), `one\n${version}\n`);
  for (const version of [1, 2, 1, 2, 3, 1]) {
    write(version);
    expect(await open('allow').run()).toBe('outside');
  }
  expect(questions).toHaveLength(3);
  expect(await open().run()).toBe('outside');
  write(4);
  expect(await open().run()).toMatch(/^held unasked/);
});

test('a record stays small: only the newest contents are kept, and all of what is compared', async () => {
  const { root, at, open } = await approved();
  const place = { root, home: dirname(root), dataRoot: join(dirname(root), '.clawdcode') };
  const text = 'x'.repeat(60_000);
  for (const [from, to] of [
    [0, 150],
    [150, 300],
  ] as const) {
    const names = Array.from({ length: to - from }, (_, index) => `${from + index}.sh`);
    for (const name of names) writeFileSync(at(name), text);
    const files = Object.fromEntries(names.map((name) => [at(name), recordOf(at(name), undefined)]));
    await addRecords(place, { files, commands: [] });
  }
  const { files } = readRecords(place);
  expect(Object.keys(files)).toHaveLength(301);
  expect([files[at('0.sh')]?.content, files[at('299.sh')]?.content]).toEqual([undefined, text]);
  expect(files[at('0.sh')]?.digest).toBe(files[at('299.sh')]?.digest);
  expect(await open().run()).toBe('outside');
});

test('the user is asked once per change, sees its lines, and approves it for other sessions too', async () => {
  const { at, open, questions } = await approved();
  const [first, other] = [open('allow'), open()];
  writeFileSync(at('check.sh'), 'one\nevil\nthree\n');
  expect(await Promise.all([first.run(), first.run()])).toEqual(['outside', 'outside']);
  expect(questions).toEqual([
    'Run your hook even though check.sh changed?\nsh ./check.sh\n\ncheck.sh (your hook) has changed: 14 → 15 bytes\n- 2: two\n+ 2: evil',
  ]);
  expect(await other.run()).toBe('outside');
  writeFileSync(at('check.sh'), 'more');
  await first.run();
  expect(questions).toHaveLength(2);
});

test('after a no, the program does not run, and the same change is not asked about again', async () => {
  const { at, open, questions } = await approved();
  const { run } = open('deny');
  writeFileSync(at('check.sh'), 'evil');
  expect(await run()).toMatch(
    /^held: This hook was not run: check\.sh changed .* The next start asks again\.$/,
  );
  expect(await run()).toMatch(/^held:/);
  expect(questions).toHaveLength(1);
});

test('a file that an approved command did not run before counts as changed; other commands are the user’s own', async () => {
  const { at, open } = await approved('cd tools && lint', []);
  const { run } = open();
  expect(await run()).toBe('outside');
  mkdirSync(at('tools'));
  writeFileSync(at('tools/lint'), 'evil');
  writeFileSync(at('own.sh'), '');
  expect(await run()).toMatch(/tools\/lint changed/);
  expect(await run('sh ./own.sh')).toBe('outside');
});

test('an edit that the user approved explains a change, unless the file was changed before', async () => {
  const { at, open } = await approved();
  const { programs, run } = open();
  const edit = { type: 'write', paths: [at('check.sh')] } as const;
  const ended = programs.editing(edit, 'user');
  writeFileSync(at('check.sh'), 'better');
  await ended?.();
  expect(await run()).toBe('outside');
  for (const basis of ['mode', 'rule', 'judge'] as const)
    expect(programs.editing(edit, basis)).toBeUndefined();
  writeFileSync(at('check.sh'), 'evil');
  expect(programs.editing(edit, 'user')).toBeUndefined();
  expect(await run()).toMatch(/^held/);
});

test.each([
  ['sh bin/check.sh', 'bin/check.sh'],
  ['node dist/hook.js', 'dist/hook.js'],
  ['node dist/hook', 'dist/hook.js'],
  ['node ./dist', 'dist/index.js'],
  ['PYTHONPATH=build/lib python3 -m check', 'build/lib/check.py'],
])('a script that a build writes is covered by the approval: %s', async (command, name) => {
  const { at, open, questions } = await approved(command, [name]);
  expect(await open().run()).toBe('outside');
  writeFileSync(at(name), 'one\nevil\nthree\n');
  expect(await open().run()).toMatch(
    /^held unasked: This hook was not run: .* changed since you approved it/,
  );
  expect(await open('allow').run()).toBe('outside');
  expect(questions[0]).toContain(
    `; add ${JSON.stringify(command)} to sandbox.excludedCommands in your own config.json to let builds change it`,
  );
  expect(await open().run()).toBe('outside');
});

test('a build result that the command only mentions may change, as may one of a command that the user has excepted', async () => {
  const mentions = await approved('sh ./check.sh dist/app.js', ['check.sh', 'dist/app.js']);
  writeFileSync(mentions.at('dist/app.js'), 'rebuilt');
  expect(await mentions.open().run()).toBe('outside');
  const command = 'node dist/hook.js';
  const excepted = await approved(command, ['dist/hook.js'], [command]);
  writeFileSync(excepted.at('dist/hook.js'), 'rebuilt');
  expect(await excepted.open().run()).toBe('outside');
  const other = await approved(command, ['dist/hook.js'], ['node dist/other.js']);
  writeFileSync(other.at('dist/hook.js'), 'rebuilt');
  expect(await other.open().run()).toMatch(/^held unasked/);
});

test('what a project’s MCP server starts is compared where it starts, even if its definition was approved elsewhere', async () => {
  const definition = { command: '${PWD}/check.sh', args: [] };
  const { root, at, open } = await approved(definition);
  mkdirSync(at('sub'));
  writeFileSync(at('sub/check.sh'), 'evil');
  const { programs } = open();
  const startIn = (folder: string) =>
    programs.admit({
      ...{ role: 'MCP server', command: join(folder, 'check.sh'), args: [], cwd: folder, env: {} },
      ofFolder: definition,
    });
  expect((await startIn(root)).type).toBe('outside');
  expect(await startIn(at('sub'))).toMatchObject({
    type: 'held',
    problem: expect.stringContaining('sub/check.sh changed'),
  });
});

test('a program of the folder that names more than can be looked at does not run', async () => {
  const command = `sh ./check.sh ${Array.from({ length: 6000 }, (_, at) => `w${at}`).join(' ')}`;
  const { root, open } = await approved(command);
  const { programs } = open('allow');
  const program = { role: 'hook', command, cwd: root, env: {} };
  expect((await programs.admit(program)).type).toBe('outside');
  expect(await programs.admit({ ...program, ofFolder: { command } })).toMatchObject({
    type: 'held',
    problem: expect.stringContaining('it names more files, or longer scripts, than can be checked'),
  });
});
