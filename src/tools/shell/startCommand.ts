/** Starts a shell command in its own process group, without a terminal and with empty input. */
import { type ChildProcess, spawn } from 'node:child_process';
import { constants as fileConstants, readdirSync, readFileSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { signalGroup } from '../../disk/signalGroup.ts';
import {
  type Confinement,
  type EarlyStart,
  type Launch,
  type LaunchPipe,
  launchPipesOf,
} from '../../protocol/sandbox.ts';
import { quoteWord } from '../../protocol/text/quoteWord.ts';
import type { EarlyProcess } from './EarlyProcess.ts';
import type { OutputPipes } from './OutputPipes.ts';
import { makeScratch } from './scratch.ts';

/** How long to wait for more output after the shell has exited, while a child holds the pipe. */
const DRAIN_MS = 100;
/** How long a sandbox may take to exit after its command, on a busy machine. */
const EXIT_MS = 300;
const ALIVE_POLL_MS = 1;
const GONE_POLL_MS = 500;

export interface CommandSpec {
  readonly shell: string;
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A PATH without folders of the project, for our own helper programs such as mkfifo. */
  readonly ownPath: string;
  readonly onChunk: (chunk: Buffer) => void;
  /** Confines the command; `scratch` is its private folder. Absent = it runs with the user's rights. */
  readonly confine?: (scratch: string) => Promise<Confinement | undefined>;
}

export type CommandEnd =
  | { readonly type: 'exited'; readonly code: number; readonly signal?: NodeJS.Signals }
  /** The shell could not be started. */
  | { readonly type: 'failed'; readonly message: string };

export interface RunningCommand {
  /** Resolves when the shell has exited and its output is complete. Never rejects. */
  readonly finished: Promise<CommandEnd>;
  /** True if any process of the command's group is left. */
  readonly alive: () => boolean;
  /** The directory in which the shell ended; undefined if it was not recorded. */
  readonly finalCwd: () => Promise<string | undefined>;
  /** True if background jobs ended with the shell, because their sandbox did. */
  readonly lostJobs: () => Promise<boolean>;
  /** Stops the entire group: SIGTERM at once, SIGKILL after a grace period. */
  readonly stop: () => Promise<void>;
  /** Releases the pipe and the temporary files; output is no longer read. */
  readonly release: () => Promise<void>;
  /** How the command is confined. */
  readonly confinement?: Confinement;
  /** The pid of the shell, or of the program that confines it; undefined if it could not be started. */
  readonly pid: number | undefined;
}

/** Never rejects because of the command; rejects with a system error if there is no temporary directory. */
export async function startCommand(
  spec: CommandSpec,
  pipes: OutputPipes,
  early: EarlyProcess,
): Promise<RunningCommand> {
  const scratch = await makeScratch(tmpdir());
  const cwdFile = join(scratch, 'cwd');
  const [jobsFile, commandFile] = [join(scratch, 'jobs'), join(scratch, 'command')];
  const script = shellScript(spec.shell, spec.command, { cwdFile, jobsFile, commandFile });
  if (script.commandText !== undefined) await writeFile(commandFile, script.commandText, { mode: 0o600 });
  // Runs in parallel; a rejection is handled below.
  const confining = spec.confine?.(scratch);
  confining?.catch(() => undefined);
  let pipe = early.isReady ? undefined : await pipes.take(spec.ownPath);
  let confinement: Confinement | undefined;
  let child: ChildProcess;
  let refused: Promise<string | undefined> | undefined;
  let earlyStart: EarlyStart | undefined;
  try {
    confinement = await confining;
    if (confinement?.refusal !== undefined) {
      pipe?.reader.destroy();
      await rm(scratch, { recursive: true, force: true });
      return notStarted(confinement.refusal, confinement);
    }
    const start: Launch = confinement?.launch(spec.shell, script.args) ?? {
      program: spec.shell,
      args: script.args,
      env: spec.env,
      inherit: [],
    };
    earlyStart = start.early;
    const begun = earlyStart && early.run(earlyStart);
    let gate: readonly LaunchPipe[];
    if (begun === undefined) {
      pipe ??= await pipes.take(spec.ownPath);
      const output = pipe?.writeEnd ?? 'pipe';
      child = spawn(start.program, start.args, {
        cwd: spec.cwd,
        env: { ...start.env, PWD: spec.cwd },
        stdio: ['ignore', output, output, ...start.inherit],
        detached: true,
      });
      gate = launchPipesOf(child);
    } else {
      // It was not waiting yet when the pipe was taken.
      pipe?.reader.destroy();
      pipe?.closeWriteEnd();
      ({ child, pipe, gate } = begun);
    }
    if (child.pid !== undefined) refused = start.admit?.(child.pid, gate);
  } catch (error) {
    confinement?.release();
    // Some startup failures (environment too large, NUL in the command) are thrown; others are emitted as events.
    pipe?.reader.destroy();
    await rm(scratch, { recursive: true, force: true });
    throw error;
  } finally {
    pipe?.closeWriteEnd();
  }
  const streams = pipe === undefined ? outputsOf(child) : [pipe.reader];
  const drained = Promise.all(streams.map((stream) => readToEnd(stream, spec.onChunk)));
  const leader = child.pid;
  const alive = (): boolean => leader !== undefined && groupAlive(leader, confinement);
  return {
    finished: exitOf(child).then(async (end) => {
      const message = await refused;
      if (message !== undefined) return { type: 'failed', message };
      const deadline = performance.now() + EXIT_MS;
      await Promise.race([drained, delay(DRAIN_MS)]);
      // A sandbox takes a moment to exit after its command.
      while (performance.now() < deadline && alive()) await delay(ALIVE_POLL_MS);
      await confinement?.share();
      await confinement?.lookForChanges?.();
      return end;
    }),
    alive,
    ...(confinement && { confinement }),
    pid: leader,
    finalCwd: async () => {
      const text = await readLeft(cwdFile);
      return text === '' ? undefined : text.replace(/\n$/, '');
    },
    lostJobs: async () => confinement?.isConfined === true && (await readLeft(jobsFile)).trim() !== '',
    stop: async () => {
      if (leader !== undefined) await endGroup(leader, confinement);
    },
    release: async () => {
      confinement?.release();
      for (const stream of streams) stream.destroy();
      if (earlyStart !== undefined) void early.prepare(earlyStart, spec.ownPath);
      // Anything that cannot be removed stays in the temporary directory, which the system cleans up.
      await rm(scratch, { recursive: true, force: true }).catch(() => undefined);
    },
  };
}

/** Resolves when no process of the command's group is left. */
export async function goneOf({ finished, alive }: RunningCommand): Promise<void> {
  await finished;
  while (alive()) await new Promise((resolve) => setTimeout(resolve, GONE_POLL_MS).unref());
}

function notStarted(why: string, confinement: Confinement): RunningCommand {
  return {
    finished: Promise.resolve({ type: 'failed', message: why }),
    alive: () => false,
    confinement,
    pid: undefined,
    finalCwd: async () => undefined,
    lostJobs: async () => false,
    stop: async () => {},
    release: async () => confinement.release(),
  };
}

/** Longer than any path. */
const MAX_LEFT_BYTES = 16 * 1024;

/**
 * Reads a file that the shell wrote; empty if there is none. The command may replace it with anything: a pipe without a
 * writer, a link to another file, an endless file.
 */
async function readLeft(path: string): Promise<string> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fileConstants;
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined);
  if (file === undefined) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_LEFT_BYTES), 0, MAX_LEFT_BYTES, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch {
    return '';
  } finally {
    await file.close();
  }
}

