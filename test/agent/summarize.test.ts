import { expect, test } from 'vitest';
import { createSummarizer } from '../../src/agent/summarize.ts';
import type { ModelRequest } from '../../src/protocol/model.ts';
import { type Answer, delta, fails, hangsAfter, ScriptedModel, says } from './scriptedModel.ts';
import { VirtualClock } from './stage.ts';

const request: ModelRequest = {
  model: 'test-model',
  messages: [{ role: 'user', content: 'Summarise.' }],
  tools: [],
  toolChoice: 'none',
};

async function summarise(answers: readonly Answer[], stopAt?: number) {
  const model = new ScriptedModel(answers);
  const clock = new VirtualClock();
  const controller = new AbortController();
  const progress: number[] = [];
  const reply = await createSummarizer(model, clock)(request, {
    signal: controller.signal,
    onProgress: (characters) => {
      progress.push(characters);
      if (progress.length === stopAt) controller.abort();
    },
  });
  expect(model.unused).toBe(0);
  return { reply, progress, sleeps: clock.sleeps, requests: model.requests };
}

test('a summary is one reply; progress counts its characters', async () => {
  const { reply, progress, requests } = await summarise([[delta('Some'), ...says(' words')]]);
  expect(reply).toMatchObject({ type: 'done', reply: { message: { content: ' words' } } });
  expect(progress).toEqual([4, 10]);
  expect(requests).toEqual([request]);
});

test('a summary that breaks off starts again from nothing', async () => {
  const { reply, progress, sleeps } = await summarise([fails({}, [delta('Half')]), says('Whole.')]);
  expect(reply.type).toBe('done');
  expect(progress).toEqual([4, 0, 6]);
  expect(sleeps).toEqual([375]);
});

test('after three attempts it is given up: there is a way to go on without', async () => {
  const { reply, sleeps } = await summarise([fails(), fails(), fails({ message: 'Still down.' })]);
  expect(reply).toMatchObject({ type: 'failed', error: { message: 'Still down.' } });
  expect(sleeps).toHaveLength(2);
});

test('stopped by the user, it is neither done nor failed', async () => {
  const { reply } = await summarise([hangsAfter(delta('Half'), delta(' more'))], 2);
  expect(reply).toEqual({ type: 'aborted' });
});
