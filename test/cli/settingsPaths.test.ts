/** Settings that open folders, from their files to the access of commands and tools, in real namespaces. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { createConfinement } from '../../src/cli/confinement.ts';
import { createDirectoryPort } from '../../src/cli/permissions/addedDirectories.ts';
import { createPermissions } from '../../src/cli/permissions/permissions.ts';
import type { AppPaths } from '../../src/cli/process/appPaths.ts';
import { openFileCheckpoints } from '../../src/cli/sessions/fileCheckpoints.ts';
import { inWorkspace, savedTrust } from '../../src/cli/startup.ts';
import type { SettingsFlags } from '../../src/config/flags.ts';
import { loadSettings } from '../../src/config/loadSettings.ts';
import { readTrust, trustFolder } from '../../src/config/trust.ts';
import type { LoadedSettings } from '../../src/config/types.ts';
import { InProcessEngine } from '../../src/permissions/InProcessEngine.ts';
import type { Grant } from '../../src/protocol/permissions.ts';
import { firstIsQuick } from '../e2e/support/long.ts';
import { grammarFolder } from '../permissions/grammarFolder.ts';
import { hasSandbox } from '../sandbox/confined.ts';
import { temporaryFolderOfFile } from '../temporaryFolder.ts';
import { openWorkbench } from '../tools/workbench.ts';

const engine = new InProcessEngine(grammarFolder(temporaryFolderOfFile()), {});
let base: string;
let place: AppPaths;
const at = (path: string): string => join(base, path);

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'opens-')));
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  });
  for (const folder of ['home/.clawdcode', 'repo', 'etc', 'tmp', 'outside/deep'])
    mkdirSync(at(folder), { recursive: true });
  for (const folder of ['outside', 'outside/deep']) writeFileSync(at(`${folder}/data`), 'SECRET\n');
  vi.stubEnv('TMPDIR', at('tmp'));
  const [home, root] = [at('home'), at('repo')];
  place = {
    ...{ cwd: root, root, home, dataRoot: join(home, '.clawdcode'), packageRoot: base, version: '0' },
    env: { HOME: home, PATH: process.env.PATH, TMPDIR: at('tmp') },
    managed: { folder: at('etc'), ownerUid: process.getuid?.() ?? 0 },
  };
});

interface Given {
  readonly repository?: object;
  readonly user?: object;
  readonly managed?: object;
  readonly flags?: SettingsFlags;
  /** The agent works in a worktree of the repository. */
  readonly worktree?: string;
}

/** A session after a start in which the user approved everything that was shown. */
async function start({ repository = {}, user = {}, managed = {}, flags = {}, worktree }: Given = {}) {
  writeFileSync(at('repo/.clawdcode.json'), JSON.stringify(repository));
  writeFileSync(at('home/.clawdcode/config.json'), JSON.stringify(user));
  writeFileSync(at('etc/managed-settings.json'), JSON.stringify(managed), { mode: 0o644 });
  const { dataRoot, home, root, managed: source } = place;
  const load = async () =>
    loadSettings({
      ...{ dataRoot, home, root, managed: source, env: {}, flags },
      ...savedTrust(await readTrust(dataRoot, root)),
    });
  const asked = await load();
  await trustFolder(dataRoot, root, asked.grants, () => new Date());
  const loaded = { ...(await load()), scripts: [] };
  const all = createPermissions(loaded, { ...place, engine, saved: [], onSaved: async () => {} });
  const permissions = worktree === undefined ? all : all.inWorktree(worktree);
  const own = worktree ?? root;
  const confinement = createConfinement({
    ...{ loaded, permissions, project: root, place: { ...place, root: own, cwd: own } },
    ...{ sandboxMode: undefined, isOffered: () => true, autoAllows: { isOn: false } },
  });
  const bench = await openWorkbench(
    { ...confinement.toolDeps, shell: '/bin/bash' },
    { root: own, cwd: () => own, setCwd: () => undefined },
  );
  onTestFinished(async () => {
    confinement.sandbox.dispose();
    await bench.close();
  });
  const run = async (command: string, basis: Grant['basis'] = 'user'): Promise<string> => {
    const prepared = await bench.prepare('Bash', { command });
    if (prepared.type === 'invalid') throw new Error(prepared.message);
    return (await prepared.run({ basis })).text;
  };
  /** Whether a file may be read, and written in acceptEdits. */
  const opens = async (path: string): Promise<string> => {
    const read = await permissions.decide('Read', { type: 'read', paths: [path] }, 'default');
    const write = await permissions.decide('Edit', { type: 'write', paths: [path] }, 'acceptEdits');
    return `${read.behavior} ${write.behavior}`;
  };
  return { loaded, sandbox: confinement.sandbox, run, opens };
}

