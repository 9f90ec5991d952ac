import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type ProbeOptions, probeMachine } from '../../src/sandbox/probe.ts';
import { temporaryFolder } from '../temporaryFolder.ts';

/** Probes with a shell script in place of bubblewrap, and also returns the arguments of each start. */
async function probeWith(script: string, options: Partial<ProbeOptions> = {}) {
  const folder = temporaryFolder();
  const [program, log] = [join(folder, 'bwrap'), join(folder, 'log')];
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${log}\n${script}\n`);
  chmodSync(program, 0o755);
  const probed = await probeMachine({
    ...{ mode: 'workspace-write', enabled: true, platform: 'linux', machine: 'x64', path: folder },
    ...{ allowUnixSockets: false, ...options },
  });
  return { probed, starts: existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [] };
}

test('one start of bubblewrap is enough if everything works', async () => {
  const { probed, starts } = await probeWith('exit 0');
  expect(probed.state).toEqual({ type: 'on', mode: 'workspace-write' });
  expect(starts).toHaveLength(1);
  if (probed.sealed.includes('/')) expect(starts[0]).toContain('--remount-ro /../oldroot');
});

test('the probe tries again without sealing if bubblewrap cannot seal mounts', async () => {
  const { probed } = await probeWith('case "$*" in *bind-try*) exit 1;; esac');
  expect(probed).toMatchObject({ state: { type: 'on' }, sealed: [], disablesUserns: true });
});

const cannotDisable = 'case "$*" in *--disable-userns*) exit 1;; esac';

test('if bubblewrap cannot disable user namespaces, the filter of system calls is enough', async () => {
  const { probed, starts } = await probeWith(cannotDisable, { allowUnixSockets: true });
  expect(probed).toMatchObject({ state: { type: 'on' }, disablesUserns: false });
  expect(starts).toHaveLength(2);
});

test('if nothing can keep commands from creating user namespaces, there is no sandbox', async () => {
  const options = { machine: 'mips', allowUnixSockets: true };
  const { probed } = await probeWith(cannotDisable, options);
  expect(probed.state).toMatchObject({
    type: 'unavailable',
    reason: expect.stringContaining('user namespaces'),
  });
  const { probed: newer } = await probeWith('exit 0', options);
  expect(newer).toMatchObject({ state: { type: 'on' }, disablesUserns: true });
});

test('the probe reports the error message of a bubblewrap that does not work', async () => {
  const { probed } = await probeWith('echo "bwrap: no namespaces" >&2; exit 1');
  expect(probed.state).toMatchObject({
    type: 'unavailable',
    reason: 'bubblewrap does not work here: bwrap: no namespaces',
  });
});

test('the probe starts nothing if the settings turn the sandbox off', async () => {
  const { probed, starts } = await probeWith('exit 0', { enabled: false });
  expect(probed.state.type).toBe('off');
  expect(starts).toEqual([]);
});
