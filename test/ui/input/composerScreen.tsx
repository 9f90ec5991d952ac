/** A composer in a terminal, with a record of what it reported. */
import { Box, render, Text } from 'ink';
import { createRef } from 'react';
import { onTestFinished } from 'vitest';
import { Composer, type ComposerHandle } from '../../../src/ui/input/Composer.tsx';
import { chooseTheme } from '../../../src/ui/theme/theme.ts';
import { createScreen } from '../screen.ts';

type ComposerProps = Parameters<typeof Composer>[0];

/** Mounts a composer of `columns` cells below another row of text. */
export async function mountComposer({
  columns = 60,
  rows = 16,
  entries = [],
  everywhere = [],
  ...rest
}: Partial<ComposerProps> & {
  columns?: number;
  rows?: number;
  entries?: readonly string[];
  everywhere?: readonly string[];
} = {}) {
  const screen = createScreen({ columns, rows, quietMs: 20 });
  const handle = createRef<ComposerHandle>();
  const sent: string[] = [];
  const intents: string[] = [];
  const props: ComposerProps = {
    isActive: true,
    width: columns,
    maxRows: 5,
    theme: chooseTheme('plain', { noColor: true }),
    history: { load: async () => [...entries], loadAll: async () => [...everywhere], add: async () => {} },
    completion: { commands: () => [], files: async () => [] },
    onSubmit: ({ text }) => sent.push(text),
    onIntent: (intent) => intents.push(intent),
    popQueued: () => undefined,
    ref: handle,
    ...rest,
  };
  const tree = (change: Partial<ComposerProps>) => (
    <Box flexDirection="column">
      <Text>above</Text>
      <Composer {...props} {...change} />
    </Box>
  );
  const app = render(tree({}), {
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
    sent,
    intents,
    text: () => handle.current?.text(),
    rows: () => screen.text().filter((row) => row !== 'above'),
    change: async (change: Partial<ComposerProps>) => {
      app.rerender(tree(change));
      await screen.settle();
    },
  };
}
