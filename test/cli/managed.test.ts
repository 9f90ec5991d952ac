/** Managed settings at the start: invalid rules, and flags that must not loosen them. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boot } from '../../src/cli/boot.ts';
import { parseArguments } from '../../src/cli/options.ts';
import type { AppPaths } from '../../src/cli/process/appPaths.ts';
import { createDebugLog } from '../../src/cli/process/debugLog.ts';
import { ownSettings } from '../../src/cli/sessionCommand/ownSettings.ts';
import { readSettings, sandboxByFlag, trustIn } from '../../src/cli/startup.ts';

async function placeWith(policy: object): Promise<AppPaths> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-managed-start-')));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  for (const folder of ['data', 'project']) await mkdir(join(base, folder));
  await mkdir(join(base, 'etc'), { mode: 0o755 });
  await writeFile(join(base, 'etc/managed-settings.json'), JSON.stringify(policy), { mode: 0o644 });
  return {
    cwd: join(base, 'project'),
    root: join(base, 'project'),
    home: base,
    dataRoot: join(base, 'data'),
    packageRoot: base,
    version: '1.0.0',
    env: {},
    managed: { folder: join(base, 'etc'), ownerUid: process.getuid?.() ?? 0 },
  };
}

async function start(policy: object, argv: readonly string[] = []) {
  const place = await placeWith(policy);
  const parsed = await parseArguments(argv, '1.0.0');
  if (parsed.type !== 'run') throw new Error(parsed.stderr);
  const loaded = await readSettings(place, parsed.options, await trustIn(place));
  return { loaded, options: parsed.options };
}

test('an invalid managed rule stops the program at the start', async () => {
  const started = start({ permissions: { deny: ['Bsh(rm *)'] } });
  await expect(started).rejects.toMatchObject({ name: 'ManagedSettingsError' });
});

test('managed settings apply even where no flags are read, and mistakes in them are errors', async () => {
  expect((await ownSettings(await placeWith({ maxTurns: 7 }))).maxTurns).toBe(7);
  await expect(ownSettings(await placeWith({ maxTurn: 7 }))).rejects.toMatchObject({
    name: 'ManagedSettingsError',
  });
});

test.each([
  ['--yolo', { permissions: { disableBypassPermissionsMode: 'disable' } }],
  ['--permission-mode=auto', { permissions: { disableAutoMode: 'disable' } }],
])('%s is a command line error if managed settings disable that mode', async (flag, policy) => {
  const { loaded } = await start(policy, [flag]);
  expect(loaded.problems.map(({ layer }) => layer)).toEqual(['flag']);
  expect(loaded.settings.permissions.defaultMode).toBe('default');
});

test.each([{ sandbox: { mode: 'read-only' } }, { sandbox: { enabled: true } }])(
  'with managed settings %j, -s is ignored',
  async (policy) => {
    const { loaded, options } = await start(policy, ['-s', 'danger-full-access']);
    expect(sandboxByFlag(loaded, options.sandbox)).toBeUndefined();
    expect(loaded.problems).toMatchObject([{ layer: 'flag', file: '--sandbox' }]);
  },
);

test('otherwise -s applies', async () => {
  const { loaded, options } = await start({ maxTurns: 7 }, ['-s', 'read-only']);
  expect(sandboxByFlag(loaded, options.sandbox)).toBe('read-only');
  expect(loaded.problems).toEqual([]);
});

test('the screen starts in the managed mode, whatever the flag, and does not start after a mistake', {
  tags: 'long',
}, async () => {
  const booted = async (policy: object) => {
    const place = await placeWith(policy);
    const parsed = await parseArguments(['--demo', '--permission-mode', 'bypassPermissions'], '1.0.0');
    if (parsed.type !== 'run') throw new Error(parsed.stderr);
    return boot(
      place,
      parsed.options,
      createDebugLog(place.dataRoot, false, () => new Date()),
      () => undefined,
    );
  };
  const ready = await booted({ permissions: { defaultMode: 'plan' } });
  if (ready.type !== 'ready') throw new Error(ready.type);
  const opened = await ready.services.open({ type: 'new' });
  if (opened.type !== 'opened') throw new Error(opened.type);
  const { agent } = opened.session;
  await agent.idle();
  expect(agent.state()).toMatchObject({ mode: 'plan', modes: { refused: { auto: expect.any(String) } } });
  await agent.close();
  await expect(booted({ permission: {} })).rejects.toMatchObject({ name: 'ManagedSettingsError' });
});
