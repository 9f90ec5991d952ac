/** Mounts the screen and resolves when it is left. Everything it needs comes in as ports. */
import { render } from 'ink';
import { App } from './App.tsx';
import { createController } from './controller.ts';
import { createPasteStream } from './input/pasteStream.ts';
import type { Theme } from './theme.ts';
import type { Boot, SessionTarget, UiExit } from './types.ts';

export interface UiOptions {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly version: string;
  /** The working directory as shown to people. */
  readonly directory: string;
  /** For the first frame; the settings may name another. */
  readonly theme: Theme;
  /** Settles trust, key and model; runs behind the first frame. */
  readonly boot: () => Promise<Boot>;
  readonly target: SessionTarget;
  /** Begin with the picker of sessions. */
  readonly pickFirst: boolean;
  /** Sent as soon as the session is open. */
  readonly prompt: string | undefined;
  readonly bypassAllowed: boolean;
  readonly historyFile: string;
  readonly listFiles: () => Promise<string[]>;
  /** Called with what flushes the log, for whoever has to end the program in a hurry. */
  readonly onReady: (close: () => Promise<void>) => void;
  readonly now: () => number;
}

export async function startUi(options: UiOptions): Promise<UiExit> {
  const { stdin, stdout } = options;
  let exit: UiExit = { sessionId: undefined, empty: true, code: 0 };
  const controller = createController(options, (how) => {
    exit = how;
  });
  const instance = render(<App options={options} controller={controller} />, {
    // A large paste arrives in thousands of pieces; Ink would look at each of them on its own.
    stdin: createPasteStream(stdin),
    stdout,
    exitOnCtrlC: false,
    patchConsole: false,
    // Ink draws nothing until the end when `CI` is set, also in a real terminal: whether it is one was checked.
    interactive: true,
    incrementalRendering: true,
    maxFps: 30,
    kittyKeyboard: { mode: 'auto' },
  });
  await instance.waitUntilExit();
  return exit;
}
