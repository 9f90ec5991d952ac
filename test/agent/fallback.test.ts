import { expect, test } from 'vitest';
import { createFallback, nextModel } from '../../src/agent/fallback.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { ModelError } from '../../src/protocol/models/model.ts';
import { fails, says } from './scriptedModel.ts';
import { modelInfo, startAgent } from './testAgent.ts';

const RETRY_PRIMARY_MS = 5 * 60_000;

const down: ModelError = { kind: 'server', status: 529, message: 'overloaded', retryable: true };
const size = { usedTokens: 50_000, triggerTokens: 80_000, windowTokens: 100_000, replyReserveTokens: 8000 };
const measure = () => ({ ...size, model: 'm', parts: [], exact: true, windowSource: 'setting' as const });

test.each<[Partial<ModelError>, boolean]>([
  [{ kind: 'server', status: 503 }, true],
  [{ kind: 'rate_limit', status: 429 }, true],
  [{ kind: 'stalled' }, true],
  [{ kind: 'network', retryable: false }, true],
  [{ kind: 'bad_request', status: 400, retryable: false }, false],
  [{ kind: 'auth', status: 401, retryable: false }, false],
  [{ kind: 'model_not_found', status: 404, retryable: false }, false],
  [{ kind: 'quota', status: 429, retryable: false }, false],
  [{ kind: 'overflow', status: 400, retryable: false }, false],
])('a turn falls back to another model after %o: %s', (error, expected) => {
  const { fallback, use } = setUp('a');
  fallback.begin();
  expect(use({ ...down, ...error })).toBe(expected);
});

test.each([
  [['a', 'b'], { a: 100_000, b: 100_000 }, [], {}, 'a'],
  [['a', 'b'], { a: 100_000, b: 100_000 }, ['a'], {}, 'b'],
  // It would be compacted at 80 %, or would not hold the reply.
  [['a', 'b'], { a: 62_000, b: 63_000 }, [], {}, 'b'],
  [['a'], { a: 57_000 }, [], { triggerTokens: 100_000 }, undefined],
  // Over the limit already, as after a failed compaction: no worse with the same window.
  [['a', 'b'], { a: 99_000, b: 100_000 }, [], { usedTokens: 90_000 }, 'b'],
])(
  'with fallback models %j, context windows %o, failed models %j and usage %o, the fallback is %s',
  (ids, windows: Record<string, number>, failed, at, expected) => {
    const models = ids.map((id) => modelInfo(id, windows[id] ?? 0));
    expect(nextModel(models, new Set<string>(failed), { ...size, ...at })?.id).toBe(expected);
  },
);

/** Fallback models with equal context windows, and the notices shown to the user. */
function setUp(...ids: readonly string[]) {
  let current = modelInfo('main', 100_000);
  let time = 0;
  const events: AgentEvent[] = [];
  const select = (id: string) => {
    current = modelInfo(id, 100_000);
    return current;
  };
  const fallback = createFallback({
    model: { current: () => current, select },
    fallbacks: () => ids.map((id) => modelInfo(id, 100_000)),
    now: () => time,
    emit: (event) => events.push(event),
  });
  return {
    fallback,
    use: (error: ModelError) => fallback.use(current.id, error, measure),
    select,
    id: () => current.id,
    told: () => events.flatMap((event) => (event.type === 'notice' ? event.text : [])),
    wait: (ms: number) => {
      time += ms;
    },
  };
}

