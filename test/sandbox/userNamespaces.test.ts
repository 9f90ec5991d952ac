/** In a user namespace of its own, a command could drop the mounts that make files of the project read-only. */
import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/options.ts';
import { probeMachine } from '../../src/sandbox/probe.ts';
import { confined, hasSandbox } from './confined.ts';

/** The sandbox without `--disable-userns`, as with old versions of bubblewrap and in many containers. */
const withOldBubblewrap: typeof probeMachine = async (options) => ({
  ...(await probeMachine(options)),
  disablesUserns: false,
});

/** Whether this bubblewrap can disable user namespaces. */
const disablesUserns =
  hasSandbox &&
  (
    await probeMachine({
      ...{ mode: 'workspace-write', enabled: true, platform: 'linux', machine: process.arch },
      ...{ path: process.env.PATH ?? '', allowUnixSockets: false },
    })
  ).disablesUserns;

describe.skipIf(!hasSandbox)('a command cannot create user namespaces', () => {
  const layers: readonly (readonly [string, Partial<SandboxOptions>])[] = [
    ['by default', {}],
    ['by the filter alone', { probe: withOldBubblewrap }],
    ['by the filter alone, with Unix sockets', { probe: withOldBubblewrap, allowUnixSockets: true }],
    ...(disablesUserns
      ? [['by bubblewrap alone', { machine: 'mips', allowUnixSockets: true }] as const]
      : []),
  ];
  test.each(layers)('%s', async (_, options) => {
    const { run } = await confined({ options });
    // The first calls unshare(2), the second clone(2).
    const { text } = await run(`
      unshare --user echo UNSHARED
      bwrap --unshare-user --ro-bind / / echo CLONED
      echo ran`);
    expect(text).toContain('ran');
    expect(text).not.toMatch(/^(?:UNSHARED|CLONED)/m);
  });

  test.each([
    ['by default', {}],
    ['with Unix sockets', { allowUnixSockets: true }],
  ])('through calls whose flags a filter cannot read, nor join one: %s', async (_, options) => {
    const { run } = await confined({ options: { probe: withOldBubblewrap, ...options } });
    const { text } = await run(`python3 -c '
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
def result(called): return "ok" if called >= 0 else errno.errorcode[ctypes.get_errno()]
print("clone3", result(libc.syscall(435, 0, 0)))
print("setns", result(libc.setns(-1, 0)))
import threading, subprocess
threading.Thread(target=print, args=("thread",)).start()
print(subprocess.run(["echo", "process"], capture_output=True, text=True).stdout)
'`);
    expect(text).toContain('clone3 ENOSYS\nsetns EPERM');
    expect(text).toMatch(/thread[\s\S]*process/);
  });
});
