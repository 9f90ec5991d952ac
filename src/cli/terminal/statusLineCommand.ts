/** Runs the user's status line command: JSON in, one or a few lines out, limited in time and size. */
import type { ChildProcess } from 'node:child_process';
import type { SettingsPrograms } from '../../protocol/settingsPrograms.ts';
import type {
  StatusLineCommand,
  StatusLineInput,
  StatusLineOutput,
} from '../../ui/terminal/statusLineInput.ts';
import { type ProgramContext, programEnvironment } from '../process/commandVariables.ts';
import { spawnProgram } from '../process/spawnProgram.ts';

interface StatusLineSetting {
  readonly command: string;
  readonly padding: number;
  readonly refreshMs: number | null;
  /** A settings file of the folder names it. */
  readonly isOfFolder?: boolean;
}

/** Timeout of a run, in milliseconds. */
const TIMEOUT_MS = 1000;
/** Maximum characters of output; the command is stopped when it exceeds them. */
const MAX_CHARACTERS = 16_384;

export function createStatusCommand(
  { command, padding, refreshMs, isOfFolder = false }: StatusLineSetting,
  place: ProgramContext,
  addedDirectories: () => readonly string[],
  columns: () => number | undefined,
  programs: SettingsPrograms | undefined,
  timeoutMs = TIMEOUT_MS,
): StatusLineCommand {
  return {
    padding,
    ...(refreshMs === null ? {} : { refreshMs }),
    run: (input) =>
      startCommand({ command, isOfFolder }, place, columns() ?? 80, programs)
        .then((started) =>
          'problem' in started
            ? failedBecause(started.problem)
            : outputOf(started, withDirectories(input, addedDirectories()), timeoutMs),
        )
        // Commands that cannot be started at all (with a NUL character) throw.
        .catch((error: Error) => failed(`could not be started (${error.message})`)),
  };
}

function withDirectories(input: StatusLineInput, added_dirs: readonly string[]): StatusLineInput {
  return { ...input, workspace: { ...input.workspace, added_dirs } };
}

/** Its own process group, so that its child processes end with it. */
function startCommand(
  given: { readonly command: string; readonly isOfFolder: boolean },
  place: ProgramContext,
  columns: number,
  programs: SettingsPrograms | undefined,
): ReturnType<typeof spawnProgram> {
  return spawnProgram({
    ...given,
    role: 'status line command',
    cwd: place.root,
    env: { ...programEnvironment(place), COLUMNS: String(columns), CLAWDCODE: '1' },
    stdio: 'pipe',
    options: { detached: process.platform !== 'win32', windowsHide: true },
    programs,
  });
}

interface Started {
  readonly child: ChildProcess;
  readonly advice?: (output: string, exitCode: number) => string;
}

function outputOf(
  { child, advice }: Started,
  input: StatusLineInput,
  timeoutMs: number,
): Promise<StatusLineOutput> {
  const { stdin, stdout, stderr } = child;
  if (stdin === null || stdout === null || stderr === null)
    return Promise.resolve(failed('could not be started (no pipes)'));
  return new Promise((resolve) => {
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
      stdout.destroy();
      stderr.destroy();
    };
    const timer = setTimeout(() => {
      kill();
      finish(failed(`took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);
    child.on('error', (error) => finish(failed(`could not be started (${error.message})`)));
    stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      if (text.length <= MAX_CHARACTERS) return;
      kill();
      finish({ type: 'text', text: text.slice(0, MAX_CHARACTERS) });
    });
    stderr.setEncoding('utf8').on('data', (part: string) => {
      if (complaint.length < 200) complaint += part;
    });
    child.on('close', (code) => {
      const said = complaint.trim().split('\n')[0]?.slice(0, 200) ?? '';
      if (code === 0 && text.trim() !== '') finish({ type: 'text', text });
      else if (code === 0) finish(failed('printed nothing'));
      else {
        const why = `failed (${said === '' ? `exit code ${code}` : said})`;
        finish(failed(why, advice?.(`${text}\n${complaint}`, code ?? 1)));
      }
    });
    // A command that does not read its input may have exited before it is written.
    stdin.on('error', () => {});
    stdin.end(`${JSON.stringify(input)}\n`);
  });
}

const failedBecause = (problem: string): StatusLineOutput => ({
  type: 'failed',
  message: `${problem} The built-in line is shown.`,
});

function failed(why: string, advice?: string): StatusLineOutput {
  const sentences = [
    `The status line command ${why}.`,
    ...(advice === undefined ? [] : [advice]),
    'The built-in line is shown; see "statusLine" in the settings.',
  ];
  return { type: 'failed', message: sentences.join(' ') };
}
