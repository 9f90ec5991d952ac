import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { boot } from '../../src/cli/boot.ts';
import { parseArguments } from '../../src/cli/options.ts';
import { createScriptCheck } from '../../src/cli/permissions/scriptCheck.ts';
import { createDebugLog } from '../../src/cli/process/debugLog.ts';
import { readSettings, trustIn, untrustedSettingsNotice } from '../../src/cli/startup.ts';
import { rememberRules, trustFolder } from '../../src/config/trust.ts';
import type { HookDefinition } from '../../src/protocol/extensions/hooks.ts';
import type { TrustQuestion } from '../../src/ui/types.ts';

let base: string;
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), 'clawdcode-trust-'));
  await mkdir(join(base, 'repo'));
});
afterEach(() => rm(base, { recursive: true, force: true }));

const place = () => ({
  cwd: join(base, 'repo'),
  root: join(base, 'repo'),
  home: base,
  dataRoot: join(base, 'data'),
  packageRoot: base,
  version: '1.2.3',
  env: {},
});

const project = (settings: object): Promise<void> =>
  writeFile(join(base, 'repo/.clawdcode.json'), JSON.stringify(settings));

/** One start of the program: answers the trust dialog and returns it; undefined if there is none. */
async function start(answer: boolean, meanwhile = async () => {}): Promise<TrustQuestion | undefined> {
  const parsed = await parseArguments(['--demo'], '1.2.3');
  if (parsed.type !== 'run') throw new Error('no run');
  const first = await boot(
    place(),
    parsed.options,
    createDebugLog(base, false, () => new Date()),
    () => undefined,
  );
  if (first.type !== 'trust') return undefined;
  await meanwhile();
  await first.answer(answer);
  return first.question;
}

/** The rules that apply, and the message if there is no user. */
async function counted() {
  const parsed = await parseArguments([], '1.2.3');
  if (parsed.type !== 'run') throw new Error('no run');
  const trust = await trustIn(place());
  const loaded = await readSettings(place(), parsed.options, trust);
  return { rules: loaded.rules.map(({ text }) => text), notice: untrustedSettingsNotice(loaded, trust) };
}

const allow = (...rules: string[]) => ({ permissions: { allow: rules } });

test('a directory of --add-dir that cannot be added is reported once', async () => {
  await writeFile(join(base, 'file'), '');
  const parsed = await parseArguments(
    ['--add-dir', '../nope', '--add-dir', base, '--add-dir', '../file'],
    '1.2.3',
  );
  if (parsed.type !== 'run') throw new Error('no run');
  const { problems } = await readSettings(place(), parsed.options, await trustIn(place()));
  expect(problems.map(({ message }) => message)).toEqual([
    `--add-dir: ${join(base, 'nope')} does not exist.`,
    `--add-dir: ${base} contains your home folder, with the keys and settings of other programs. Add a directory in it.`,
    `--add-dir: ${join(base, 'file')} is not a directory. Add the one that it is in: ${base}`,
  ]);
});

test('what several files would do is listed once', async () => {
  const hook = { hooks: [{ type: 'command', command: './check.sh' }] };
  const shared = JSON.stringify({ ...allow('Bash(make)'), hooks: { Stop: [hook], SessionEnd: [hook] } });
  await mkdir(join(base, 'repo/.claude'), { recursive: true });
  for (const name of ['settings.json', 'settings.local.json'])
    await writeFile(join(base, 'repo/.claude', name), shared);
  const files = '.claude/settings.json, .claude/settings.local.json';
  expect((await start(false))?.effects).toEqual([
    `${files}: Runs these hooks outside the sandbox: ./check.sh for Stop, SessionEnd`,
    `${files}: Runs these calls without asking you: Bash(make)`,
  ]);
});

