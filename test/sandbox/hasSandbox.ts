/** Separate from `confined.ts`, which loads the sandbox and the permissions: tests of the program need only this. */
import { spawnSync } from 'node:child_process';

/** True if this machine can run a sandbox; without one these tests are skipped. */
export const hasSandbox =
  process.platform === 'linux' &&
  spawnSync('bwrap', [
    '--unshare-all',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--',
    '/bin/sh',
    '-c',
    ':',
  ]).status === 0;
