import { expect, test } from 'vitest';
import { entryLine } from './line.ts';
import { calls, says } from './scriptedModel.ts';
import { ok, smallTool } from './smallTools.ts';
import { readLog, stage } from './stage.ts';

test('a plain answer is streamed, recorded and ends the turn', async () => {
  const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 50 };
  const { agent, ask, lines, model, context } = await stage({ answers: [says('Hello.', { usage })] });
  await ask('Hi');
  expect(lines()).toEqual([
    'queue [Hi]',
    'turn_started',
    'queue []',
    'entry prompt: Hi',
    'step 1',
    'measured for test-model',
    'text_delta Hello.',
    'entry assistant: Hello.',
    'entry turn_end: done',
    'turn_ended done after 1',
  ]);
  expect(model.requests[0]).toEqual({
    model: 'test-model',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
    ],
    tools: [],
  });
  const file = context.filePath() ?? '';
  expect((await readLog(file)).map(entryLine)).toEqual([
    'session_start',
    'prompt: Hi',
    'assistant: Hello.',
    'turn_end: done',
  ]);
  expect(agent.state()).toMatchObject({
    title: 'Hi',
    busy: false,
    queue: [],
    usage: { inputTokens: 100, outputTokens: 20, cachedTokens: 50, requests: 1, costUsd: 0.12 },
  });
});