const opening = (path: string) => ({
  permissions: { additionalDirectories: [path] },
  sandbox: { allowWrite: [path], allowRead: [path] },
});

describe.skipIf(!hasSandbox)('a folder opened by a repository’s settings', () => {
  test('stays the same after a command replaces it with a link, in this session and the next', async () => {
    const first = await start({ repository: opening('packages/x') });
    expect(await first.opens(at('repo/packages/x/a'))).toBe('allow allow');
    await first.run('mkdir packages && ln -s ../../outside packages/x');
    expect(await first.run('echo x > packages/x/new')).toContain('Read-only');
    expect(await first.opens(at('repo/packages/x/data'))).toBe('ask ask');
    expect(await first.opens(at('outside/data'))).toBe('ask ask');
    const next = await start({ repository: opening('packages/x') });
    expect(next.loaded.problems).toHaveLength(3);
    expect(await next.run('echo x > packages/x/new')).toContain('Read-only');
    expect(await next.opens(at('outside/data'))).toBe('ask ask');
    expect(existsSync(at('outside/new'))).toBe(false);
  });

  test('stays the same after a part of its path is replaced or a link in it moves', async () => {
    mkdirSync(at('shared/a/b'), { recursive: true });
    symlinkSync('shared', at('link'));
    const { loaded, run, opens } = await start({ repository: opening('../link/a/b') });
    expect(loaded.settings.sandbox.allowWrite).toEqual([at('shared/a/b')]);
    expect(await run(`echo x > ${at('shared/a/b/new')} && echo written`)).toBe('written');
    rmSync(at('link'));
    mkdirSync(at('outside/a/b'), { recursive: true });
    symlinkSync('outside', at('link'));
    expect(await run(`echo x > ${at('link/a/b/new')}`)).toContain('Read-only');
    expect(await opens(at('link/a/b/new'))).toBe('ask ask');
    expect(await opens(at('shared/a/b/new'))).toBe('allow allow');
    rmSync(at('shared/a'), { recursive: true });
    symlinkSync('../outside/a', at('shared/a'));
    expect(await run(`echo x > ${at('shared/a/b/new')}`)).toContain('Read-only');
    expect(await opens(at('shared/a/b/new'))).toBe('ask ask');
  });

  test('means the worktree’s folder for an agent in a worktree, and no link in it', async () => {
    const worktree = at('home/.clawdcode/worktrees/w');
    for (const folder of [worktree, at('repo/build')]) mkdirSync(folder, { recursive: true });
    const { run, opens } = await start({ repository: opening('build'), worktree });
    expect(await run(`echo x > ${at('repo/build/new')}`)).toContain('Read-only');
    expect(await opens(at('repo/build/a'))).toBe('ask ask');
    expect(await run('mkdir build && echo x > build/new && cat build/new')).toBe('x');
    // A command cannot replace the folder, since it is mounted; another program can.
    expect(await run('rm -r build && ln -s ../../../../outside build')).toContain('busy');
    rmSync(join(worktree, 'build'), { recursive: true, force: true });
    symlinkSync(at('outside'), join(worktree, 'build'));
    expect(await run('echo x > build/new')).toContain('Read-only');
    expect(await opens(join(worktree, 'build/data'))).toBe('ask ask');
    expect(existsSync(at('outside/new'))).toBe(false);
  });

  test('is not covered by checkpoints if it is a link', async () => {
    const { loaded } = await start({ repository: opening('../later') });
    symlinkSync('outside', at('later'));
    const context = { blobs: () => ({ verbatim: () => ({}) }), entries: () => [] };
    const files = openFileCheckpoints(
      context as never,
      loaded.settings,
      inWorkspace(place, loaded),
      () => {},
      undefined,
    );
    await files?.baseline();
    writeFileSync(at('outside/data'), 'changed');
    expect((await files?.capture(undefined as never))?.changes.map(({ path }) => path)).toEqual([]);
    await files?.close();
  });
});

