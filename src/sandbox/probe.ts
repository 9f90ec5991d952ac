/** Detects which sandbox this machine supports. */
import { spawn } from 'node:child_process';
import { closeSync, readFileSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { isExecutable, namesIn } from '../disk/fileLookups.ts';
import type { SandboxMode, SandboxState } from '../protocol/sandbox.ts';
import { probeArguments } from './linux/bubblewrap.ts';
import { mountsNow, writableMounts } from './linux/mountCheck.ts';
import { callFilter } from './linux/seccomp.ts';

const PROBE_TIMEOUT_MS = 5000;
/** Part of macOS. */
export const SEATBELT = '/usr/bin/sandbox-exec';

/** Everything that determines whether a sandbox is available. */
export interface ProbeOptions {
  readonly mode: SandboxMode;
  /** False = the user's settings switch it off. */
  readonly enabled: boolean;
  readonly platform: NodeJS.Platform;
  readonly machine: string;
  /** Where bubblewrap and nsenter are looked up: a PATH without folders that commands may write to. */
  readonly path: string;
  readonly allowUnixSockets: boolean;
}

/** What a session's sandboxes know about this machine. */
export interface ProbedMachine {
  readonly state: SandboxState;
  /** Bubblewrap on Linux, absolute; otherwise empty. */
  readonly bwrap: string;
  /**
   * The mounts of this machine to make read-only while bubblewrap sets up the sandbox; empty if this version of it does
   * not need that.
   */
  readonly sealed: readonly string[];
  /** True if bubblewrap can keep commands from creating user namespaces; the filter of system calls does so too. */
  readonly disablesUserns: boolean;
}

/** Tests what this machine supports; takes as long as one command. Never rejects. */
export async function probeMachine({
  enabled,
  mode,
  platform,
  path,
  machine,
  allowUnixSockets,
}: ProbeOptions): Promise<ProbedMachine> {
  const without = (state: SandboxState): ProbedMachine => ({
    ...{ state, bwrap: '', sealed: [], disablesUserns: false },
  });
  const unavailable = (reason: string, fix: string): ProbedMachine =>
    without({ type: 'unavailable', reason, fix });
  if (mode === 'danger-full-access')
    return without({ type: 'off', reason: 'sandbox mode danger-full-access', isFullAccess: true });
  if (!enabled) return without({ type: 'off', reason: 'turned off in the settings (sandbox.enabled)' });
  if (platform === 'darwin')
    return isExecutable(SEATBELT)
      ? without({ type: 'on', mode })
      : unavailable(`${SEATBELT} is missing`, 'It comes with macOS; repair the system.');
  if (platform !== 'linux')
    return unavailable(`not available for ${platform}`, 'Run ClawdCode in WSL or a container.');
  const bwrap = find('bwrap', path);
  if (bwrap === undefined)
    return unavailable(
      'bubblewrap is not installed',
      'Install the package bubblewrap (apt, dnf, pacman, apk or zypper).',
    );
  const hasFilter = callFilter(machine, { anySocket: allowUnixSockets }) !== undefined;
  if (!allowUnixSockets && !hasFilter)
    return unavailable(`no socket filter for ${machine}`, 'Set sandbox.network.allowUnixSockets.');
  const all = writableMounts(mountsNow());
  let problem: string | undefined;
  for (const sealed of all.length === 0 ? [all] : [all, []])
    for (const disablesUserns of [true, false]) {
      problem = await problemOf(bwrap, probeArguments({ sealed, disablesUserns }));
      if (problem !== undefined) continue;
      if (disablesUserns || hasFilter) return { state: { type: 'on', mode }, bwrap, sealed, disablesUserns };
    }
  if (problem === undefined)
    return unavailable(
      'commands could create user namespaces, and leave the sandbox through them',
      'Install bubblewrap 0.8 or newer; in a container, make /proc/sys writable.',
    );
  return unavailable(
    `bubblewrap does not work here: ${problem}`,
    'It needs unprivileged user namespaces: see kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, or the options of the container.',
  );
}

/** The error message if bubblewrap cannot do what commands need; undefined on success. */
function problemOf(bwrap: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(bwrap, args, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {},
      timeout: PROBE_TIMEOUT_MS,
    });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(0, 300);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) => resolve(code === 0 ? undefined : output.trim() || `exit code ${code}`));
  });
}

/** The absolute path of a program in the folders of a PATH. */
export function find(program: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

const FLAGS = /^flags:\s*([0-7]+)$/m;
/** As in fcntl.h, on every architecture on which Linux runs Node. Node sets it on everything it opens itself. */
const CLOSE_ON_EXEC = 0o2000000;

/**
 * Closes the descriptors that a command would inherit, except for the standard ones: a folder that the parent of this
 * process left open bypasses every mount of a sandbox. Node closes only the lowest of them for its children (libuv:
 * uv_disable_stdio_inheritance stops at a gap); on macOS it starts programs without any (posix_spawn with
 * POSIX_SPAWN_CLOEXEC_DEFAULT). Does nothing outside Linux.
 */
export function closeInheritedFiles(): void {
  for (const descriptor of namesIn('/proc/self/fd').map(Number))
    if (isInherited(descriptor)) close(descriptor);
}

function isInherited(descriptor: number): boolean {
  if (!(descriptor > 2)) return false;
  try {
    const flags = FLAGS.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'utf8'))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & CLOSE_ON_EXEC) === 0;
  } catch {
    // It was the descriptor used to read the folder.
    return false;
  }
}

function close(descriptor: number): void {
  try {
    closeSync(descriptor);
  } catch {
    // It has been closed in the meantime.
  }
}
