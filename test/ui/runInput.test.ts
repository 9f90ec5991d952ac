import { expect, test } from 'vitest';
import { runInput } from '../../src/ui/runInput.ts';
import { commandHost } from '../commands/commandHost.ts';
import { scriptedAgent } from '../headless/scriptedAgent.ts';

test.each(['!', ' ! ', '!\n'])('a bare %j is no prompt: it says what is missing', async (text) => {
  const agent = scriptedAgent();
  expect(await runInput({ text, display: text }, commandHost({ agent }))).toMatchObject({
    type: 'print',
    print: { text: expect.stringContaining('behind the !') },
  });
  expect(agent.ops).toEqual([]);
});

test('a preview says at once that it is being written', async () => {
  const on = { type: 'compact', preview: true } as const;
  const agent = scriptedAgent([{ on, say: [] }]);
  const text = '/compact --preview';
  expect(await runInput({ text, display: text }, commandHost({ agent }))).toMatchObject({
    type: 'print',
    print: { text: expect.stringContaining('Nothing is changed') },
  });
  expect(agent.ops).toEqual([on]);
});

test('/context is printed as a page, /context items is a dialog', async () => {
  const shown = async (text: string) => runInput({ text, display: text }, commandHost());
  expect(await shown('/context')).toMatchObject({ type: 'print', print: { type: 'page' } });
  expect(await shown('/context items')).toEqual({ type: 'dialog', dialog: 'items' });
});
