/** Protected places that another program replaces, or a command that has got around the mounts. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { probeMachine } from '../../src/sandbox/probe.ts';
import { type Confined, confined, type Given, hasSandbox } from './confined.ts';

const git = (root: string, ...args: readonly string[]): void => {
  const { status, stderr } = spawnSync('git', ['-C', root, ...args], { encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
};

/** Runs a command in a project with git, and does something outside the sandbox meanwhile. */
async function during(at: Confined, act: (root: string) => void): Promise<string> {
  const { root, run } = at;
  const running = run('touch ready; while [ ! -e go ]; do sleep 0.02; done');
  await vi.waitFor(() => expect(existsSync(join(root, 'ready'))).toBe(true), 60_000);
  act(root);
  writeFileSync(join(root, 'go'), '');
  return (await running).text;
}

async function project(given: Given = {}): Promise<Confined> {
  const at = await confined(given);
  git(at.root, 'init', '-q');
  mkdirSync(join(at.root, '.vscode'));
  writeFileSync(join(at.root, '.vscode/settings.json'), '{}');
  return at;
}

describe.skipIf(!hasSandbox)('while a command runs', () => {
  test.each([
    ['another command', false],
    ['a git command', true],
  ])('a .git in the place of the former one is set aside: %s', async (_, mayChangeGit) => {
    const at = await project({ mayChangeGit });
    const text = await during(at, (root) => {
      renameSync(join(root, '.git'), join(root, 'moved'));
      git(root, 'init', '-q');
      writeFileSync(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\n', { mode: 0o755 });
    });
    expect(text).toContain('.git (renamed to .git-set-aside: it replaced the one that was there');
    expect(existsSync(join(at.root, '.git'))).toBe(false);
    expect(existsSync(join(at.root, '.git-set-aside/hooks/pre-commit'))).toBe(true);
  });

  test('even if a command gets around the mounts, the .git that it creates does not stay', async () => {
    // Without anything that keeps it from creating user namespaces.
    const probe: typeof probeMachine = async (options) => ({
      ...(await probeMachine(options)),
      disablesUserns: false,
    });
    const at = await project({ options: { probe, machine: 'mips', allowUnixSockets: true } });
    const { text } =
      await at.run(`cp -r .git evil && echo '[core] fsmonitor = x' >> evil/config && python3 -c '
import ctypes, os
libc = ctypes.CDLL(None)
top = os.open(".", os.O_RDONLY)
root = os.path.abspath("root").encode()
os.makedirs("root/old")
libc.unshare(0x10020000)
libc.mount(b"none", b"/", None, 0x44000, None)
libc.mount(root, root, None, 0x1000, None)
os.chdir(root)
libc.syscall(${process.arch === 'x64' ? 155 : 41}, b".", b"old")
libc.umount2(b"/old", 2)
os.rename(".git", "moved", src_dir_fd=top, dst_dir_fd=top)
os.rename("evil", ".git", src_dir_fd=top, dst_dir_fd=top)
print("REPLACED")
'`);
    expect(text).toContain('REPLACED');
    expect(text).toContain('.git (renamed to .git-set-aside');
    expect(existsSync(join(at.root, '.git'))).toBe(false);
  });

  test('the project’s own .git stays if it returns to its place', async () => {
    const at = await project();
    const text = await during(at, (root) => {
      renameSync(join(root, '.git'), join(root, 'moved'));
      renameSync(join(root, 'moved'), join(root, '.git'));
    });
    expect(text).not.toContain('set-aside');
    expect(existsSync(join(at.root, '.git'))).toBe(true);
  });

  test.each([false, true])('settings that the user changes stay (git command: %s)', async (mayChangeGit) => {
    const at = await project({ mayChangeGit });
    const text = await during(at, (root) => git(root, 'config', 'core.fsmonitor', '/bin/true'));
    expect(text).not.toContain('set-aside');
    expect(readFileSync(join(at.root, '.git/config'), 'utf8')).toContain('fsmonitor');
  });

  test('another folder in the place of a protected one is reported as changed', async () => {
    const text = await during(await project(), (root) => {
      renameSync(join(root, '.vscode'), join(root, 'moved'));
      mkdirSync(join(root, '.vscode'));
    });
    expect(text).toContain('It created or changed .vscode');
  });
});
