import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { EventMapper } from '../../src/telemetry/EventMapper.ts';
import { providerOf } from '../../src/telemetry/providers.ts';
import type { TelemetryRecord } from '../../src/telemetry/records.ts';

function createMapper(contentOf?: (text: string) => string) {
  return new EventMapper({
    session: () => ({ id: 's1', model: 'm' }),
    endpointOf: () => ({ 'gen_ai.provider.name': 'openai' }),
    costUsd: (_, { input_tokens }) => (input_tokens === 0 ? undefined : input_tokens / 1000),
    contentOf,
  });
}

const entry = (fields: object): Extract<AgentEvent, { type: 'entry' }> => ({
  type: 'entry',
  entry: { message: { role: 'system', content: '' }, ...fields } as unknown as JSONLEntry,
});
const reply = (message: object = {}) =>
  entry({ type: 'assistant', message: { role: 'assistant', content: 'Text.', model: 'm', ...message } });
const call = (id: string, name: string) => entry({ type: 'tool_use', tool: { id, name, input: { a: 1 } } });
const result = (id: string, status: string, durationMs: number) =>
  entry({ type: 'tool_result', toolResult: { id, status, durationMs, output: 'out' } });
const started = (callId: string): AgentEvent => ({ type: 'tool_started', callId, tool: 'T', title: 't' });
const subagent = (callId: string): AgentEvent => ({
  type: 'subagent_changed',
  status: {
    callId,
    id: 'a1',
    agent: 'explore',
    description: 'd',
    startedAtMs: 0,
    step: 0,
    doing: '',
    tokens: 0,
  },
});
const ofSubagent = (one: ReturnType<typeof entry>): AgentEvent => ({
  ...{ type: 'subagent_entry', callId: 'c1', id: 'a1' },
  entry: one.entry,
});

/** The spans as `name start-end parent error`, and the measurements. */
function play(events: readonly (readonly [number, AgentEvent])[], mapper = createMapper()) {
  const records = events.flatMap(([atMs, event]) => mapper.event(event, atMs));
  return summary([...records, ...mapper.close(99)]);
}
function summary(records: readonly TelemetryRecord[]) {
  const starts = new Map(
    records.flatMap((one) => (one.type === 'span_started' ? [[one.key, one] as const] : [])),
  );
  const spans = records.flatMap((one) => {
    if (one.type !== 'span_ended') return [];
    const span = starts.get(one.key);
    const parent = starts.get(span?.parent ?? '')?.name ?? '-';
    return [
      `${span?.name} ${span?.atMs}-${one.atMs} ${parent}${one.error === undefined ? '' : ` !${one.error}`}`,
    ];
  });
  const open = records.filter(({ type }) => type === 'span_started').length - spans.length;
  const measured = records.flatMap((one) =>
    one.type === 'measured'
      ? [`${one.metric} ${one.value} ${one.attributes['error.type'] ?? ''}`.trim()]
      : [],
  );
  return { spans, open, measured };
}

const T0 = [0, { type: 'turn_started' }] as const;
const end = (atMs: number, fields: object = {}) =>
  [atMs, { type: 'turn_ended', outcome: 'done', steps: 1, ...fields } as AgentEvent] as const;
const step = (atMs: number) => [atMs, { type: 'step_started', step: 1 }] as const;

test('a request begins where its duration says, otherwise with its step', () => {
  const usage = { input_tokens: 500, output_tokens: 5 };
  const { spans, measured } = play([
    T0,
    step(1),
    [10, reply({ durationMs: 6, usage })],
    step(11),
    [20, reply()],
    end(30),
  ]);
  expect(spans).toEqual([
    'chat m 4-10 invoke_agent clawdcode',
    'chat m 11-20 invoke_agent clawdcode',
    'invoke_agent clawdcode 0-30 -',
  ]);
  expect(measured).toEqual([
    'gen_ai.client.token.usage 500',
    'gen_ai.client.token.usage 5',
    'clawdcode.cost.usage 0.5',
    'gen_ai.client.operation.duration 0.006',
    'gen_ai.client.operation.duration 0.009',
    'gen_ai.invoke_agent.duration 0.03',
  ]);
});

test('a request that failed after retries is a span with its error', () => {
  const error = { kind: 'rate_limit', message: 'secret text', retryable: true } as const;
  const mapper = createMapper();
  const retrying: AgentEvent = { type: 'retrying', attempt: 2, maxAttempts: 3, delayMs: 1, error };
  const records = [T0, step(1), [5, retrying] as const, end(9, { outcome: 'failed', error })].flatMap(
    ([atMs, event]) => mapper.event(event, atMs),
  );
  expect(summary(records).spans).toEqual([
    'chat m 1-9 invoke_agent clawdcode !rate_limit',
    'invoke_agent clawdcode 0-9 - !rate_limit',
  ]);
  expect(records).toContainEqual(expect.objectContaining({ attributes: { 'clawdcode.retries': 2 } }));
  expect(JSON.stringify(records)).not.toContain('secret text');
});

