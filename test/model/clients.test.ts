/** Every client with the shared suite, and a whole session with another wire format than the first one. */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rebuildRequest, requestsIn } from '../../src/context/request/rebuildRequest.ts';
import { createModelClient } from '../../src/model/createModelClient.ts';
import { createDemoClient } from '../../src/model/demo.ts';
import { createOpenAIClient } from '../../src/model/wires/chat/client.ts';
import { rebuildBody } from '../../src/model/wires/rebuildBody.ts';
import { calls, hangsAfter, ScriptedModel, says } from '../agent/scriptedModel.ts';
import { ok, smallTool } from '../agent/smallTools.ts';
import { readLog, startAgent } from '../agent/testAgent.ts';
import { wireServer } from '../agent/wireServer.ts';
import { clientSuite, suiteRequest } from './clientSuite.ts';
import { createOtherClient, otherBody, otherServer } from './otherWire.ts';
import { anthropicServer } from './wires/anthropicServer.ts';
import { responsesServer } from './wires/responsesServer.ts';

clientSuite('chat completions', {
  saysWhatIsAsked: true,
  hasServer: true,
  async open(answer) {
    const { baseUrl } = await wireServer(() => answer);
    return { client: createOpenAIClient({ apiKey: 'k', baseUrl }), request: suiteRequest() };
  },
});

clientSuite('Responses', {
  saysWhatIsAsked: true,
  hasServer: true,
  async open(answer) {
    const { baseUrl } = await responsesServer(() => answer);
    return { client: createModelClient('responses', { apiKey: 'k', baseUrl }), request: suiteRequest() };
  },
});

clientSuite('Anthropic', {
  saysWhatIsAsked: true,
  hasServer: true,
  async open(answer) {
    const { baseUrl } = await anthropicServer(() => answer);
    return { client: createModelClient('anthropic', { apiKey: 'k', baseUrl }), request: suiteRequest() };
  },
});

clientSuite('the other wire', {
  saysWhatIsAsked: true,
  hasServer: true,
  async open(answer) {
    const { url } = await otherServer(() => answer);
    return { client: createOtherClient(url), request: suiteRequest() };
  },
});

clientSuite('the demo model', {
  saysWhatIsAsked: false,
  hasServer: false,
  async open({ calls: wanted = [] }) {
    const prompt = wanted.length > 0 ? 'fix the failing test' : 'hello';
    const request = { ...suiteRequest(), messages: [{ role: 'user' as const, content: prompt }] };
    return { client: createDemoClient(async () => undefined), request };
  },
});

clientSuite('the scripted model of the tests', {
  saysWhatIsAsked: true,
  hasServer: false,
  async open({ text = '', calls: wanted = [], hangs }) {
    const answer =
      wanted.length > 0
        ? calls(...wanted.map(({ name, input }, index) => [`c${index}`, name, input] as const))
        : says(text);
    const one = hangs === true ? hangsAfter(...answer.slice(0, 1)) : answer;
    return { client: new ScriptedModel([one, one]), request: suiteRequest() };
  },
});

const read = smallTool('Read', { readOnly: true, run: () => ok('what it says') });

test('a session over the other wire format is recorded, resumed and rebuilt, without any field of the first', async () => {
  const server = await otherServer(
    (index) =>
      [
        { reasoning: 'I should look.', calls: [{ name: 'Read', input: { path: 'a' } }] },
        { text: 'It says so.' },
        { text: 'Still so.' },
      ][index] ?? {},
  );
  const client = createOtherClient(server.url);
  const info = { returnsReasoning: true };
  const first = await startAgent({ client, tools: [read], info });
  await first.ask('What does it say?');
  const file = first.context.filePath() ?? '';
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const again = await startAgent({
    client,
    tools: [read],
    info,
    resume: { folder: first.folder, sessionId },
  });
  await again.ask('And now?');
  expect(again.lines().at(-1)).toBe('turn_ended done after 1');

  const [, second, third] = server.bodies.map((body) => JSON.parse(body));
  // Its reasoning is sent back in its place.
  expect(second.turns.at(-2)).toMatchObject({ by: 'engine', ponder: 'I should look.' });
  expect(third.turns.at(-1)).toMatchObject({ by: 'person' });

  const entries = await readLog(file);
  const requests = requestsIn(entries);
  expect(requests).toHaveLength(3);
  for (const [index, { seq }] of requests.entries()) {
    const rebuilt = await rebuildRequest({ entries, readBlob: async () => undefined }, seq);
    expect(rebuilt?.sent).toMatchObject([{ wire: 'other' }]);
    expect(rebuilt && otherBody(rebuilt.request, rebuilt.sent[0]?.wordsAtMost as number | undefined)).toBe(
      server.bodies[index],
    );
  }
  expect(readFileSync(file, 'utf8')).not.toMatch(FIRST_WIRE);
});

