/** Renders one component into a fake terminal and unmounts it when the test ends. */
import { render } from 'ink';
import type { ReactNode } from 'react';
import { onTestFinished } from 'vitest';
import { chooseTheme } from '../../src/ui/theme/theme.ts';
import { createScreen, type Screen } from './screen.ts';

export const plain = chooseTheme('plain', { noColor: true });

export interface Mounted {
  readonly screen: Screen;
  update(element: ReactNode): Promise<void>;
}

/** Waits for the first frame. */
export async function mount(
  element: ReactNode,
  size: { columns?: number; rows?: number } = {},
): Promise<Mounted> {
  // Four times as long as Ink waits between two frames here.
  const screen = createScreen({ ...size, quietMs: 16 });
  const app = render(element, {
    ...screen,
    interactive: true,
    exitOnCtrlC: false,
    patchConsole: false,
    maxFps: 250,
  });
  onTestFinished(() => app.unmount());
  await screen.settle();
  return {
    screen,
    async update(next) {
      app.rerender(next);
      await screen.settle();
    },
  };
}

/** A clock that advances only when told to. */
export function createClock() {
  let time = 0;
  return {
    now: () => time,
    pass(ms: number): void {
      time += ms;
    },
  };
}
