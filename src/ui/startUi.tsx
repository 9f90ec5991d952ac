/** Mounts the screen and resolves when it is closed. Reaches the outside world only through ports. */
import { render } from 'ink';
import { App } from './App.tsx';
import { createController } from './controller/controller.ts';
import { createPasteStream } from './input/paste.ts';
import { createTerminalInput } from './terminal/terminalInput.ts';
import { createTerminalWindow } from './terminal/terminalWindow.ts';
import type { UiExit, UiOptions } from './types.ts';

/** Startup time in ms: so much is loaded in it that keys may queue up. */
const STARTING_MS = 1500;

export async function startUi(options: UiOptions): Promise<UiExit> {
  const { stdin, stdout } = options;
  let exit: UiExit = { sessionId: undefined, empty: true, code: 0 };
  const controller = createController(options, (how) => {
    exit = how;
  });
  const window = createTerminalWindow(stdout, options.reflow);
  const write = (text: string): void => void stdout.write(text);
  const input = createTerminalInput(stdin, write, options.now);
  const typed = options.takeOver();
  const startedAt = options.now();
  const isStarting = (): boolean => options.now() - startedAt < STARTING_MS;
  const instance = render(
    <App options={options} initialDraft={typed.draft} controller={controller} window={window} />,
    {
      // A large paste arrives in thousands of chunks, and Ink would process each of them separately.
      stdin: createPasteStream(input.stream, typed.rest, isStarting),
      stdout: window.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      // If `CI` is set, Ink draws only at the end, even in a real terminal. The caller has already checked for a
      // terminal.
      interactive: true,
      incrementalRendering: true,
      // Streaming and animation limit their own rate (sessionStore, Spinner); keys are drawn at once.
      maxFps: 250,
      kittyKeyboard: { mode: 'auto' },
    },
  );
  const unfollow = window.follow(instance);
  const { now, onRestore } = options;
  const status = import('./terminal/terminalStatus.ts').then(({ showTerminalStatus }) =>
    showTerminalStatus({ controller, input, write, now, onRestore }),
  );
  await instance.waitUntilExit();
  (await status)();
  unfollow();
  await input.answered();
  return exit;
}
