// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are variables of a definition.
/** Where programs in the settings run once the model has changed files without approval. */
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { createPermissions } from '../../../src/cli/permissions/permissions.ts';
import {
  createSettingsPrograms,
  type LiveSettingsPrograms,
  type ProgramSession,
} from '../../../src/cli/permissions/settingsPrograms.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import { InProcessEngine } from '../../../src/permissions/InProcessEngine.ts';
import type { PermissionMode } from '../../../src/protocol/permissions.ts';
import type { Confinement, SandboxState } from '../../../src/protocol/sandbox.ts';
import type { ProgramText } from '../../../src/protocol/settingsPrograms.ts';
import { temporaryFolder, temporaryFolderOfFile } from '../../temporaryFolder.ts';

type ProgramPlaces = Parameters<typeof createSettingsPrograms>[0];

const wasm = temporaryFolderOfFile();
const { resolve } = createRequire(import.meta.url);
for (const path of ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'])
  symlinkSync(resolve(path), join(wasm, path.replace(/^.*\//, '')));

const on: SandboxState = { type: 'on', mode: 'workspace-write' };
const missing: SandboxState = { type: 'unavailable', reason: 'bwrap is missing', fix: 'install it' };

interface Bench {
  readonly programs: LiveSettingsPrograms;
  readonly root: string;
  readonly home: string;
  run(
    command: string,
    args?: readonly string[],
    more?: {
      cwd?: string;
      role?: string;
      env?: Record<string, string>;
      ofFolder?: ProgramText;
      isApart?: boolean;
    },
  ): Promise<string>;
  readonly questions: string[];
  readonly warnings: string[];
  /** The notes for the model. */
  readonly told: string[];
  /** The changes of the next confined program. */
  readonly planted: string[];
  /** Another program in the same project. */
  open(more?: Partial<ProgramPlaces>): LiveSettingsPrograms;
}

async function bench({
  state = on,
  mode = 'acceptEdits',
  answer,
  excluded = [],
  files = [],
  scripts = [],
  home = temporaryFolder(),
}: {
  state?: SandboxState;
  mode?: PermissionMode;
  answer?: 'allow' | 'deny';
  excluded?: readonly string[];
  files?: readonly (readonly [string, string])[];
  /** Commands of hooks in the settings. */
  scripts?: readonly string[];
  home?: string;
} = {}): Promise<Bench> {
  const root = join(home, 'project');
  mkdirSync(root);
  for (const [name, text] of files) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  const places = { dataRoot: join(home, '.clawdcode'), home, root };
  const loaded = await loadSettings({ ...places, env: {}, trusted: true, flags: {} });
  const hook = { type: 'command', event: 'PostToolUse', matcher: '' } as const;
  const hooks = scripts.map((command) => ({
    hook: { ...hook, command },
    scope: 'user' as const,
    source: '',
  }));
  const permissions = createPermissions(
    { ...loaded, hooks },
    {
      ...{ ...places, saved: [], onSaved: async () => {} },
      engine: new InProcessEngine(wasm, {}),
    },
  );
  const questions: string[] = [];
  const warnings: string[] = [];
  const told: string[] = [];
  const planted: string[] = [];
  const confinement: Confinement = {
    isConfined: true,
    launch: (program, args) => ({ program, args, inherit: [], env: {} }),
    record: () => ({ mode: 'workspace-write' }),
    blocked: () => ({ reason: 'it tried to write outside the workspace or to a protected file' }),
    changedProtectedFiles: () => planted.splice(0),
    share: async () => undefined,
    keep: () => undefined,
    release: () => undefined,
  };
  const session: ProgramSession = {
    sandbox: { state: async () => state, confine: async () => confinement },
    permissions,
    mode: () => mode,
    warn: (text) => void warnings.push(text),
    tell: (text) => void told.push(text),
    ...(answer && {
      ask: async ({ headline, preview }) => {
        questions.push(`${headline} ${preview.type === 'command' ? preview.command : ''}`);
        return answer === 'allow' ? { behavior: 'allow' } : { behavior: 'deny' };
      },
    }),
  };
  const open = (more: Partial<ProgramPlaces> = {}): LiveSettingsPrograms => {
    const opened = createSettingsPrograms({
      ...{ ...places, addedDirectories: () => [], allowWrite: [], temporary: [] },
      ...{ excluded, isEphemeral: false, env: process.env, ...more },
      newId: () => 'id',
      now: () => Date.now(),
    });
    opened.enter(session);
    return opened;
  };
  const programs = open();
  return {
    ...{ programs, root, home, questions, warnings, told, planted, open },
    async run(command, args, { cwd = root, role = 'hook', env = {}, ofFolder, isApart = false } = {}) {
      const run = await programs.admit({ role, command, args, cwd, env, ofFolder, isApart });
      if (run.type === 'confined') run.release();
      return run.type === 'held' ? `held${run.isUnasked ? ' unasked' : ''}: ${run.problem}` : run.type;
    },
  };
}

test('an approved command in the sandbox counts as a change if no program could run what it changes yet', async () => {
  const { open, root } = await bench();
  const access = { type: 'command', command: 'sh t.sh', cwd: root } as const;
  const hook = { role: 'hook', command: 'npm run lint', cwd: root, env: {} };
  await open({ hasPrograms: () => false }).noteUnapproved({ access, basis: 'user', mode: 'default' });
  const got = await open().admit(hook);
  if (got.type === 'confined') got.release();
  expect(got.type).toBe('confined');
});

const edit = { access: { type: 'write', paths: ['/x'] }, basis: 'mode', mode: 'acceptEdits' } as const;

test.each([
  ...['npm run lint', 'make -s lint', 'python3 -m tools.check', 'node ./tools/check', 'node tools'],
  ...['node --test', 'npx prettier --write .', 'pnpm test', 'yarn lint', 'bun run x', 'just fmt', 'task x'],
  ...['cargo test', 'go test ./...', './gradlew check', 'mvn test', 'rake', 'composer test', 'uv run x'],
  ...['eslint --fix .', 'prettier --write .', './check.sh', '"$CLAUDE_PROJECT_DIR"/check.sh', 'sh check.sh'],
  ...[
    'cd tools && ./x',
    'sh -c "npm test"',
    'cat | node tools',
    'x=$(npm test); echo $x',
    '. ./x',
    'eval "$X"',
  ],
  ...['env A=1 npm test', 'timeout 9 npm test', 'PATH=.:$PATH notify-send x', '$CMD', 'git commit -m x'],
  ...['bash -c "$X"', 'python3 -c "import tools"', 'node -e "require(\'./x\')"', '~/bin/x ./check.sh'],
  ...['~/bin/npm test', 'node --import ./x ~/y.js', 'for f in *; do ./x "$f"; done', 'unknown-program'],
  ...[
    'find . -exec ./x {} +',
    'rg --pre ./x y',
    'sed -f tools/x.sed y',
    'if [',
    'NODE_OPTIONS=--import=./x node ~/y.js',
  ],
  ...[
    'git commit -qam config',
    '/usr/bin/git commit -qam wip',
    '~/bin/lint.sh',
    'bash ~/bin/lint.sh',
    '/usr/bin/pylint',
  ],
  ...[
    'gawk -l ./x 1',
    'PAGER=./x git log',
    'printf -v PATH .; date',
    'cp tools/index.js ~/bin/',
    'wget --use-askpass=./x y',
  ],
])('after an unapproved change, it is confined: %s', { tags: 'long' }, async (command) => {
  const { run, programs } = await bench({
    files: [
      ['project/check.sh', '#!/bin/sh\n'],
      ['project/tools/index.js', ''],
      ['bin/lint.sh', '#!/bin/sh\nnpm run lint\n'],
    ],
  });
  expect(await run(command)).toBe('outside');
  await programs.noteUnapproved(edit);
  expect(await run(command)).toBe('confined');
});

test.each([
  ...[
    'notify-send "done"',
    'osascript -e "beep"',
    '~/bin/x',
    '"$HOME"/bin/x --quiet',
    '~/bin/x "$CLAWDCODE_MESSAGE"',
  ],
  ...['bash ~/.claude/statusline.sh', 'echo hi; date', 'git branch --show-current', 'cat >> ~/log'],
  ...['input=$(cat); echo "$(echo "$input" | jq -r .model.id)"', 'sh -c "notify-send x"'],
  ...['curl -s https://example.com -d done', '[ -n "$X" ] && printf x'],
])('a command that runs no workspace code stays outside: %s', async (command) => {
  const { run, programs } = await bench({
    files: [
      ['bin/x', '#!/bin/sh\nnotify-send "$1"\n'],
      ['.claude/statusline.sh', 'jq -r .model.id\n'],
    ],
  });
  await programs.noteUnapproved(edit);
  expect(await run(command)).toBe('outside');
});

test.each([
  [{ ...edit, basis: 'user' }, 'outside'],
  [{ ...edit, basis: 'read-only' }, 'outside'],
  [{ ...edit, mode: 'bypassPermissions' }, 'outside'],
  [{ ...edit, access: { type: 'read', paths: ['/x'] } }, 'outside'],
  [{ ...edit, basis: 'rule', mode: 'default' }, 'confined'],
  [{ ...edit, basis: 'judge', mode: 'auto' }, 'confined'],
  [{ ...edit, basis: 'sandbox', access: { type: 'command', command: 'x', cwd: '/' } }, 'confined'],
] as const)('what counts as a change without approval: %j', async (call, expected) => {
  const { run, programs } = await bench();
  await programs.noteUnapproved(call);
  expect(await run('npm test')).toBe(expected);
});

test('a resumed session remembers changes; in bypass mode, everything runs as before', async () => {
  const resumed = await bench();
  resumed.programs.noteEarlier(Date.now());
  expect(await resumed.run('npm test')).toBe('confined');
  const free = await bench({ mode: 'bypassPermissions' });
  free.programs.noteEarlier(Date.now());
  expect(await free.run('npm test')).toBe('outside');
});

test('an excluded command runs outside, even with its arguments as a list', async () => {
  const { run, programs } = await bench({ excluded: ['npm run lint', 'node tools/server.js *'] });
  programs.noteEarlier(Date.now());
  expect(await run('npm run lint')).toBe('outside');
  expect(await run('npm run lint; npm test')).toBe('confined');
  expect(await run('node', ['tools/server.js', '--port', '1'])).toBe('outside');
});

test('a user’s server that starts in its own folder runs no workspace code', async () => {
  const { run, programs, home } = await bench();
  programs.noteEarlier(Date.now());
  mkdirSync(join(home, 'servers'));
  const apart = { cwd: join(home, 'servers'), isApart: true };
  expect(await run('npx', ['-y', 'some-server'], apart)).toBe('outside');
  expect(await run('npx', ['-y', 'some-server'])).toBe('confined');
  expect(await run('node', [join(home, 'project')], apart)).toBe('confined');
});

test('without a sandbox the user is asked once; without a user it does not run', async () => {
  const yes = await bench({ state: missing, answer: 'allow' });
  yes.programs.noteEarlier(Date.now());
  expect(await Promise.all([yes.run('npm test'), yes.run('npm test')])).toEqual(['outside', 'outside']);
  expect(yes.questions).toEqual(['Run your hook even though files were changed? npm test']);
  const no = await bench({ state: missing, answer: 'deny' });
  no.programs.noteEarlier(Date.now());
  expect(await no.run('npm test')).toMatch(
    /^held: This hook was not run: .*\(bwrap is missing\).*"npm test" to sandbox/,
  );
  expect(await no.run('npm test')).toMatch(/^held: /);
  expect(no.questions).toHaveLength(1);
  const alone = await bench({ state: missing });
  alone.programs.noteEarlier(Date.now());
  expect(await alone.run('npm test')).toMatch(/^held unasked: /);
});

test('without a sandbox, a shell script that the command names still runs, because it cannot change without approval', async () => {
  const { run, programs } = await bench({
    state: missing,
    scripts: ['./check.sh', './check.py', './lint.sh'],
    files: [
      ['project/lint.sh', '#!/bin/sh\nnpm run lint\n'],
      ['project/check.sh', '#!/usr/bin/env bash\nexit 0\n'],
      ['project/check.py', '#!/usr/bin/env python3\n'],
      ['project/.claude/hooks/guard.py', ''],
    ],
  });
  programs.noteEarlier(Date.now());
  expect(await run('./check.sh')).toBe('outside');
  expect(await run('python3 "$CLAUDE_PROJECT_DIR"/.claude/hooks/guard.py')).toBe('outside');
  expect(await run('./check.py')).toMatch(/^held/);
  expect(await run('./lint.sh')).toMatch(/^held/);
  expect(await run('python3 check.py')).toMatch(/^held/);
});

test('a change is known to later sessions, to those open at the time, and after a kill before the result', async () => {
  const { programs, root, open } = await bench();
  const other = open();
  const admit = async (one: LiveSettingsPrograms): Promise<string> => {
    const run = await one.admit({ role: 'hook', command: 'npm test', cwd: root, env: {} });
    if (run.type === 'confined') run.release();
    return run.type;
  };
  expect(await admit(other)).toBe('outside');
  await programs.noteUnapproved(edit);
  expect([await admit(other), await admit(open())]).toEqual(['confined', 'confined']);
  const review = await programs.review.begin();
  expect(review?.changes).toMatchObject({ paths: ['/x'], hasOthers: false });
  // Changes made while the user reads are not reviewed.
  await other.noteUnapproved(edit);
  await review?.confirm();
  expect([await admit(programs), await admit(open())]).toEqual(['confined', 'confined']);
  await (await other.review.begin())?.confirm();
  expect([await admit(programs), await admit(other), await admit(open())]).toEqual(Array(3).fill('outside'));
  expect(await programs.review.list()).toBeUndefined();
  // The log of a session that ended before the review has nothing new.
  const resumed = open();
  resumed.noteEarlier(1);
  expect(await admit(resumed)).toBe('outside');
  resumed.noteEarlier(Date.now() + 1000);
  expect(await admit(resumed)).toBe('confined');
});

test('a running command counts until it ends, and changes that it made after a review elsewhere are recorded then', async () => {
  const { programs, root, open } = await bench();
  const other = open();
  const started = {
    ...({ command: 'sleep 9; make', cwd: root, basis: 'sandbox' } as const),
    ...{ isConfined: true, startedAtMs: Date.now(), isOver: () => false },
  } as const;
  await programs.noteUnapproved({
    ...edit,
    access: { type: 'command', command: started.command, cwd: root },
  });
  const onGone = programs.commandStarted(started);
  expect(programs.commandStarted({ ...started, basis: 'user', isConfined: false })).toBeUndefined();
  const server = { role: 'MCP server "docs"', command: './server', args: [], cwd: root, env: {} };
  const run = await programs.admit(server);
  if (run.type !== 'confined') throw new Error(run.type);
  expect(await programs.review.running()).toMatchObject([
    { command: started.command },
    { role: server.role },
  ]);
  expect(await other.review.running()).toEqual([]);
  const review = async (): Promise<void> => (await other.review.begin())?.confirm();
  await review();
  expect(await other.review.list()).toBeUndefined();
  onGone?.();
  await expect.poll(() => other.review.list()).toBeDefined();
  await review();
  run.release();
  await expect.poll(() => other.review.list()).toBeDefined();
  expect(await programs.review.running()).toEqual([]);
});

test('changes by a confined hook during the review are not reviewed, and are recorded before the program exits', async () => {
  const { programs, root, open } = await bench();
  const start = async () => {
    const run = await programs.admit({ role: 'hook', command: 'npm test', cwd: root, env: {} });
    if (run.type !== 'confined') throw new Error(run.type);
    return run;
  };
  await programs.noteUnapproved(edit);
  const review = await programs.review.begin();
  (await start()).release();
  await programs.settled();
  await review?.confirm();
  expect(await open().review.list()).toBeDefined();
  const late = await start();
  await (await open().review.begin())?.confirm();
  expect(await open().review.list()).toBeUndefined();
  late.release();
  await programs.settled();
  expect(await open().review.list()).toBeDefined();
});

test('a change affects the folders that it may have reached, and sessions in folders around and inside them', async () => {
  const { programs, root, home, open } = await bench({
    files: [
      ['project/inner/x', ''],
      ['lib/bin/tool', ''],
      ['tree/.git/HEAD', ''],
      ['other/x', ''],
    ],
  });
  const at = (name: string): string => join(home, name);
  const state = async (folder: string, command = 'npm test'): Promise<string> => {
    const one = open({ root: folder });
    const run = await one.admit({ role: 'hook', command, cwd: folder, env: {} });
    return run.type;
  };
  await programs.noteUnapproved({ ...edit, access: { type: 'write', paths: [join(root, 'inner/x')] } });
  expect(await state(join(root, 'inner'))).toBe('confined');
  expect([await state(at('other')), await state(at('lib'))]).toEqual(['outside', 'outside']);
  // A repository elsewhere, such as a subagent's worktree.
  await programs.noteUnapproved({ ...edit, access: { type: 'write', paths: [at('tree/src/x')] } });
  expect(await state(at('tree'))).toBe('confined');
  const wide = open({ addedDirectories: () => [at('lib')] });
  await wide.noteUnapproved({ ...edit, access: { type: 'command', command: 'x', cwd: root } });
  expect(await state(at('lib'))).toBe('confined');
  // Even if the folder is not in the workspace, the model may have written programs there.
  expect(await state(root, at('lib/bin/tool'))).toBe('confined');
});

test('a change in a directory that is added later is recorded for its sessions', async () => {
  const { home, root, open } = await bench({
    files: [
      ['lib/package.json', '{}'],
      ['late/package.json', '{}'],
    ],
  });
  const [lib, late] = [join(home, 'lib'), join(home, 'late')];
  let added = [lib];
  const programs = open({ addedDirectories: () => added });
  const state = async (folder: string): Promise<string> => {
    const run = await open({ root: folder }).admit({
      ...{ role: 'hook', command: 'npm test', cwd: folder, env: {} },
    });
    if (run.type === 'confined') run.release();
    return run.type;
  };
  expect(await programs.review.list()).toBeUndefined();
  added = [lib, late];
  await programs.noteUnapproved({ ...edit, access: { type: 'command', command: 'x', cwd: root } });
  expect([await state(lib), await state(late)]).toEqual(['confined', 'confined']);
});

test('an open session learns of the first change made by a session in a folder inside', async () => {
  const { programs, run, root, open } = await bench({ files: [['project/sub/package.json', '{}']] });
  expect(await run('npm --prefix sub run lint')).toBe('outside');
  const sub = join(root, 'sub');
  await open({ root: sub }).noteUnapproved({
    ...edit,
    access: { type: 'write', paths: [join(sub, 'package.json')] },
  });
  expect(await run('npm --prefix sub run lint')).toBe('confined');
  expect(await programs.review.list()).toMatchObject({ paths: [join(sub, 'package.json')] });
});

test('if nothing can be stored, the session itself still knows, and says so once', async () => {
  const { programs, home, root, warnings, open } = await bench();
  writeFileSync(join(home, '.clawdcode'), 'a file where the data folder should be');
  await programs.noteUnapproved(edit);
  await programs.noteUnapproved(edit);
  const run = await programs.admit({ role: 'hook', command: 'npm test', cwd: root, env: {} });
  expect(run.type).toBe('confined');
  expect(warnings).toEqual([
    expect.stringMatching(/^Changes without your approval cannot be recorded/),
    expect.stringContaining('runs in the sandbox'),
  ]);
  await expect(programs.review.begin()).rejects.toThrow();
  expect(open()).toBeDefined();
});

test('a session without persistence stores no paths', async () => {
  const { open } = await bench();
  await open({ isEphemeral: true }).noteUnapproved(edit);
  expect(await open().review.list()).toMatchObject({ paths: [], hasOthers: true });
});

test('a variable through which any program loads workspace code confines the hook', async () => {
  const { run, programs, home, root } = await bench();
  await programs.noteUnapproved(edit);
  const hook = (env: Record<string, string>) => run('notify-send x', undefined, { env });
  expect(await hook({ PYTHONPATH: `${home}/lib`, NODE_OPTIONS: '--max-old-space-size=4096' })).toBe(
    'outside',
  );
  expect(await hook({ PYTHONPATH: `${home}/lib:` })).toBe('confined');
  expect(await hook({ LD_PRELOAD: join(root, 'x.so') })).toBe('confined');
  expect(await hook({ PATH: `/usr/bin:${root}/bin` })).toBe('confined');
  expect(await hook({ XDG_CONFIG_HOME: join(root, 'config') })).toBe('confined');
  expect(await hook({ HOME: join(root, 'home') })).toBe('confined');
  expect(await hook({ VIRTUAL_ENV: join(root, '.venv') })).toBe('outside');
  const apart = { cwd: join(home, 'servers'), env: { VIRTUAL_ENV: join(root, '.venv') }, isApart: true };
  mkdirSync(apart.cwd);
  expect(await run('poetry', ['run', 'server'], { ...apart, env: {} })).toBe('outside');
  expect(await run('poetry', ['run', 'server'], apart)).toBe('confined');
});

test('a socket in a temporary folder does not count as code', async () => {
  const { home, root, open } = await bench();
  const temporary = join(home, 'tmp');
  mkdirSync(temporary);
  const server = createServer().listen(join(temporary, 'agent'));
  await once(server, 'listening');
  const programs = open({ temporary: [temporary] });
  await programs.noteUnapproved(edit);
  const hook = async (env: Record<string, string>) =>
    (await programs.admit({ role: 'hook', command: 'notify-send x', cwd: root, env })).type;
  expect(await hook({ SSH_AUTH_SOCK: join(temporary, 'agent'), TMUX: `${temporary}/agent,1,0` })).toBe(
    'outside',
  );
  expect(await hook({ GTK_PATH: join(temporary, 'lib') })).toBe('confined');
  server.close();
});

test('files that a confined program plants for others are reported when it ends', async () => {
  const { run, programs, planted, warnings, told } = await bench();
  await programs.noteUnapproved(edit);
  await run('npm test');
  warnings.length = 0;
  planted.push('.mcp.json', '.envrc');
  await run('npm test');
  expect(warnings).toEqual([
    'Your hook "npm test" changed files that other programs run: .mcp.json, .envrc.',
  ]);
  expect(told).toEqual([
    'The user\'s hook "npm test" ran in the sandbox. (It created or changed .mcp.json, .envrc, which other programs run or read as settings.)',
  ]);
});

test('temporary folders, allowWrite and files opened by a rule count as the model’s, not the user’s', async () => {
  const { root, home, open } = await bench({
    files: [
      ['tmp/lib/x', ''],
      ['other/package.json', ''],
      ['open/.git/HEAD', ''],
      ['notes', ''],
    ],
  });
  const at = (name: string): string => join(home, name);
  const first = open({ temporary: [at('tmp')], allowWrite: [at('open')] });
  const admit = async (one: LiveSettingsPrograms, command: string, cwd = root): Promise<string> => {
    const run = await one.admit({ role: 'hook', command, cwd, env: {} });
    if (run.type === 'confined') run.release();
    return run.type;
  };
  const commands = [
    ...['cat >> ~/tmp/log', 'cp -r ~/tmp/lib ~/lib', 'cd ~/tmp && make', 'cd ~/other && npm test'],
    'cd ~/open && npm test',
  ];
  for (const command of commands)
    expect([command, await admit(first, command)]).toEqual([command, 'outside']);
  await first.noteUnapproved({ ...edit, access: { type: 'write', paths: [at('other/package.json')] } });
  for (const command of commands)
    expect([command, await admit(first, command)]).toEqual([command, 'confined']);
  expect(await admit(first, 'date >> ~/log')).toBe('outside');
  expect(await admit(open({ root: at('other') }), 'npm test', at('other'))).toBe('confined');
  expect(await admit(open({ root: at('open') }), 'npm test', at('open'))).toBe('outside');
  await first.noteUnapproved({ ...edit, access: { type: 'command', command: 'x', cwd: root } });
  expect(await admit(open({ root: at('open') }), 'npm test', at('open'))).toBe('confined');
  // A home in the temporary folder is still the user's.
  const inside = open({ temporary: [dirname(home)] });
  expect(await admit(inside, 'date >> ~/log')).toBe('outside');
  // A changed file does not make the whole home count as changed, either.
  await first.noteUnapproved({ ...edit, access: { type: 'write', paths: [at('notes')] } });
  expect(await admit(first, 'date >> ~/log')).toBe('outside');
});

const reader = 'python3 -c "import sys, json; json.load(sys.stdin)"';
const ownFiles = [
  ['.claude/hooks/audit.py', 'import json'],
  ['.claude/hooks/guard', '#!/usr/bin/env python3\nimport json\n'],
  ['.claude/hooks/line.sh', '#!/bin/bash\ninput=$(cat)\necho "$(echo "$input" | jq -r .model.id)"\n'],
  ['.local/bin/tool', '#!/usr/bin/python3\nimport tool\n'],
  ['hooks/x.js', ''],
] as const;

describe('in a folder that the user has not trusted', () => {
  const home = temporaryFolderOfFile();
  let shared: Bench;
  beforeAll(async () => {
    shared = await bench({ files: ownFiles, home });
  });
  test.each([
    ...[reader, 'python3 -m json.tool', 'python3 -', 'timeout 5 python3 -c "import json"'],
    ...['python3 ~/.local/bin/tool', '/usr/bin/python3 -c "import json"'],
    ...['python3 ./check.py'],
    ...['PYTHONPATH=. python3 ~/.claude/hooks/audit.py'],
    ...['python3 ~/.claude/hooks/audit.py --strict', '~/.claude/hooks/guard', 'node ~/hooks/x.js'],
  ])(
    'what may take code from there is confined, although the user’s own settings name it: %s',
    async (command) => {
      const { run, open, root } = shared;
      expect(await run(command)).toBe('outside');
      const program = { role: 'hook', command, cwd: root, env: {} };
      const got = await open({ isUntrusted: true }).admit(program);
      if (got.type === 'confined') got.release();
      expect(got.type).toBe('confined');
      expect(got.type === 'confined' && got.advice('', 1)).toContain(
        'because it may run code of this folder, which you have not trusted. To let it run outside the sandbox, trust the folder',
      );
      expect((await open({ isUntrusted: true, excluded: [command] }).admit(program)).type).toBe('outside');
      const ofFolder = { ...program, ofFolder: { command } };
      const apart = { ...program, cwd: join(home, 'empty'), isApart: true };
      expect((await open({ isUntrusted: true }).admit(apart)).type).toBe('outside');
      expect((await open().admit(ofFolder)).type).toBe('outside');
    },
  );

  test.each([
    ...['jq -r .tool_name >> ~/log', 'notify-send done', 'git status --short | wc -l'],
    ...['~/.claude/hooks/line.sh', 'bash ~/.claude/hooks/line.sh'],
  ])(
    'what runs nothing of the folder runs as usual, a script that is understood in full included: %s',
    async (command) => {
      const { open, root } = shared;
      const got = await open({ isUntrusted: true }).admit({ role: 'hook', command, cwd: root, env: {} });
      expect(got.type).toBe('outside');
    },
  );

  test('git is confined if the folder’s repository makes it start programs', async () => {
    const { open, root } = await bench({
      files: [
        ['project/.git/HEAD', 'ref: refs/heads/main\n'],
        ['project/.git/config', '[core]\nrepositoryformatversion = 0\nfsmonitor = "touch x; false"\n'],
        ['project/.git/objects/x', ''],
        ['project/.git/refs/x', ''],
      ],
    });
    const got = await open({ isUntrusted: true }).admit({
      ...{ role: 'status line command', command: 'git status --short | wc -l', cwd: root, env: {} },
    });
    expect(got.type).toBe('confined');
  });

  test('git in the user’s own scripts runs no code of the folder unless it is trusted; their other variables stay', async () => {
    const { open, root } = await bench({ files: ownFiles });
    const own = { HOME: root, PYTHONPATH: '/opt/own', NODE_OPTIONS: '--no-warnings' };
    const inRoot = { cwd: root, env: { PATH: process.env.PATH ?? '', ...own } };
    execFileSync('git', ['init', '-q'], inRoot);
    execFileSync('git', ['config', 'core.fsmonitor', 'touch ran-git; false'], inRoot);
    const program = { role: 'hook', command: '~/.claude/hooks/line.sh', ...inRoot };
    const start = async (isUntrusted: boolean) => {
      const got = await open({ isUntrusted }).admit(program);
      if (got.type !== 'outside') throw new Error(got.type);
      execFileSync('git', ['status', '--short'], { cwd: root, env: got.env ?? program.env, stdio: 'ignore' });
      return { env: got.env, ran: readdirSync(root).filter((name) => name.startsWith('ran-')) };
    };
    const untrusted = await start(true);
    expect(untrusted.ran).toEqual([]);
    expect(untrusted.env).toMatchObject(own);
    const trusted = await start(false);
    expect(trusted.ran).toContain('ran-git');
    expect(trusted.env).toBeUndefined();
  });

  test.each<[string, (root: string) => { args: string[]; env?: Record<string, string> }]>([
    ['confined', (root) => ({ args: [join(root, 'dep/index.js')] })],
    ['confined', () => ({ args: ['-e', 'require(process.env.CLAUDE_PROJECT_DIR)'] })],
    ['confined', () => ({ args: ['x.js', '~/project/dep'] })],
    ['confined', () => ({ args: ['x.js', '--dir=../project'] })],
    ['confined', () => ({ args: ['x.js', '--dir=~/'] })],
    ['confined', () => ({ args: ['-e', 'process.chdir("../link")'] })],
    ['outside', () => ({ args: ['x.js', '--dir=~/other', '--url=https://a.b/c'] })],
    ['confined', (root) => ({ args: ['x.js'], env: { NODE_OPTIONS: `--require ${root}/x.js` } })],
    ['confined', (root) => ({ args: ['x.js'], env: { LINT_ROOT: root } })],
    ['confined', (root) => ({ args: ['x.js'], env: { LINT_ROOT: `a:${root}/b` } })],
    ['outside', (root) => ({ args: ['x.js'], env: { HOME: join(root, '..'), OTHER: '/opt/other' } })],
  ])(
    'an own server that starts in an empty folder is %s, by whether it names the folder: %s',
    async (type, of) => {
      const { open, root, home } = await bench({ files: ownFiles });
      symlinkSync(root, join(home, 'link'));
      const server = { role: 'MCP server', command: 'node', cwd: join(home, 'empty'), isApart: true };
      const got = await open({ isUntrusted: true }).admit({ ...server, env: {}, ...of(root) });
      if (got.type === 'confined') got.release();
      expect(got.type).toBe(type);
    },
  );

  test('without a sandbox the user is asked once, or it does not run', async () => {
    const asking = await bench({ state: missing, answer: 'allow', files: ownFiles });
    const programs = asking.open({ isUntrusted: true });
    const program = { role: 'hook', command: reader, cwd: asking.root, env: {} };
    expect((await programs.admit(program)).type).toBe('outside');
    expect((await programs.admit(program)).type).toBe('outside');
    expect(asking.questions).toEqual([
      `Run your hook even though you have not trusted this folder? ${reader}`,
    ]);
    const silent = await bench({ state: missing, files: ownFiles });
    const alone = silent.open({ isUntrusted: true });
    expect(await alone.admit({ ...program, cwd: silent.root })).toMatchObject({
      ...{ type: 'held', isUnasked: true },
      problem: expect.stringContaining('it may run code of this folder, which you have not trusted'),
    });
  });
});

test('a notification script for several systems still notifies after a change', async () => {
  const script = `#!/bin/bash
INPUT=$(cat)
if command -v notify-send >/dev/null 2>&1; then
  notify-send "Done" "$MSG"
elif command -v osascript >/dev/null 2>&1; then
  osascript -e "display notification \\"$MSG\\" with title \\"Done\\""
fi
`;
  const { programs, run, warnings, home } = await bench({ files: [['.claude/n.sh', script]] });
  await programs.noteUnapproved(edit);
  const env = { PATH: join(home, 'no-programs') };
  expect(await run('bash ~/.claude/n.sh', undefined, { env })).toBe('outside');
  expect(warnings).toEqual([]);
});

test('the user is told once that their own program now runs in the sandbox', async () => {
  const { programs, run, warnings } = await bench();
  await programs.noteUnapproved(edit);
  expect(await run('npm run lint')).toBe('confined');
  expect(await run('npm run format')).toBe('confined');
  expect(warnings).toEqual([
    expect.stringMatching(
      /^Your hook "npm run lint" runs in the sandbox: files that it may run were changed/,
    ),
  ]);
});
