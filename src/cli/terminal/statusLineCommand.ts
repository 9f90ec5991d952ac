/** Runs the user's status line command: JSON in, one or a few lines out, limited in time and size. */
import { spawn } from 'node:child_process';
import type {
  StatusLineCommand,
  StatusLineInput,
  StatusLineOutput,
} from '../../ui/terminal/statusLineInput.ts';
import { type ProgramContext, programEnvironment } from '../process/commandVariables.ts';

interface StatusLineSetting {
  readonly command: string;
  readonly padding: number;
  readonly refreshMs: number | null;
}

/** Timeout of a run, in milliseconds. */
export const TIMEOUT_MS = 1000;
/** Maximum characters of output; the command is stopped when it exceeds them. */
const MAX_CHARACTERS = 16_384;

export function createStatusCommand(
  { command, padding, refreshMs }: StatusLineSetting,
  place: ProgramContext,
  addedDirectories: readonly string[],
  columns: () => number | undefined,
  timeoutMs = TIMEOUT_MS,
): StatusLineCommand {
  return {
    padding,
    ...(refreshMs === null ? {} : { refreshMs }),
    run: (input) =>
      runCommand(command, withDirectories(input, addedDirectories), place, columns() ?? 80, timeoutMs).catch(
        // Commands that cannot be started at all (with a NUL character) throw.
        (error: Error) => failed(`could not be started (${error.message})`),
      ),
  };
}

function withDirectories(input: StatusLineInput, added_dirs: readonly string[]): StatusLineInput {
  return { ...input, workspace: { ...input.workspace, added_dirs } };
}

function runCommand(
  command: string,
  input: StatusLineInput,
  place: ProgramContext,
  columns: number,
  timeoutMs: number,
): Promise<StatusLineOutput> {
  return new Promise((resolve) => {
    // Its own process group, so that its child processes end with it.
    const child = spawn(command, {
      shell: true,
      cwd: place.cwd,
      env: {
        ...programEnvironment(place),
        COLUMNS: String(columns),
        CLAWDCODE: '1',
      },
      detached: process.platform !== 'win32',
      windowsHide: true,
    });
    let text = '';
    let complaint = '';
    const finish = (output: StatusLineOutput): void => {
      clearTimeout(timer);
      resolve(output);
    };
    const kill = (): void => {
      try {
        if (child.pid !== undefined && process.platform !== 'win32') process.kill(-child.pid, 'SIGKILL');
        else child.kill('SIGKILL');
      } catch {
        // It has already ended.
      }
      child.stdout.destroy();
      child.stderr.destroy();
    };
    const timer = setTimeout(() => {
      kill();
      finish(failed(`took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);
    child.on('error', (error) => finish(failed(`could not be started (${error.message})`)));
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length <= MAX_CHARACTERS) return;
      kill();
      finish({ type: 'text', text: text.slice(0, MAX_CHARACTERS) });
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      if (complaint.length < 200) complaint += part;
    });
    child.on('close', (code) => {
      const said = complaint.trim().split('\n')[0]?.slice(0, 200) ?? '';
      if (code === 0 && text.trim() !== '') finish({ type: 'text', text });
      else if (code === 0) finish(failed('printed nothing'));
      else finish(failed(`failed (${said === '' ? `exit code ${code}` : said})`));
    });
    // A command that does not read its input may have exited before it is written.
    child.stdin.on('error', () => {});
    child.stdin.end(`${JSON.stringify(input)}\n`);
  });
}

function failed(why: string): StatusLineOutput {
  return {
    type: 'failed',
    message: `The status line command ${why}. The built-in line is shown; see "statusLine" in the settings.`,
  };
}
