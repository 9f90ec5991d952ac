/** The program as a separate process, for the SDK. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { inputLines } from '../../headless/driver/driverMessages.ts';
import type { Connect, ProgramEnd, Transport } from '../../sdk/launch.ts';

/** How long the program may take to save its session before it is killed, in milliseconds. */
const SAVE_MS = 5000;

export function childProcessIn(packageRoot: string): Connect {
  return ({ argv, cwd, env }, onWarning): Transport => {
    const child = spawn(process.execPath, [join(packageRoot, 'bin/clawdcode.js'), ...argv], {
      ...(cwd === undefined ? {} : { cwd }),
      env,
      stdio: 'pipe',
      windowsHide: true,
    });
    const stderr = createTail(onWarning);
    child.stderr.setEncoding('utf8').on('data', stderr.add);
    // It may end before it has read everything; its end says why.
    child.stdin.on('error', () => undefined);
    return {
      write: (line) => void (child.stdin.writable && child.stdin.write(`${line}\n`)),
      endInput: () => void child.stdin.end(),
      stop() {
        child.stdin.end();
        // If it could not be started, Node would send the signal to the group of this process.
        if (child.pid === undefined || !child.kill()) return;
        const late = setTimeout(() => child.kill('SIGKILL'), SAVE_MS);
        child.once('exit', () => clearTimeout(late));
      },
      lines: linesOf(child),
      ended: endOf(child, stderr.text),
    };
  };
}

async function* linesOf({ stdout }: ChildProcess): AsyncGenerator<string> {
  if (stdout === null) return;
  try {
    for await (const line of inputLines(stdout)) {
      if (line.type === 'too_long') return;
      yield line.text;
    }
  } catch {
    // The pipe broke: its end says why.
  }
}

function endOf(child: ChildProcess, stderr: () => string): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({
        exitCode: undefined,
        problem: `since it could not be started: ${error.message}`,
        stderr: stderr(),
      }),
    );
    child.once('close', (code, signal) =>
      resolve(
        code === null
          ? { exitCode: undefined, problem: `killed by ${signal}`, stderr: stderr() }
          : { exitCode: code, stderr: stderr() },
      ),
    );
  });
}

/** Characters of standard error that an error message quotes. */
const MAX_TAIL = 4000;

/** Keeps the end of a text that arrives in pieces. */
export function createTail(onText: (text: string) => void): {
  readonly add: (text: string) => void;
  readonly text: () => string;
} {
  let tail = '';
  return {
    add(text) {
      tail = `${tail}${text}`.slice(-MAX_TAIL);
      try {
        onText(text);
      } catch {
        // A mistake of the host must not end the session.
      }
    },
    text: () => tail,
  };
}
