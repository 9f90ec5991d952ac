/** The setup of a test: a repository, a model server, and the programs started there; everything ends with the test. */
import { spawn } from 'node:child_process';
import { dirname } from 'node:path';
import { onTestFinished } from 'vitest';
import { endProcessesBelow } from './processes.ts';
import { program } from './program.ts';
import { type ModelServer, startModelServer } from './server.ts';
import { openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';
import { createWorkspace, type Workspace } from './workspace.ts';

export interface Printed {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface PrintOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** Leaves standard input open for `write`. */
  readonly isInputOpen?: boolean;
  readonly cwd?: string;
  /** Replaces the installed program. */
  readonly command?: readonly string[];
}

export interface OpenOptions extends Partial<TerminalOptions> {
  /** A command line that starts the program, such as a shell with a script. */
  readonly below?: readonly string[];
  /** Replaces the installed program. */
  readonly command?: readonly string[];
}

/** A headless run in progress. */
export interface RunningPrint {
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Writes to standard input, which `isInputOpen` left open. */
  write(text: string): void;
  endInput(): void;
  /** Closes our end of its standard output. */
  leaveOutput(): void;
  /** Calls `listener` for each piece of standard output. */
  onOutput(listener: () => void): void;
  /** Standard output so far. */
  printed(): string;
  readonly ended: Promise<Printed>;
}

export interface TestProgram {
  readonly work: Workspace;
  readonly server: ModelServer;
  /** Key, endpoint, model and its window as environment variables. */
  readonly access: Readonly<Record<string, string>>;
  /** The program in a pseudo-terminal, with access to the server. */
  open(args?: readonly string[], options?: OpenOptions): Terminal;
  /** The same, once its session is ready for a prompt. */
  ready(args?: readonly string[], options?: OpenOptions): Promise<Terminal>;
  /** Runs the program without a terminal. */
  print(args: readonly string[], options?: PrintOptions): Promise<Printed>;
  startPrint(args: readonly string[], options?: PrintOptions): RunningPrint;
}

/** The model that the server provides; unknown to the catalogue. */
export const MODEL = 'mock-1';

export interface ProgramOptions {
  /** Context window set by the environment, in tokens; null sets none, so that every screen says "(assumed)". */
  readonly window?: number | null;
}

/** Call it inside a test; `source` is the package that is copied into the repository. */
export async function setUpProgram(
  source?: string,
  { window = 48_000 }: ProgramOptions = {},
): Promise<TestProgram> {
  const work = await createWorkspace(source);
  const server = await startModelServer();
  const running = new Set<{ pid: number; ended: Promise<unknown> }>();
  onTestFinished(async () => {
    for (const { pid } of running) endProcess(pid);
    await Promise.all([...running].map(({ ended }) => ended));
    endProcessesBelow(dirname(work.repository));
    await server.stop();
    await work.remove();
  });
  const access = {
    OPENAI_BASE_URL: server.baseUrl,
    OPENAI_API_KEY: 'sk-test-key',
    OPENAI_MODEL: MODEL,
    ...(window === null ? {} : { CLAWDCODE_CONTEXT_WINDOW: String(window) }),
  };
  /** Without a HOME, the program would use the one of the user who runs the tests. */
  const atHome = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
    HOME: work.home,
    ...env,
  });

  const open: TestProgram['open'] = (args = [], options = {}) => {
    const env = atHome(options.env ?? work.env(access));
    const terminal = openTerminal([...(options.below ?? []), ...(options.command ?? program())], {
      cwd: work.repository,
      ...options,
      args,
      env,
    });
    running.add({ pid: terminal.pid, ended: terminal.exited });
    return terminal;
  };
  const startPrint: TestProgram['startPrint'] = (
    args,
    { env = work.env(access), input, isInputOpen = false, cwd, command = program() } = {},
  ) => {
    const [file = '', ...first] = command;
    const child = spawn(file, [...first, ...args], { cwd: cwd ?? work.repository, env: atHome(env) });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    // The program may end first.
    child.stdin.on('error', () => undefined);
    if (isInputOpen) child.stdin.write(input ?? '');
    else child.stdin.end(input ?? '');
    const ended = new Promise<Printed>((resolve) =>
      child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr })),
    );
    const pid = child.pid ?? 0;
    running.add({ pid, ended });
    return {
      pid,
      kill: (signal) => void child.kill(signal),
      write: (text) => void child.stdin.write(text),
      endInput: () => void child.stdin.end(),
      leaveOutput: () => void child.stdout.destroy(),
      onOutput: (listener) => void child.stdout.on('data', listener),
      printed: () => stdout,
      ended,
    };
  };
  return {
    work,
    server,
    access,
    open,
    async ready(args, options) {
      const terminal = open(args, options);
      await terminal.waitFor(/context ~?\d+%/);
      return terminal;
    },
    startPrint,
    print: (args, options) => startPrint(args, options).ended,
  };
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has exited by itself.
  }
}