test('a rule added after approval asks again, and the dialog shows the change', {
  tags: 'long',
}, async () => {
  await project(allow('Bash(npm test)', 'Bash(make)'));
  const first = await start(true);
  expect(first?.effects).toEqual([
    '.clawdcode.json: Runs these calls without asking you: Bash(npm test), Bash(make)',
  ]);
  expect(first).not.toHaveProperty('before');
  expect(await start(true)).toBeUndefined();

  await project(allow('Bash(npm test)', 'Bash(curl:*)'));
  expect(await counted()).toEqual({
    rules: ['Bash(npm test)'],
    notice:
      'settings of this folder have changed since you trusted it, and the changes are ignored (permissions.allow in .clawdcode.json); run clawdcode here once to decide.',
  });
  expect(await start(false)).toEqual({
    folder: join(base, 'repo'),
    effects: ['.clawdcode.json: Runs these calls without asking you: Bash(curl:*)'],
    before: {
      isRecorded: true,
      gone: ['.clawdcode.json: Runs these calls without asking you: Bash(make)'],
      added: 1,
      removed: 1,
    },
  });
  expect((await counted()).rules).toEqual(['Bash(npm test)']);
  expect(await start(true)).toBeDefined();
  expect(await counted()).toEqual({ rules: ['Bash(npm test)', 'Bash(curl:*)'], notice: undefined });
  expect(await start(true)).toBeUndefined();
});

test('removing a rule does not ask', { tags: 'long' }, async () => {
  await project(allow('Bash(npm test)', 'Bash(make)'));
  await start(true);
  await project({ permissions: { allow: ['Bash(make)'], deny: ['Bash(rm *)'] } });
  expect(await start(true)).toBeUndefined();
  expect(await counted()).toEqual({ rules: ['Bash(make)', 'Bash(rm *)'], notice: undefined });
});

test('the dialog says if a definition’s instructions have changed', async () => {
  const define = async (tools: string, body: string): Promise<void> => {
    await mkdir(join(base, 'repo/.claude/agents'), { recursive: true });
    const front = `---\nname: check\ndescription: Checks\ntools: ${tools}\n---\n`;
    await writeFile(join(base, 'repo/.claude/agents/check.md'), front + body);
  };
  const line = (facts: string): string =>
    `.claude/agents/check.md: Defines a subagent that the model may start: check (${facts}): Checks`;
  await define('Read', 'Look.');
  expect((await start(true))?.effects).toEqual([line('tools Read')]);
  await define('Read', 'Look twice.');
  expect(await start(true)).toMatchObject({
    effects: [line('tools Read; changed since you approved it')],
    before: {
      ...{ added: 1, removed: 0, gone: [] },
      files: [
        {
          what: expect.stringContaining('check.md (a subagent) has changed'),
          removed: ['6: Look.'],
          added: ['6: Look twice.'],
        },
      ],
    },
  });
  expect(await start(true)).toBeUndefined();
  await define('Bash', 'Look twice.');
  expect(await start(true)).toMatchObject({
    effects: [line('tools Bash; changed since you approved it')],
    before: { added: 1, removed: 1, gone: [line('tools Read')] },
  });
});

test('only what was shown is approved, not what arrives while the dialog is open', async () => {
  await project(allow('Bash(make)'));
  await start(true, () => project(allow('Bash(make)', 'Bash(curl:*)')));
  expect((await counted()).rules).toEqual(['Bash(make)']);
});

test('trust from an earlier version is asked for once more', async () => {
  await mkdir(join(base, 'data'));
  const file = join(base, 'data/trust.json');
  await writeFile(file, JSON.stringify({ folders: { [join(base, 'repo')]: '2026-01-01T00:00:00.000Z' } }));
  await project(allow('Bash(make)'));
  expect((await counted()).rules).toEqual([]);
  expect((await start(true))?.before).toMatchObject({ isRecorded: false, gone: [], removed: 0 });
  expect((await counted()).rules).toEqual(['Bash(make)']);
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    grants: {
      [join(base, 'repo')]: [{ kind: 'permissions.allow', text: 'Bash(make)', source: '.clawdcode.json' }],
    },
  });
});

test('a saved rule applies without trust, but only in the personal file', async () => {
  await trustFolder(join(base, 'data'), join(base, 'repo'), [], () => new Date());
  await rememberRules(join(base, 'data'), join(base, 'repo'), ['Bash(make)']);
  await writeFile(join(base, 'repo/.clawdcode.local.json'), JSON.stringify(allow('Bash(make)')));
  expect(await counted()).toEqual({ rules: ['Bash(make)'], notice: undefined });
  await project(allow('Bash(make)'));
  expect((await start(false))?.effects).toEqual([
    '.clawdcode.json: Runs these calls without asking you: Bash(make)',
  ]);
});

