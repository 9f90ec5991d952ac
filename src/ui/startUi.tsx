/** Mounts the screen and resolves when it is left. Everything it needs comes in as ports. */
import { render } from 'ink';
import { App } from './App.tsx';
import { createController } from './controller/controller.ts';
import { createPasteStream } from './input/paste.ts';
import { createTerminalInput } from './terminal/terminalInput.ts';
import { createTerminalWindow } from './terminal/terminalWindow.ts';
import type { UiExit, UiOptions } from './types.ts';

/** Milliseconds in which so much is loaded that keys may have to wait for each other. */
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
      // A large paste arrives in thousands of pieces; Ink would look at each of them on its own.
      stdin: createPasteStream(input.stream, typed.rest, isStarting),
      stdout: window.stdout,
      exitOnCtrlC: false,
      patchConsole: false,
      // Ink draws nothing until the end when `CI` is set, also in a real terminal: whether it is one was checked.
      interactive: true,
      incrementalRendering: true,
      // What streams and what moves has its own pace (sessionStore, Spinner): a key is drawn at once.
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
