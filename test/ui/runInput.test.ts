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
