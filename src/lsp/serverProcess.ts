/**
 * The process of a language server: in the sandbox of commands, read-only and without network, with limited memory and
 * output. It leads its own process group, which ends with this program even if that is killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import type { Readable, Writable } from 'node:stream';
import { signalGroup } from '../disk/signalGroup.ts';
import { type CommandSandbox, type Confinement, launchPipesOf } from '../protocol/sandbox.ts';
import { quoteWord } from '../protocol/text/quoteWord.ts';
import { visibleText } from '../protocol/text/visible.ts';

/** Bytes of output allowed per edit: ten times what any server sends. */
const MAX_OUTPUT_BYTES = 32 * 2 ** 20;
/** Bytes that the server may leave unread. */
const MAX_UNREAD_BYTES = 16 * 2 ** 20;
/** Kilobytes of data, for each of its processes. */
const MAX_MEMORY_KB = 4 * 2 ** 20;
const MAX_LOG = 4000;

export interface ProcessPorts {
  readonly sandbox: Pick<CommandSandbox, 'confine'>;
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path of a POSIX shell. */
  readonly shell: string;
  readonly makeScratch: () => Promise<string>;
}

export interface ServerProcess {
  readonly input: Writable;
  readonly output: Readable;
  readonly isConfined: boolean;
  /** Resolves, once, to why it ended. */
  readonly ended: Promise<string>;
  /** Counts as this much more output. */
  charge(bytes: number): void;
  /** Starts counting its output again. */
  refill(): void;
  log(): string;
  stop(reason: string): void;
}

/** Rejects if it cannot be started. */
export async function startServer(
  command: { readonly program: string; readonly args: readonly string[]; readonly cwd: string },
  { sandbox, env, shell, makeScratch }: ProcessPorts,
): Promise<ServerProcess> {
  const scratch = await makeScratch();
  const release = (confinement?: Confinement): void => {
    confinement?.release();
    void rm(scratch, { recursive: true, force: true }).catch(() => undefined);
  };
  let confinement: Confinement | undefined;
  try {
    const words = [command.program, ...command.args].map(quoteWord).join(' ');
    const grant = { basis: 'read-only', reason: 'language server' } as const;
    confinement = await sandbox.confine({ command: words, cwd: command.cwd, grant, env, scratch });
    if (confinement.refusal !== undefined) throw new Error(`${confinement.refusal}.`);
    const limits = `ulimit -d ${MAX_MEMORY_KB} 2>/dev/null`;
    const start = confinement.launch(shell, ['-c', `${limits}; ${watcher(confinement)}exec ${words}`]);
    const child = spawn(start.program, start.args, {
      cwd: command.cwd,
      env: { ...start.env, PWD: command.cwd },
      stdio: ['pipe', 'pipe', 'pipe', ...start.inherit, ...(isWatched(confinement) ? ['pipe' as const] : [])],
      detached: true,
    });
    const pipes = launchPipesOf(child);
    const refused = child.pid === undefined ? undefined : start.admit?.(child.pid, pipes);
    for (const pipe of pipes) pipe.on('error', () => undefined);
    return watch(child, confinement, refused, () => release(confinement));
  } catch (error) {
    release(confinement);
    throw error;
  }
}

/** Bubblewrap ends with this program; anything else is ended by a watcher. */
const isWatched = ({ isConfined }: Confinement): boolean => !isConfined || process.platform !== 'linux';

/** Kills the group as soon as descriptor 3, whose other end this program holds, is closed. */
function watcher(confinement: Confinement): string {
  return isWatched(confinement) ? '(read -r _ <&3; kill -KILL -$$) >/dev/null 2>&1 & exec 3<&-; ' : '';
}

function watch(
  child: ChildProcess,
  { isConfined }: Confinement,
  refused: Promise<string | undefined> | undefined,
  release: () => void,
): ServerProcess {
  const { stdin, stdout, stderr, pid } = child;
  if (stdin === null || stdout === null || stderr === null) throw new Error('it has no pipes');
  let reason: string | undefined;
  let log = '';
  let bytes = 0;
  const stop = (why: string): void => {
    reason ??= why;
    signalGroup(pid, 'SIGKILL');
    stdin.destroy();
    stdout.destroy();
    stderr.destroy();
  };
  const charge = (more: number): void => {
    bytes += more;
    if (bytes > MAX_OUTPUT_BYTES) stop(`It sent more than ${MAX_OUTPUT_BYTES / 2 ** 20} MB.`);
    else if (stdin.writableLength > MAX_UNREAD_BYTES) stop('It does not read its input.');
  };
  stdin.on('error', () => undefined);
  stdout.on('data', (chunk: Buffer) => charge(chunk.length));
  stderr.on('data', (chunk: Buffer) => {
    charge(chunk.length);
    log = (log + chunk.toString('utf8')).slice(-MAX_LOG);
  });
  void refused?.then((why) => why !== undefined && stop(why));
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(`It cannot be started: ${error.message}.`));
    child.once('exit', (code, signal) =>
      resolve(reason ?? `It ended with ${signal === null ? `exit code ${code}` : signal}.`),
    );
  }).finally(() => {
    stop('');
    release();
  });
  const refill = (): void => {
    bytes = 0;
  };
  return {
    input: stdin,
    output: stdout,
    isConfined,
    ended,
    charge,
    refill,
    log: () => visibleText(log),
    stop,
  };
}