const delay = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

function outputsOf(child: ChildProcess): Readable[] {
  return [child.stdout, child.stderr].filter((stream) => stream !== null);
}

function readToEnd(stream: Readable, onChunk: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve) => {
    stream.on('data', onChunk);
    stream.on('error', () => resolve());
    stream.on('close', () => resolve());
    stream.on('end', () => resolve());
  });
}

function exitOf(child: ChildProcess): Promise<CommandEnd> {
  return new Promise((resolve) => {
    child.on('error', (error) => {
      if (child.pid === undefined) resolve({ type: 'failed', message: error.message });
    });
    child.on('exit', (code, signal) => {
      if (signal === null) resolve({ type: 'exited', code: code ?? 1 });
      else resolve({ type: 'exited', code: 128 + constants.signals[signal], signal });
    });
  });
}

// Sends signals to a command and everything it started. Each command leads its own process group.

/** Time after SIGTERM before a process gets SIGKILL. */
const TERM_GRACE_MS = 500;
const POLL_MS = 25;

/** True if any process of the group still runs. */
function groupAlive(leader: number, confinement?: Confinement): boolean {
  if (!signalGroup(leader, 0)) return false;
  if (process.platform !== 'linux') return true;
  // The kernel ends a pid namespace with its first process; outside of it there is only bubblewrap.
  const first = confinement?.firstProcess?.();
  if (first !== undefined) return [first, leader].some((pid) => isLivingMember(pid, leader));
  return hasLivingMember(leader);
}

