import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createInstructionSource } from '../../../src/context/memory/InstructionSource.ts';
import type { NewEntry } from '../../../src/protocol/entries.ts';
import { ask, call, configuration, createTestHome, outcome, say } from '../harness.ts';

const prompt = (content: string): NewEntry => ({
  type: 'user',
  subtype: 'prompt',
  message: { role: 'user', content },
});

test('instructions that changed before a prompt come before it; those that changed in its turn, after', async () => {
  const home = await createTestHome();
  const { root } = home;
  const file = join(root, 'AGENTS.md');
  const instructions = createInstructionSource({
    dataRoot: join(root, 'data'),
    root,
    cwd: root,
    home: root,
    isSensitive: () => false,
  });
  const context = home.manager({ instructions });
  await context.createSession(undefined, {}, configuration);
  const last = () =>
    context
      .getMessages()
      .slice(-2)
      .map(({ content }) => String(content));

  await context.appendPrompts([prompt('first')], home.options());
  await context.appendReply(say('yes'));
  await writeFile(file, 'Use tabs.');
  await context.appendPrompts([prompt('second')], home.options());
  await context.buildRequest(home.options());
  expect(last()).toEqual([expect.stringContaining('Use tabs.'), 'second']);

  await context.appendReply(ask([call('call_1')]));
  await context.appendToolResult({ call: call('call_1'), outcome: outcome('done') });
  await writeFile(file, 'Use spaces.');
  await context.buildRequest(home.options());
  expect(last()).toEqual(['done', expect.stringContaining('Use spaces.')]);
  await context.close();
});