test('a session that began with the other wire format continues with chat completions', async () => {
  const other = await otherServer(() => ({ reasoning: 'Hm.', calls: [{ name: 'Read', input: {} }] }));
  const stop = smallTool('Read', { access: { type: 'none' } });
  const first = await startAgent({
    client: createOtherClient(other.url),
    tools: [stop],
    maxSteps: 1,
    info: { returnsReasoning: true },
  });
  await first.ask('Look');
  const sessionId = first.agent.state().sessionId;
  await first.agent.close();
  const server = await wireServer(() => ({ text: 'Seen.' }));
  const again = await startAgent({
    client: createOpenAIClient({
      apiKey: 'k',
      baseUrl: server.baseUrl,
      factsOf: () => ({ returnsReasoning: true }),
    }),
    tools: [stop],
    info: { returnsReasoning: true },
    resume: { folder: first.folder, sessionId },
  });
  await again.ask('Go on');
  expect(again.lines().at(-1)).toBe('turn_ended done after 1');
  const { messages } = JSON.parse(server.bodies[0] ?? '{}');
  const spoken = messages.find(({ role }: { role: string }) => role === 'assistant');
  // The endpoint requires the field; another model's reasoning is left out.
  expect(spoken).toMatchObject({ reasoning_content: '' });
  expect(spoken).not.toHaveProperty('ponder');
});

/** As in logs since requests are recorded: the details of the wire format are next to the hash. */
test('a body in an older log is rebuilt from its entries', () => {
  const base = suiteRequest();
  const reasoning = { field: 'reasoning', text: 'I should look.' };
  const messages = base.messages.map((one) => (one.role === 'assistant' ? { ...one, reasoning } : one));
  const request = { ...base, messages, temperature: 0.5 };
  const older = {
    hash: '0',
    limitName: 'max_completion_tokens',
    withoutUsage: true,
    withReasoning: true,
    withoutTemperature: true,
    adaptations: ['null_content', 'one of a later version'],
  };
  const body = JSON.parse(rebuildBody(request, older));
  expect(body).toMatchObject({ max_completion_tokens: 100, stream: true });
  expect(body).not.toHaveProperty('stream_options');
  expect(body).not.toHaveProperty('temperature');
  expect(body.messages[2]).toMatchObject({ content: null, reasoning: 'I should look.' });
  expect(rebuildBody(request, { ...older, adaptations: ['null_content'] })).toBe(rebuildBody(request, older));
});

const FIRST_WIRE =
  /max_tokens|max_completion_tokens|stream_options|tool_choice|reasoning_content|finish_reason|limitName|chat\.completion/;

test('the field names of a wire format occur only in the model folder', () => {
  const source = resolve(import.meta.dirname, '../../src');
  const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !file.startsWith('model/'));
  expect(files.length).toBeGreaterThan(300);
  const found = files.filter((file) => FIRST_WIRE.test(readFileSync(join(source, file), 'utf8')));
  // Other formats have fields of the same names: stream-json, the Agent Client Protocol, OpenTelemetry's conventions.
  const others = ['acp/promptQueue.ts', 'headless/wireMessages.ts', /^telemetry\//];
  expect(found.filter((file) => !others.some((other) => file.match(other)))).toEqual([]);
});