test('after rejecting another endpoint, the session uses the user’s own', { tags: 'long' }, async () => {
  await project({ baseUrl: 'https://a.example/v1' });
  await start(true);
  await project({ baseUrl: 'https://b.example/v1' });
  const parsed = await parseArguments([], '1.2.3');
  if (parsed.type !== 'run') throw new Error('no run');
  const asked = { ...place(), env: { OPENAI_API_KEY: 'sk-mine', OPENAI_MODEL: 'm' } };
  const first = await boot(
    asked,
    parsed.options,
    createDebugLog(base, false, () => new Date()),
    () => undefined,
  );
  if (first.type !== 'trust') throw new Error('nothing was asked');
  expect((await first.answer(false)).type).toBe('ready');
  expect((await readSettings(asked, parsed.options, await trustIn(asked))).misread?.key).toBe('baseUrl');
});

test.each([
  ['sh notes.txt', true],
  ['bash -e ./notes.txt', true],
  ['./notes.txt', true],
  ['true && ./notes.txt', true],
  ['"$CLAUDE_PROJECT_DIR"/notes.txt', true],
  ['bash < notes.txt', true],
  ['python3 -u notes.txt', true],
  ['timeout 5 ./notes.txt', true],
  ['awk -f notes.txt', true],
  ['xargs -a notes.txt sh', true],
  ['cat notes.txt', false],
  ['cat notes.txt | sh', false],
  ['./hook.js --notes ./notes.txt', false],
])('a changed file that a hook names asks again if it is run: %s %s', async (command, isAsked) => {
  await project({ hooks: { SessionStart: [{ hooks: [{ type: 'command', command }] }] } });
  await inRepo('notes.txt', 'one');
  await start(true);
  await inRepo('notes.txt', 'other');
  expect((await start(false)) !== undefined).toBe(isAsked);
});

/** Settings that run three files of the project. */
const running = {
  hooks: { PreToolUse: [{ hooks: [{ type: 'command', command: './check.sh | tee -a seen.txt' }] }] },
  statusLine: { type: 'command', command: 'node line.js' },
};
const inRepo = (name: string, text: string): Promise<void> => writeFile(join(base, 'repo', name), text);

async function used() {
  const parsed = await parseArguments([], '1.2.3');
  if (parsed.type !== 'run') throw new Error('no run');
  const loaded = await readSettings(place(), parsed.options, await trustIn(place()));
  const { heldSinceStart } = createScriptCheck(place(), [], () => 'id', loaded.changedFiles);
  const isHeld = (hook: HookDefinition): boolean =>
    hook.type === 'command' &&
    heldSinceStart({ role: 'hook', ...hook, cwd: place().root, env: {} }) !== undefined;
  return {
    hooks: loaded.hooks.filter(({ hook, ignored }) => ignored === undefined && !isHeld(hook)).length,
    hasLine: loaded.settings.statusLine !== null,
    servers: loaded.servers.length,
    problems: loaded.problems.map(({ message }) => message),
  };
}

test('a changed script of an approved setting runs only once the change is approved', {
  tags: 'long',
}, async () => {
  await project(running);
  await inRepo('check.sh', 'one\ntwo\nthree\n');
  await inRepo('line.js', `${'x'.repeat(70_000)}1`);
  await inRepo(
    '.mcp.json',
    JSON.stringify({ mcpServers: { s: { command: 'node', args: ['srv.js', './store.db'] } } }),
  );
  await inRepo('srv.js', '1');
  expect((await start(true))?.effects).toHaveLength(3);
  expect(await used()).toEqual({ hooks: 1, hasLine: true, servers: 1, problems: [] });
  expect(await start(true)).toBeUndefined();

  // Its own output, data, and an unchanged file do not ask.
  await inRepo('store.db', 'changed');
  await inRepo('seen.txt', 'seen');
  await inRepo('check.sh', 'one\ntwo\nthree\n');
  expect(await start(true)).toBeUndefined();

  await inRepo('check.sh', 'one\nevil\nthree\n');
  await inRepo('line.js', `${'x'.repeat(70_000)}2`);
  await inRepo('srv.js', '2');
  const problems = [
    'check.sh, srv.js, line.js changed since you approved it, so these are disabled: hooks, the MCP server s, the status line. Run clawdcode here to decide.',
  ];
  expect(await used()).toEqual({ hooks: 0, hasLine: false, servers: 0, problems });
  const question = await start(false);
  expect(question).toMatchObject({ effects: [], before: { added: 0, removed: 0, gone: [] } });
  expect(question?.before?.files).toEqual([
    {
      what: 'check.sh (hooks) has changed: 14 → 15 bytes',
      removed: ['2: two'],
      added: ['2: evil'],
    },
    {
      what: 'srv.js (the MCP server s) has changed: 1 → 1 bytes',
      removed: ['1: 1'],
      added: ['1: 2'],
    },
    {
      what: 'line.js (the status line) has changed: 70001 → 70001 bytes',
      removed: [],
      added: [],
    },
  ]);
  expect(await used()).toMatchObject({ hooks: 0, problems });

  // Changes made while the dialog is open are not approved.
  await start(true, () => inRepo('check.sh', 'other'));
  expect((await start(true))?.before?.files?.map(({ what }) => what)).toEqual([
    'check.sh (hooks) has changed: 15 → 5 bytes',
  ]);
  expect(await used()).toEqual({ hooks: 1, hasLine: true, servers: 1, problems: [] });
});