test('the chosen model is retried once after a while, and its recovery is reported', () => {
  const { fallback, use, id, told, wait } = setUp('a', 'b');
  fallback.begin();
  expect(use(down)).toBe(true);
  fallback.answered();
  expect(id()).toBe('a');
  wait(RETRY_PRIMARY_MS - 1);
  fallback.begin();
  expect([id(), fallback.maxAttempts(measure)]).toEqual(['a', 3]);
  wait(1);
  fallback.begin();
  expect([id(), fallback.maxAttempts(measure)]).toEqual(['main', 1]);
  expect(use(down)).toBe(true);
  fallback.answered();
  expect(id()).toBe('a');
  expect(told()).toEqual(['main is unavailable; using a.']);
  fallback.begin();
  expect(id()).toBe('a');
  wait(RETRY_PRIMARY_MS);
  fallback.begin();
  fallback.answered();
  fallback.answered();
  expect([id(), fallback.maxAttempts(measure)]).toEqual(['main', 3]);
  expect(told().slice(1)).toEqual(['main is available again.']);
});

test('each model is tried once in a turn; if all fail, the next prompt starts with the chosen one', () => {
  const { fallback, use, id, told } = setUp('main', 'a', 'b');
  fallback.begin();
  expect([use(down), use(down)]).toEqual([true, true]);
  expect(id()).toBe('b');
  expect(use(down)).toBe(false);
  expect(id()).toBe('main');
  expect(told()).toEqual(['main is unavailable; using a.', 'a is unavailable; using b.']);
  expect(fallback.maxAttempts(measure)).toBeUndefined();
});

test.each(['auth', 'model_not_found', 'quota'] as const)(
  'a fallback model that fails with "%s" is skipped, with the reason',
  (kind) => {
    const wrong: ModelError = { kind, message: 'The provider "a" is invalid.', retryable: false };
    const { fallback, use, id, told } = setUp('a', 'b', 'c');
    fallback.begin();
    // Such failures of the chosen model are for the user to fix.
    expect([use(wrong), id()]).toEqual([false, 'main']);
    fallback.begin();
    expect([use(down), use(wrong), id()]).toEqual([true, true, 'b']);
    fallback.answered();
    expect(told()).toEqual([
      'main is unavailable; using a.',
      'a is skipped: The provider "a" is invalid. Using b.',
    ]);
    // An invalid request would be invalid for other models as well.
    expect(use({ ...wrong, kind: 'bad_request' })).toBe(false);
  },
);

test('a fallback model that also fails is not kept', () => {
  const { fallback, use, id } = setUp('a');
  fallback.begin();
  use(down);
  expect(use({ ...down, kind: 'auth', retryable: false })).toBe(false);
  expect(id()).toBe('main');
});

test('a model that the user has chosen in the meantime is not replaced', () => {
  const { fallback, use, id, select, wait } = setUp('a');
  expect(fallback.use('the one before', down, measure)).toBe(false);
  expect(id()).toBe('main');
  fallback.begin();
  use(down);
  fallback.forget();
  select('a');
  wait(RETRY_PRIMARY_MS);
  fallback.begin();
  expect(id()).toBe('a');
});

test('the same request goes to the next model after three attempts; the log records which model answered', async () => {
  const { ask, model, lines, agent } = await startAgent({
    fallbacks: () => [modelInfo('small', 10), modelInfo('other', 200_000)],
    answers: [...Array.from({ length: 3 }, () => fails({ status: 529 })), says('From the other.')],
  });
  await ask('Hi');
  const asked = model.requests.map((request) => request.model);
  expect(asked).toEqual([...Array.from({ length: 3 }, () => 'test-model'), 'other']);
  expect(model.requests.at(-1)?.messages).toEqual(model.requests[0]?.messages);
  expect(lines().filter((text) => text.includes('unavailable'))).toHaveLength(1);
  const reply = agent.entries().find(({ type }) => type === 'assistant');
  expect(reply?.message.model).toBe('other');
  expect(agent.state().model.id).toBe('other');
  // What /model --default saves.
  expect(agent.state().chosenModel).toBe('test-model');
});

test('a request that the server rejects is not sent to another model', async () => {
  const { ask, model } = await startAgent({
    fallbacks: () => [modelInfo('other', 200_000)],
    answers: [fails({ kind: 'bad_request', status: 400, retryable: false })],
  });
  await ask('Hi');
  expect(model.requests.map((request) => request.model)).toEqual(['test-model']);
});