/**
 * Sends SIGTERM to the group and, after a grace period, SIGKILL. Resolves when the group is gone or SIGKILL was sent.
 * In a sandbox SIGTERM goes only to the processes inside it: signaling bubblewrap's own two processes would kill
 * everything at once.
 */
async function endGroup(leader: number, confinement: Confinement | undefined): Promise<void> {
  if (confinement?.isConfined === true) terminateInside(leader);
  else if (!signalGroup(leader, 'SIGTERM')) return;
  const deadline = performance.now() + TERM_GRACE_MS;
  while (performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (!groupAlive(leader, confinement)) return;
  }
  signalGroup(leader, 'SIGKILL');
}

/** Terminates the group without its leader, bubblewrap, and the leader's child, the first process in the sandbox. */
function terminateInside(leader: number): void {
  for (const name of processNames()) {
    const [, parent, group] = fieldsAfterName(`/proc/${name}/stat`);
    if (Number(group) !== leader || Number(name) === leader || Number(parent) === leader) continue;
    try {
      process.kill(Number(name), 'SIGTERM');
    } catch {
      // It exited in the meantime.
    }
  }
}

/** In a container whose init process reaps late or never, zombies still accept signals, so this checks /proc. */
function hasLivingMember(leader: number): boolean {
  // The newest first: reading all takes milliseconds, and the leader started its group recently.
  return processNames()
    .reverse()
    .some((name) => isLivingMember(Number(name), leader));
}

function isLivingMember(pid: number, leader: number): boolean {
  const [state, , group] = fieldsAfterName(`/proc/${pid}/stat`);
  return Number(group) === leader && state !== 'Z' && state !== 'X';
}

const processNames = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name));

/** State, parent, group and so on; the program's name before them may contain spaces and parentheses. */
function fieldsAfterName(path: string): string[] {
  try {
    const text = readFileSync(path, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    // It exited in the meantime.
    return [];
  }
}

// The script around a command: merges both outputs into one stream and records the final directory. Pure.

/**
 * A command whose script is longer is read from a file: Linux limits a single argument, and a variable, to 128 KiB. The
 * sandbox adds a little to it.
 */
const MAX_SCRIPT_BYTES = 100_000;

interface ShellScript {
  /** Arguments for the shell. */
  readonly args: readonly string[];
  /** Must be written to `commandFile` first, for a long command. */
  readonly commandText?: string;
}

/** Files through which the script and its caller exchange data. */
interface ScriptFiles {
  /** The directory in which the command ended. */
  readonly cwdFile: string;
  /** Background jobs still running, as the shell lists them. */
  readonly jobsFile: string;
  readonly commandFile: string;
}

/**
 * `eval` receives the command as one word, so that a comment at its end, a heredoc or an unbalanced quote cannot affect
 * the script around it. An EXIT trap writes the directory, so that `exit` in the command does not skip it.
 */
function shellScript(
  shell: string,
  command: string,
  { cwdFile, jobsFile, commandFile }: ScriptFiles,
): ShellScript {
  const atEnd = `command pwd -P >| ${quoteWord(cwdFile)}; jobs -r >| ${quoteWord(jobsFile)} 2>/dev/null`;
  const scriptThat = (run: string): string => `exec 2>&1\ntrap ${quoteWord(atEnd)} EXIT\n${run}`;
  const whole = scriptThat(`eval ${quoteWord(command)}`);
  // Each quote in the command has become four characters.
  const inline = Buffer.byteLength(whole) <= MAX_SCRIPT_BYTES;
  const script = inline ? whole : scriptThat(`. ${quoteWord(commandFile)}`);
  // Without the user's startup files a command behaves the same on every machine.
  const flags = basename(shell) === 'zsh' ? ['-f', '-c'] : ['-c'];
  return { args: [...flags, script], ...(inline ? {} : { commandText: command }) };
}
