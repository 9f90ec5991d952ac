/** The clipboard: the platform's own program where there is one here, else the terminal is asked (OSC 52). */
import { spawn } from 'node:child_process';
import type { Copied } from '../../commands/types.ts';

export interface ClipboardPorts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to the terminal; absent where there is none. */
  readonly write?: ((text: string) => void) | undefined;
}

/** Takes longer: the program is left behind. */
const TOOL_MS = 3000;
/** What xterm and others take in one sequence, base64 included (hterm's and tmux's limits are above it). */
const MOST_ENCODED = 74_994;

/** Without control characters: what is pasted into a terminal later must not end its paste and press keys there. */
export async function copyToClipboard(copied: string, ports: ClipboardPorts): Promise<Copied> {
  const text = copied.replace(CONTROLS, '');
  const problems: string[] = [];
  for (const [tool, ...args] of clipboardTools(ports)) {
    const problem = await runTool(tool, args, clipboardBytes(tool, text), ports.env);
    if (problem === undefined) return { type: 'copied', tool };
    if (problem !== 'absent') problems.push(`${tool} ${problem}.`);
  }
  const sequence = terminalSequence(text, ports.env);
  if (ports.write !== undefined && sequence !== undefined) {
    ports.write(sequence);
    return { type: 'sent' };
  }
  const why = ports.write === undefined ? 'there is no terminal to ask.' : 'it is too long for a terminal.';
  return {
    type: 'failed',
    message: problems.join(' ') || `No program for the clipboard was found, and ${why}`,
  };
}

/** All but tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Which to try, in this order. On another machine than the user's, a program would fill the wrong clipboard. */
export function clipboardTools({
  platform,
  env,
}: Pick<ClipboardPorts, 'platform' | 'env'>): [string, ...string[]][] {
  const isRemote = env.SSH_CONNECTION !== undefined || env.SSH_TTY !== undefined;
  const x11: [string, ...string[]][] =
    env.DISPLAY === undefined
      ? []
      : [
          ['xclip', '-selection', 'clipboard', '-in'],
          ['xsel', '--clipboard', '--input'],
        ];
  // A forwarded display is the user's own.
  if (isRemote) return x11;
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32' || env.WSL_DISTRO_NAME !== undefined) return [['clip.exe']];
  return [...(env.WAYLAND_DISPLAY === undefined ? [] : [['wl-copy'] as [string]]), ...x11];
}

/** The sequence, also for a terminal around tmux; undefined for what is too long. */
export function terminalSequence(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MOST_ENCODED) return undefined;
  const sequence = `\u001B]52;c;${encoded}\u0007`;
  if (env.TMUX === undefined) return sequence;
  // tmux takes the first, or lets the second through, as it is set up; what it does neither with, it drops.
  return `${sequence}\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
}

/** clip.exe reads the system's code page, unless the bytes say otherwise. */
function clipboardBytes(tool: string, text: string): Buffer {
  return tool === 'clip.exe' ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text);
}

/** Undefined when it took the text; `absent` where it is not installed. */
function runTool(
  tool: string,
  args: readonly string[],
  input: Buffer,
  env: ClipboardPorts['env'],
): Promise<string | undefined> {
  return new Promise((done) => {
    // Those that stay to serve the text must not hold our output open.
    const child = spawn(tool, args, { stdio: ['pipe', 'ignore', 'ignore'], env, windowsHide: true });
    const timer = setTimeout(() => {
      child.kill();
      done('did not answer');
    }, TOOL_MS);
    const finish = (result: string | undefined): void => {
      clearTimeout(timer);
      done(result);
    };
    child.on('error', (error: NodeJS.ErrnoException) =>
      finish(error.code === 'ENOENT' ? 'absent' : `failed (${error.message})`),
    );
    child.on('exit', (code, signal) =>
      finish(code === 0 ? undefined : `failed (${signal ?? `exit ${code}`})`),
    );
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}