test('a script that changes while the dialog for its hook is open is not approved', async () => {
  const hook = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'sh ./check.sh' }] }] } };
  await project(hook);
  await inRepo('check.sh', 'shown');
  await start(true, () => inRepo('check.sh', 'changed'));
  expect(await used()).toMatchObject({ hooks: 0 });
  expect((await start(true))?.before?.files).toEqual([
    { what: 'check.sh (hooks) has changed: 5 → 7 bytes', removed: ['1: shown'], added: ['1: changed'] },
  ]);
  expect(await used()).toMatchObject({ hooks: 1, problems: [] });
});

test('a file that an approved command newly runs asks; a file of a command without a record does not', async () => {
  const hook = { hooks: { Stop: [{ hooks: [{ type: 'command', command: 'node tools' }] }] } };
  await mkdir(join(base, 'repo/tools'));
  await inRepo('tools/index.js', '1');
  await project(hook);
  await start(true);
  expect(await used()).toMatchObject({ hooks: 1, problems: [] });
  // Node prefers it to the folder.
  await inRepo('tools.js', '2');
  expect(await used()).toMatchObject({ hooks: 0 });
  expect((await start(false))?.before?.files?.map(({ what }) => what)).toEqual([
    'tools.js (hooks) is not in the record of what you approved: 1 bytes',
  ]);
  // As in a version that kept no records.
  await rm(join(base, 'data/approved-files'), { recursive: true });
  const trust = JSON.parse(await readFile(join(base, 'data/trust.json'), 'utf8'));
  await writeFile(join(base, 'data/trust.json'), JSON.stringify({ ...trust, filesRecorded: {} }));
  expect(await used()).toMatchObject({ hooks: 1, problems: [] });
});

test.each([
  ['deleted', (file: string) => rm(file)],
  ['damaged', (file: string) => writeFile(file, '{"files": {')],
  ['a folder', async (file: string) => rm(file).then(() => mkdir(file))],
])('scripts are not approved while the record of them is %s', async (_, lose) => {
  const hook = (command: string) => ({ hooks: [{ type: 'command', command }] });
  await project({ hooks: { Stop: [hook('sh ./a.sh'), hook('sh ./b.sh')] } });
  await inRepo('a.sh', 'a');
  await inRepo('b.sh', 'b');
  await start(true);
  expect(await used()).toMatchObject({ hooks: 2, problems: [] });
  const folder = join(base, 'data/approved-files');
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.json'));
  await lose(join(folder, name));
  // However often it starts.
  for (const _again of [1, 2]) expect(await used()).toMatchObject({ hooks: 0 });
  expect((await start(false))?.before?.files?.map(({ what }) => what)).toEqual([
    'a.sh (hooks) is not in the record of what you approved: 1 bytes',
    'b.sh (hooks) is not in the record of what you approved: 1 bytes',
  ]);
  await rm(join(folder, name), { recursive: true, force: true });
  await start(true);
  expect(await used()).toMatchObject({ hooks: 2, problems: [] });
  // A command that is not in the new record is not accepted as it is.
  await inRepo('c.sh', 'c');
  await project({ hooks: { Stop: [hook('sh ./a.sh'), hook('sh ./b.sh'), hook('sh ./c.sh')] } });
  await start(true);
  expect(await used()).toMatchObject({ hooks: 3, problems: [] });
});
