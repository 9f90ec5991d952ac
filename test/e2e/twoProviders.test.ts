/**
 * One session with two providers: a resume, a compaction and its costs.
 *
 * @module-tag long
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startModelServer } from './support/server.ts';
import { MODEL, setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const KEY = 'sk-of-the-other-provider';
const usage = (prompt_tokens: number, completion_tokens = 1000) => ({ prompt_tokens, completion_tokens });

/** The default model costs 1 dollar per 1,000 tokens, the model of the provider `other` 10. */
async function setUp() {
  const setup = await setUpProgram();
  const other = await startModelServer();
  onTestFinished(other.stop);
  const price = (dollars: number) => ({ price: { input: dollars, output: dollars } });
  await writeFile(
    join(setup.work.data, 'config.json'),
    JSON.stringify({
      models: { [MODEL]: { ...price(1000), contextWindow: 32_000 } },
      providers: {
        other: {
          baseUrl: other.baseUrl,
          apiKey: KEY,
          models: { x: { ...price(10_000), contextWindow: 64_000 } },
        },
      },
    }),
  );
  const env = setup.work.env({ ...setup.access, CLAWDCODE_CONTEXT_WINDOW: '' });
  const result = async (...args: readonly string[]): Promise<Record<string, unknown>> => {
    const { stdout, stderr, code } = await setup.print([...args, '--output-format', 'json'], { env });
    expect({ stderr, code, errors: JSON.parse(stdout).errors }).toEqual({
      stderr: '',
      code: 0,
      errors: undefined,
    });
    return JSON.parse(stdout);
  };
  return { setup, other, result, env };
}

test('a session is resumed with another provider’s model, with its own window, key and price', async () => {
  const { setup, other, result } = await setUp();
  setup.server.script({ text: 'From the first.', usage: usage(1000) });
  const first = await result('-p', 'one');
  expect(first).toMatchObject({ total_cost_usd: 2, modelUsage: { [MODEL]: { contextWindow: 32_000 } } });
  const id = String(first.session_id);
  other.script({ text: 'From the other.', usage: usage(2000) });
  expect(await result('-p', 'two', '--resume', id, '--model', 'other/x')).toMatchObject({
    result: 'From the other.',
    session_id: id,
    total_cost_usd: 30,
    usage: { input_tokens: 2000, output_tokens: 1000 },
    modelUsage: { 'other/x': { costUSD: 30, contextWindow: 64_000 } },
  });
  const [sent] = other.requests();
  expect(sent?.model).toBe('x');
  expect(sent?.messages.map(textOf).slice(-3)).toEqual(['one', 'From the first.', 'two']);
  expect(setup.server.requests()).toHaveLength(1);
});

test('after a compaction in a session with two providers, each model and the session have their costs', async () => {
  const { setup, other, result, env } = await setUp();
  const long = 'A line of the conversation that is long enough to be summarized.\n'.repeat(300);
  setup.server.script({ text: long, usage: usage(4000) }, { text: long, usage: usage(8000) });
  const { session_id } = await result('-p', 'one');
  const id = String(session_id);
  const atOther = ['--resume', id, '--model', 'other/x'];
  await result('-p', 'two', '--resume', id);
  other.script(
    { text: long, usage: usage(9000) },
    { text: '## Status\nEverything was said.', usage: usage(10_000) },
    { text: 'Fourth.', usage: usage(2000) },
  );
  await result('-p', 'three', ...atOther);
  const compacted = await result('-p', '/compact', ...atOther);
  expect(compacted).toMatchObject({
    total_cost_usd: 110,
    usage: { input_tokens: 10_000, output_tokens: 1000 },
    modelUsage: { 'other/x': { costUSD: 110, contextWindow: 64_000 } },
    context_usage: { compactions: [expect.objectContaining({ reason: expect.any(String) })] },
  });
  expect(await result('-p', 'four', ...atOther)).toMatchObject({ total_cost_usd: 30 });
  expect(JSON.stringify(other.requests().at(-1)?.messages)).toContain('Everything was said.');
  const stats = await setup.print(['stats', '--json', '--all'], { env });
  // 5 + 9 at the first provider, 100 + 110 + 30 at the other.
  expect(JSON.parse(stats.stdout)).toMatchObject({ sessions: 1, total: { costUsd: 254 } });
});
