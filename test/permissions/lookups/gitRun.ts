/** Runs git in a test's repository, without the user's hooks and keys. */
import { spawnSync } from 'node:child_process';

export const gitIn =
  (place: string) =>
  (...args: readonly string[]): string => {
    const own = ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'commit.gpgSign=false'];
    const all = [...own, '-c', 'core.hooksPath=/dev/null', ...args];
    const { status, stdout, stderr } = spawnSync('git', all, { cwd: place, encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
    return stdout.trim();
  };