test('calls that run, are denied, fail, or are cut short by the end of the turn are spans', () => {
  const { spans, measured } = play([
    ...([T0, [1, call('c1', 'Read')], [1, call('c2', 'Bash')], [1, call('c3', 'Edit')]] as const),
    ...([
      [2, started('c1')],
      [3, result('c1', 'error', 1)],
      [4, result('c2', 'denied', 0)],
    ] as const),
    ...([[5, started('c3')], end(6, { outcome: 'interrupted' })] as const),
    // The user's own command.
    [7, started('x')],
  ]);
  expect(spans).toEqual([
    'execute_tool Read 2-3 invoke_agent clawdcode !tool_error',
    'execute_tool Bash 4-4 invoke_agent clawdcode !permission_denied',
    'execute_tool Edit 5-6 invoke_agent clawdcode !interrupted',
    'invoke_agent clawdcode 0-6 -',
  ]);
  expect(measured.slice(0, 2)).toEqual([
    'gen_ai.execute_tool.duration 0.001 tool_error',
    'gen_ai.execute_tool.duration 0 permission_denied',
  ]);
});

test('a background subagent outlives the call that started it', () => {
  const usage = { input_tokens: 100, output_tokens: 1 };
  const total = entry({
    type: 'system',
    subtype: 'usage',
    message: { usage },
    data: { purpose: 'subagent a1' },
  });
  const { spans, open, measured } = play([
    ...([T0, [1, call('c1', 'Agent')], [2, started('c1')], [2, subagent('c1')]] as const),
    ...([
      [3, result('c1', 'ok', 1)],
      end(4),
      [10, ofSubagent(reply({ durationMs: 2, usage }))],
      [10, total],
    ] as const),
    [12, ofSubagent(call('c1', 'Read'))],
    [14, ofSubagent(result('c1', 'ok', 1))],
    [15, ofSubagent(entry({ type: 'system', subtype: 'turn_end', data: { outcome: 'failed', steps: 1 } }))],
    [16, subagent('c1')],
  ]);
  expect(spans).toEqual([
    'execute_tool Agent 2-3 invoke_agent clawdcode',
    'invoke_agent clawdcode 0-4 -',
    'chat m 8-10 invoke_agent explore',
    'execute_tool Read 13-14 invoke_agent explore',
    'invoke_agent explore 2-15 execute_tool Agent !_OTHER',
  ]);
  expect(open).toBe(0);
  expect(measured.filter((line) => line.startsWith('gen_ai.client.token.usage'))).toHaveLength(2);
});

test('compactions are spans, even one that is rejected at once', () => {
  const report = { trigger: 'auto', preTokens: 9, postTokens: 3, files: [], durationMs: 1 } as const;
  const ended = (outcome: 'done' | 'refused'): AgentEvent => ({
    type: 'compaction_ended',
    report: { ...report, outcome },
  });
  const { spans, measured } = play([
    [1, { type: 'compaction_started', trigger: 'auto', preTokens: 9 }],
    [5, ended('done')],
    [6, ended('refused')],
  ]);
  expect(spans).toEqual(['compact_context 1-5 -']);
  expect(measured).toEqual(['clawdcode.compaction.count 1']);
});

test('closing ends everything that is open', () => {
  const { spans, open } = play([
    T0,
    ...([
      [1, call('c1', 'Agent')],
      [2, started('c1')],
      [2, subagent('c1')],
    ] as const),
    [3, { type: 'compaction_started', trigger: 'manual', preTokens: 1 }],
  ]);
  expect([spans.length, open]).toEqual([4, 0]);
});

test('content is exported only through contentOf', () => {
  const events = [
    T0,
    [0, entry({ type: 'user', subtype: 'prompt', message: { role: 'user', content: 'PROMPT' } })],
    ...([[1, reply()], [1, call('c1', 'Read')], [2, result('c1', 'ok', 1)], end(3)] as const),
  ] as const;
  const recordsWith = (contentOf?: (text: string) => string): string => {
    const mapper = createMapper(contentOf);
    return JSON.stringify(events.flatMap(([atMs, event]) => mapper.event(event, atMs)));
  };
  expect(recordsWith()).not.toMatch(/PROMPT|Text\.|out"|\{\\"a/);
  const texts: string[] = [];
  const exported = recordsWith((text) => `<${texts.push(text)}>`);
  expect(texts).toEqual(['Text.', '{"a":1}', 'out', 'PROMPT', 'Text.']);
  expect(exported).not.toMatch(/PROMPT|Text\./);
});

test('a provider is known by the host of its endpoint, otherwise by its API', () => {
  const provider = (url: string, wire: 'chat' | 'anthropic') => Object.values(providerOf(url, wire));
  expect(provider('https://api.openai.com/v1', 'chat')).toEqual(['openai', 'api.openai.com', 443]);
  expect(provider('https://me.openai.azure.com/v1', 'chat')[0]).toBe('azure.ai.openai');
  expect(provider('https://x.ai.example.com/v1', 'chat')[0]).toBe('openai');
  expect(provider('http://[::1]:8080/v1', 'anthropic')).toEqual(['anthropic', '[::1]', 8080]);
});
