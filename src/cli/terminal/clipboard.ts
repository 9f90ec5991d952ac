/** Copies to the clipboard: with a program of the platform if there is one, otherwise through the terminal (OSC 52). */
import { spawn } from 'node:child_process';
import type { Copied } from '../../commands/types.ts';

interface ClipboardPorts {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes to the terminal; absent if there is none. */
  readonly write?: ((text: string) => void) | undefined;
}

/** Timeout of a clipboard program, in milliseconds. */
const TOOL_MS = 3000;
/** The maximum that xterm and others accept in one sequence, in base64 characters (hterm and tmux accept more). */
const MOST_ENCODED = 74_994;

/**
 * Copies text without control characters: pasted into a terminal later, they could end the paste and simulate key
 * presses.
 */
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
    message: problems.join(' ') || `No clipboard program was found, and ${why}`,
  };
}

/** All control characters except tab and line feed. */
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Returns the programs to try, in order. On a remote machine, a local program would fill the wrong clipboard. */
function clipboardTools({
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
  // A forwarded X11 display is the user's own.
  if (isRemote) return x11;
  if (platform === 'darwin') return [['pbcopy']];
  if (platform === 'win32' || env.WSL_DISTRO_NAME !== undefined) return [['clip.exe']];
  return [...(env.WAYLAND_DISPLAY === undefined ? [] : [['wl-copy'] as [string]]), ...x11];
}

/** Returns the escape sequence, also in a form that passes through tmux; undefined if the text is too long. */
function terminalSequence(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const encoded = Buffer.from(text).toString('base64');
  if (encoded.length > MOST_ENCODED) return undefined;
  const sequence = `\u001B]52;c;${encoded}\u0007`;
  if (env.TMUX === undefined) return sequence;
  // Depending on its configuration, tmux uses the first sequence or passes the second on; it drops what it does not
  // support.
  return `${sequence}\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`;
}

/** clip.exe expects the system's code page unless a byte order mark says otherwise. */
function clipboardBytes(tool: string, text: string): Buffer {
  return tool === 'clip.exe' ? Buffer.from(`\ufeff${text}`, 'utf16le') : Buffer.from(text);
}

/** Returns undefined on success, `absent` if the program is not installed, otherwise the problem. */
function runTool(
  tool: string,
  args: readonly string[],
  input: Buffer,
  env: ClipboardPorts['env'],
): Promise<string | undefined> {
  return new Promise((done) => {
    // Some programs keep running to serve the clipboard and must not keep our output open.
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