test.skipIf(!hasSandbox)('a folder on the command line may be a link, which is resolved once', async () => {
  symlinkSync('../outside', at('repo/ext'));
  const { run, opens } = await start({ flags: { addDirs: [at('repo/ext')] } });
  expect(await run(`echo x > ${at('outside/new')} && echo written`)).toBe('written');
  expect(await opens(at('outside/new'))).toBe('allow allow');
  rmSync(at('repo/ext'));
  symlinkSync('../home', at('repo/ext'));
  expect(await run('echo x > ext/new')).toContain('Read-only');
  expect(await opens(at('home/new'))).toBe('ask ask');
});

describe('a directory that is added later', () => {
  const add = async (loaded: LoadedSettings, path: string) => {
    const added: string[] = [];
    const port = createDirectoryPort({
      ...{ place, added: loaded.added, isWithheld: () => false },
      onAdded: async (folder) => void added.push(folder),
    });
    return { result: await port.add(path), added, list: port.list() };
  };

  test('belongs to the workspace from then on', async () => {
    const { loaded, opens } = await start();
    expect(await opens(at('outside/new'))).toBe('ask ask');
    const { result, added, list } = await add(loaded, '../outside');
    expect(result).toEqual({ type: 'added', folder: at('outside') });
    expect(added).toEqual([at('outside')]);
    expect(list).toEqual([at('repo'), at('outside')]);
    expect(await opens(at('outside/new'))).toBe('allow allow');
    expect(await opens(at('outside/.vscode/tasks.json'))).toBe('allow ask');
    expect(await opens(at('home/new'))).toBe('ask ask');
  });

  test('protects the scripts that its own settings run', async () => {
    const { loaded, opens } = await start();
    const hooks = { Stop: [{ hooks: [{ type: 'command', command: './stop.sh' }] }] };
    writeFileSync(at('outside/.clawdcode.json'), JSON.stringify({ hooks }));
    await add(loaded, at('outside'));
    expect(await opens(at('outside/new'))).toBe('allow allow');
    expect(await opens(at('outside/stop.sh'))).toBe('allow ask');
  });

  test.skipIf(!hasSandbox)('is writable for commands, except for protected files', async () => {
    const { loaded, run } = await start();
    expect(await run(`echo x > ${at('outside/new')}`)).toContain('Read-only');
    mkdirSync(at('outside/.vscode'));
    await add(loaded, at('outside'));
    expect(await run(`echo x > ${at('outside/new')} && echo written`)).toBe('written');
    expect(await run(`echo x > ${at('outside/.vscode/tasks.json')}`)).toContain('Read-only');
    rmSync(at('outside'), { recursive: true });
    symlinkSync('home', at('outside'));
    expect(await run(`echo x > ${at('home/new')}`)).toContain('Read-only');
  });

  test.skipIf(!hasSandbox)('stays hidden if managed settings hide it', async () => {
    const { loaded, run } = await start({
      managed: { sandbox: { enabled: true, denyRead: ['../outside'] } },
    });
    await add(loaded, at('outside'));
    expect(await run(`cat ${at('outside/data')}; echo x > ${at('outside/new')}; echo end`)).toMatch(/end$/);
    expect(existsSync(at('outside/new'))).toBe(false);
  });
});

