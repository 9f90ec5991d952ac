/**
 * `--json-schema` and `--max-budget-usd`: what a run must return, and what ends it.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { startDriver } from './support/driver.ts';
import { linesOf } from './support/jsonLines.ts';
import { MODEL, setUpProgram } from './support/testProgram.ts';
import { textOf } from './support/wire.ts';

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { files: { type: 'array', items: { type: 'string' } } },
  required: ['files'],
  additionalProperties: false,
};
const flags = ['-p', 'list them', '--output-format', 'json', '--json-schema', JSON.stringify(schema)];
const answer = (input: object) => ({ calls: [{ name: 'StructuredOutput', input }] });

test('the result is validated, corrected by the model, and ends the turn', async () => {
  const { server, print } = await setUpProgram();
  server.script(answer({ files: 'a.js' }), answer({ files: ['a.js'] }));
  const { code, stdout } = await print(flags);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: 'success',
    structured_output: { files: ['a.js'] },
    result: '{"files":["a.js"]}',
  });
  const [first, second] = server.requests();
  expect(server.requests()).toHaveLength(2);
  expect(first?.tools?.find((tool) => tool.function.name === 'StructuredOutput')).toMatchObject({
    function: { parameters: { required: ['files'] } },
  });
  expect(textOf(second?.messages.at(-1))).toContain('/files must be array');
});

test('a model that replies in text is reminded to make the call', async () => {
  const { server, print } = await setUpProgram();
  server.script({ text: 'It is a.js.' }, answer({ files: ['a.js'] }));
  expect(JSON.parse((await print(flags)).stdout)).toMatchObject({ structured_output: { files: ['a.js'] } });
  expect(textOf(server.requests()[1]?.messages.at(-1))).toContain('by calling StructuredOutput');
});

test('a model that never makes the call ends the run with an error', async () => {
  const { server, print } = await setUpProgram();
  server.otherwise(() => ({ text: 'No.' }));
  const inText = await print(flags);
  expect(inText.code).toBe(1);
  expect(JSON.parse(inText.stdout)).toMatchObject({ subtype: 'error_max_structured_output_retries' });
  expect(server.requests()).toHaveLength(3);
});

test('also counts calls that do not match the schema', async () => {
  const { server, print } = await setUpProgram();
  let calls = 0;
  server.otherwise(() => answer({ files: ++calls }));
  expect(JSON.parse((await print(flags)).stdout)).toMatchObject({
    subtype: 'error_max_structured_output_retries',
  });
  expect(calls).toBe(5);
});

test('a driver gets it in each result, and sees only its own prompts', async () => {
  const setup = await setUpProgram();
  setup.server.script({ text: 'One.' }, answer({ files: ['1'] }), answer({ files: ['2'] }));
  const driver = startDriver(setup, ['--replay-user-messages']);
  await driver.request({ subtype: 'initialize', jsonSchema: schema });
  for (const text of ['first', 'second']) driver.prompt(text);
  expect(await driver.nextOf('result')).toMatchObject({ structured_output: { files: ['1'] } });
  expect(await driver.nextOf('result')).toMatchObject({ structured_output: { files: ['2'] } });
  await driver.end();
  const replayed = driver.lines().filter(({ isReplay }) => isReplay === true);
  expect(replayed.map(({ message }) => (message as { content: string }).content)).toEqual([
    'first',
    'second',
  ]);
});

test.each([
  ['{"type": "object"', 'it is not JSON'],
  ['{"type": "array"}', 'must be "object"'],
  ['{"type": "object", "properties": {"a": {"$ref": "http://example.com/x"}}}', 'reference'],
  ['missing.json', 'ENOENT'],
])('an invalid schema ends the program at once: %s', async (text, why) => {
  const { server, print } = await setUpProgram();
  const { code, stderr } = await print(['-p', 'x', '--json-schema', text]);
  expect(code).toBe(42);
  expect(stderr).toContain(why);
  expect(server.requests()).toHaveLength(0);
});

const usage = { prompt_tokens: 1000, completion_tokens: 1000 };
const look = { calls: [{ name: 'Glob', input: { pattern: '*' } }], usage };
/** Two dollars for each reply. */
const priced = (price: object | undefined) =>
  JSON.stringify({ models: { [MODEL]: price === undefined ? {} : { price } } });

