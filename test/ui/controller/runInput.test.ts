import { expect, test } from 'vitest';
import { runInput, waitsForEnter } from '../../../src/ui/controller/runInput.ts';
import { commandHost } from '../../commands/commandHost.ts';
import { scriptedAgent } from '../../headless/scriptedAgent.ts';

const quiet = (): void => undefined;

test.each(['!', ' ! ', '!\n'])('a bare %j is not a prompt: it says what is missing', async (text) => {
  const agent = scriptedAgent();
  expect(await runInput({ text, display: text }, commandHost({ agent }), quiet)).toMatchObject({
    type: 'print',
    print: { text: expect.stringContaining('after the !') },
  });
  expect(agent.ops).toEqual([]);
});

test('a preview immediately says that it is being written', async () => {
  const on = { type: 'compact', preview: true } as const;
  const agent = scriptedAgent([{ on, say: [] }]);
  const text = '/compact --preview';
  expect(await runInput({ text, display: text }, commandHost({ agent }), quiet)).toMatchObject({
    type: 'print',
    print: { text: expect.stringContaining('Nothing has changed') },
  });
  expect(agent.ops).toEqual([on]);
});

test.each<[string, readonly string[], RegExp | undefined]>([
  ['gpt-4', ['gpt-4.1', 'o3'], /^The server does not list "gpt-4"\. Did you mean "gpt-4\.1"\? /],
  ['qwen3', ['qwen3:latest'], undefined],
  ['anything', [], undefined],
])('/model %s where the server lists %j', async (model, ids, said) => {
  const on = { type: 'set_model', model } as const;
  const agent = scriptedAgent([{ on, say: [] }]);
  const text = `/model ${model}`;
  const host = commandHost({ agent, listModels: async () => ({ ids }) });
  const effect = await runInput({ text, display: text }, host, quiet);
  expect(effect).toEqual(
    said === undefined
      ? { type: 'none' }
      : { type: 'print', print: { type: 'notice', level: 'warning', text: expect.stringMatching(said) } },
  );
  expect(agent.ops).toEqual([on]);
});

test('/model switches immediately, and an unavailable list is not reported', async () => {
  const agent = scriptedAgent([{ on: { type: 'set_model', model: 'm' }, say: [] }]);
  const listModels = () => {
    expect(agent.ops).toHaveLength(1);
    return Promise.reject(new Error('no network'));
  };
  const effect = await runInput(
    { text: '/model m', display: '/model m' },
    commandHost({ agent, listModels }),
    quiet,
  );
  expect(effect).toEqual({ type: 'none' });
});

test('/context is printed as a page, /context items is a dialog', async () => {
  const shown = async (text: string) => runInput({ text, display: text }, commandHost(), quiet);
  expect(await shown('/context')).toMatchObject({ type: 'print', print: { type: 'page' } });
  expect(await shown('/context items')).toEqual({ type: 'dialog', dialog: 'items' });
});

test.each([['/context'], ['/contxt']])('%s is repeated above its answer', async (text) => {
  const echoed: string[] = [];
  await runInput({ text, display: text }, commandHost(), (command) => echoed.push(command));
  expect(echoed).toEqual([text]);
});

test('a prompt is not repeated, because its entry shows it', async () => {
  const echoed: string[] = [];
  const agent = scriptedAgent([{ on: { type: 'prompt', text: 'hi', display: 'hi' }, say: [] }]);
  await runInput({ text: 'hi', display: 'hi' }, commandHost({ agent }), (command) => echoed.push(command));
  expect(echoed).toEqual([]);
});

test.each([
  ['!touch x', true],
  ['/config notificationCommand touch x', true],
  ['/memory add anything', true],
  ['/permissions acceptEdits', true],
  ['/copy x.md', true],
  ['/export', true],
  ['/plugin remove x', true],
  ['/model x --default', true],
  ['/model x', false],
  ['/config theme', false],
  ['/memory search words', false],
  ['/permissions why ls', false],
  ['/compact', false],
  ['do it', false],
  [' !touch x', false],
])('as the first prompt on the command line, %j waits for Enter: %s', (text, waits) => {
  expect(waitsForEnter(text, commandHost())).toBe(waits);
});

test('a line that other agents would remember is sent, with a hint at /memory add', async () => {
  const text = '# always use tabs';
  const agent = scriptedAgent([{ on: { type: 'prompt', text, display: text }, say: [] }]);
  expect(await runInput({ text, display: text }, commandHost({ agent }), quiet)).toMatchObject({
    print: { text: 'Sent as a prompt. /memory add NOTE keeps a note for later sessions.' },
  });
  expect(agent.ops).toHaveLength(1);
  const task = '# Task\nFix it.';
  const other = scriptedAgent([{ on: { type: 'prompt', text: task, display: task }, say: [] }]);
  expect(await runInput({ text: task, display: task }, commandHost({ agent: other }), quiet)).toEqual({
    type: 'none',
  });
});
