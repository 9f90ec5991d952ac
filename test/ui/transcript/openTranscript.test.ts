/** The transcript view on a terminal: what it does when it has given the terminal back. */
import { expect, test } from 'vitest';
import type { Agent } from '../../../src/agent/types.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { plainMarkdown } from '../../../src/ui/print/markdown.ts';
import { chooseTheme } from '../../../src/ui/theme.ts';
import { openTranscript } from '../../../src/ui/transcript/openTranscript.ts';
import { createScreen } from '../screen.ts';
import { prompt } from './entries.ts';

test.each([
  ['on its way to the start', 'g'],
  ['in the middle of a search', '/nothing like it\r'],
])('left %s, it draws nothing more, whatever comes in', async (_, begin) => {
  const screen = createScreen({ columns: 40, rows: 6 });
  let bringOlder: (entries: readonly JSONLEntry[]) => void = () => undefined;
  const older = new Promise<readonly JSONLEntry[]>((resolve) => {
    bringOlder = resolve;
  });
  const agent = {
    state: () => ({ busy: false, questions: [] }),
    entries: () => [],
    page: () => older,
    subscribe: () => () => undefined,
  } as unknown as Agent;
  const left = openTranscript({
    stdin: screen.stdin,
    stdout: screen.stdout,
    agent,
    entries: [prompt(7, 'the last of many')],
    theme: chooseTheme('plain', { noColor: true }),
    markdown: plainMarkdown,
    reply: () => ({ text: '', reasoning: '' }),
    tools: () => [],
    readBlob: () => Promise.resolve(undefined),
    now: () => performance.now(),
  });
  await screen.press(begin);
  await screen.press('q');
  await left;
  screen.stdout.write('the ordinary screen');
  await screen.settle();
  const written = screen.output();
  bringOlder([prompt(6, 'one before it')]);
  await screen.settle();
  expect(screen.output()).toBe(written);
  expect(screen.text()).toEqual(['the ordinary screen']);
});