test('a spent budget ends the run before the next request, and blocks later prompts', async () => {
  const setup = await setUpProgram();
  setup.server.otherwise(() => look);
  const settings = priced({ input: 1000, output: 1000 });
  const driver = startDriver(setup, [`--settings=${settings}`, '--max-budget-usd=3']);
  driver.prompt('go');
  expect(await driver.nextOf('result')).toMatchObject({
    subtype: 'error_max_budget_usd',
    is_error: true,
    num_turns: 2,
    total_cost_usd: 4,
  });
  driver.prompt('more');
  expect(await driver.nextOf('result')).toMatchObject({ subtype: 'error_max_budget_usd', num_turns: 0 });
  expect(await driver.end()).toMatchObject({ code: 53 });
  expect(setup.server.requests()).toHaveLength(2);
});

test('a budget spent by a subagent ends its call before its next request', async () => {
  const { server, print } = await setUpProgram();
  const task = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };
  server.script({ calls: [{ name: 'Agent', input: task }], usage });
  let asked = 0;
  server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: `${++asked}*` } }], usage }));
  const { code, stdout } = await print([
    ...['-p', 'go', '--output-format=json', '--max-budget-usd', '5'],
    `--settings=${priced({ input: 1000, output: 1000 })}`,
  ]);
  expect(code).toBe(53);
  expect(JSON.parse(stdout)).toMatchObject({
    subtype: 'error_max_budget_usd',
    num_turns: 1,
    total_cost_usd: 6,
    modelUsage: { [MODEL]: { costUSD: 6 } },
  });
  expect(server.requests()).toHaveLength(3);
});

test('a budget spent by a background subagent ends the run', async () => {
  const { server, print } = await setUpProgram();
  const task = { description: 'look', prompt: 'Look around.', subagent_type: 'general-purpose' };
  let asked = 0;
  server.script({ calls: [{ name: 'Agent', input: { ...task, run_in_background: true } }], usage });
  server.otherwise(() => ({ calls: [{ name: 'Glob', input: { pattern: `${++asked}*` } }], usage }));
  const { code, stdout } = await print([
    ...['-p', 'go', '--output-format=json', '--max-budget-usd', '5'],
    `--settings=${priced({ input: 1000, output: 1000 })}`,
  ]);
  expect(code).toBe(53);
  expect(JSON.parse(stdout)).toMatchObject({ subtype: 'error_max_budget_usd' });
  // The agent and its subagent may each have had a request in flight.
  expect(server.requests().length).toBeLessThanOrEqual(4);
  expect(JSON.parse(stdout).total_cost_usd).toBe(JSON.parse(stdout).modelUsage[MODEL].costUSD);
});

test('a server that reports no tokens is named as the reason why the budget cannot be enforced', async () => {
  const { server, print } = await setUpProgram();
  server.otherwise(() => ({ ...look, usage: { prompt_tokens: 0, completion_tokens: 0 } }));
  const settings = priced({ input: 1000, output: 1000 });
  const { code, stderr } = await print(['-p', 'go', '--max-budget-usd', '1', `--settings=${settings}`]);
  expect({ code, stderr }).toEqual({ code: 53, stderr: expect.stringContaining('reports no tokens') });
});

test('without a price the budget cannot be enforced, so the run ends after the first reply', async () => {
  const { server, print } = await setUpProgram();
  server.otherwise(() => look);
  const { code, stdout } = await print(['-p', 'go', '--output-format=stream-json', '--max-budget-usd', '1']);
  expect(code).toBe(53);
  const [init, ...rest] = linesOf(stdout);
  expect(init).toMatchObject({
    claude_code_version: expect.stringMatching(/^2\./),
    capabilities: expect.any(Array),
  });
  expect(rest.at(-1)).toMatchObject({
    subtype: 'error_max_budget_usd',
    errors: [expect.stringContaining(`The price of ${MODEL} is unknown`)],
  });
  expect(server.requests()).toHaveLength(1);
});