describe.skipIf(!hasSandbox)('what managed settings hide', () => {
  const managed = { sandbox: { enabled: true, denyRead: ['../outside'] } };
  const ways: readonly (readonly [string, () => Given])[] = [
    ['paths of the user', () => ({ user: opening('../outside') })],
    ['--add-dir in it', () => ({ flags: { addDirs: [at('outside/deep')] } })],
    ['an agent in a worktree', () => ({ user: opening('../outside'), worktree: dirname(at('home/w/x')) })],
    ['nothing', () => ({})],
    ['paths of the user in it', () => ({ user: opening('../outside/deep') })],
    ['paths of the user around it', () => ({ user: opening('..') })],
    ['paths of the repository', () => ({ repository: opening('../outside') })],
    ['--add-dir', () => ({ flags: { addDirs: [at('outside')] } })],
    ['a rule', () => ({ user: { permissions: { allow: [`Read(/${at('outside')}/**)`] } } })],
  ];
  for (const {
    row: [way, given],
    options,
  } of firstIsQuick(ways))
    test(`is not opened by ${way}`, options, async () => {
      mkdirSync(at('home/w'));
      const { run } = await start({ managed, ...given() });
      for (const basis of ['user', 'read-only'] as const) {
        const text = await run(
          `cat ${at('outside/data')} ${at('outside/deep/data')}; echo x > ${at('outside/deep/new')}; echo end`,
          basis,
        );
        expect(text).toMatch(/end$/);
        expect(text).not.toContain('SECRET');
      }
      expect(existsSync(at('outside/deep/new'))).toBe(false);
    });

  test('lets no command start if it contains the project, even in a worktree', async () => {
    mkdirSync(at('w'));
    for (const [folder, worktree] of [
      ['.', undefined],
      ['..', undefined],
      ['../w', at('w')],
    ] as const) {
      const hidden = { sandbox: { denyRead: [folder] } };
      const { run, sandbox } = await start({
        managed: hidden,
        ...(worktree === undefined ? {} : { worktree }),
      });
      const text = await run('touch ran');
      const request = { command: 'touch ran', cwd: worktree ?? place.root, env: {}, scratch: at('tmp') };
      const held = await sandbox.confine({ ...request, grant: { basis: 'rule', reason: 'settings' } });
      expect(() => held.launch('/bin/sh', ['-c', 'touch ran'])).toThrow('managed settings');
      held.release();
      expect(text).toContain('managed settings of this machine hide');
      expect([existsSync(at('repo/ran')), existsSync(at('w/ran'))]).toEqual([false, false]);
    }
  });
});

const dotfiles = {
  '.gitconfig': 'gitconfig',
  '.zshrc': 'rc/zshrc',
  '.config/nvim': 'nvim',
  '.config/git/config': 'rc/git',
  '.claude/settings.json': 'claude/settings.json',
  '.claude/plugins/a/b/c/d/e/hooks.json': 'deep/hooks.json',
  '.oh-my-zsh/custom/x.zsh': 'rc/x',
  '.unknown/lib/tool': 'bin/tool',
  '.local/bin/tool': 'bin/tool2',
};

/** Creates the project's file for each, and the link in the home. */
function linkDotfiles(): void {
  for (const [name, target] of Object.entries(dotfiles)) {
    const file = at(`repo/${target}`);
    mkdirSync(dirname(file), { recursive: true });
    if (target === 'nvim') mkdirSync(file);
    else writeFileSync(file, 'first\n');
    mkdirSync(dirname(at(`home/${name}`)), { recursive: true });
    symlinkSync(file, at(`home/${name}`));
  }
  writeFileSync(at('repo/nvim/init.lua'), 'first\n');
}

const linkedSettings = [
  ...['gitconfig', 'rc/zshrc', 'nvim/init.lua', 'rc/git', 'claude/settings.json', 'deep/hooks.json', 'rc/x'],
];

test('settings that links in the home lead to are not edited unasked', async () => {
  linkDotfiles();
  const { opens } = await start();
  for (const path of [...linkedSettings, 'nvim/new.lua'])
    expect(await opens(at(`repo/${path}`)), path).toBe('allow ask');
  for (const path of ['rc/other', 'bin/tool', 'bin/tool2'])
    expect(await opens(at(`repo/${path}`)), path).toBe('allow allow');
});

test.skipIf(!hasSandbox)('a command cannot write settings that links in the home lead to', async () => {
  linkDotfiles();
  const { run } = await start();
  for (const path of [...linkedSettings, 'nvim/new.lua'])
    expect(await run(`echo x >> ${path}`), path).toContain('Read-only');
  const text = await run('echo x | tee rc/other bin/tool bin/tool2 && echo written');
  expect(text).toMatch(/written$/);
});

test.skipIf(!hasSandbox)('nor settings that a variable moves into the project', async () => {
  mkdirSync(at('repo/cfg'));
  writeFileSync(at('repo/cfg/g'), '');
  place = { ...place, env: { ...place.env, GIT_CONFIG_GLOBAL: at('repo/cfg/g') } };
  const { run } = await start();
  expect(await run('echo x >> cfg/g')).toContain('Read-only');
});
