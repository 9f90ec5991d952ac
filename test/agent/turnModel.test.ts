import { expect, test } from 'vitest';
import { createTurnModel } from '../../src/agent/turnModel.ts';
import type { ContextMeasure } from '../../src/protocol/contextReport.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { modelInfo } from './testAgent.ts';

/**
 * A session with the model `big`, whose conversation takes 50,000 tokens; `chosen`: the model that a fallback replaces.
 */
function open(chosen?: string) {
  const events: AgentEvent[] = [];
  const forgotten: string[] = [];
  const infoOf = (id: string) => modelInfo(id, id === 'small' ? 10_000 : 200_000);
  let current = infoOf('big');
  let standsFor = chosen;
  const select = (id: string) => {
    current = infoOf(id);
    return current;
  };
  const turn = createTurnModel({
    model: { current: () => current, select },
    fallback: {
      chosen: () => (standsFor === undefined ? undefined : infoOf(standsFor)),
      forget: () => {
        if (standsFor !== undefined) forgotten.push(standsFor);
        standsFor = undefined;
      },
    },
    mayUse: (id) => id !== 'evil',
    measure: () =>
      ({
        usedTokens: 50_000,
        triggerTokens: 150_000,
        windowTokens: 200_000,
        replyReserveTokens: 8000,
      }) as ContextMeasure,
    emit: (event) => events.push(event),
  });
  const told = () => events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
  return { turn, select, current: () => current.id, told, forgotten };
}

test("a skill's model answers until the turn ends", () => {
  const { turn, current, told } = open();
  turn.use({ name: 'a', model: 'other' });
  turn.use({ name: 'b', model: 'third' });
  turn.use({ name: 'c' });
  expect(current()).toBe('third');
  expect(turn.replaced()).toBe('big');
  turn.end();
  expect(turn.replaced()).toBeUndefined();
  expect(current()).toBe('big');
  expect(told()).toHaveLength(2);
});

test('a model that the user has not configured, or whose context window is too small, is not used, with a notice', () => {
  const { turn, current, told } = open();
  turn.use({ name: 'a', model: 'evil' });
  turn.use({ name: 'a\u001b[2J', model: 'small' });
  expect(current()).toBe('big');
  turn.end();
  expect(current()).toBe('big');
  expect(told()).toEqual([
    'The skill a asks for evil, which is not one of your models; big continues.',
    expect.stringContaining('whose context window is too small now; big continues.'),
  ]);
  expect(told().join('')).not.toContain('\u001b');
});

test('a model that the user selects during the turn is kept', () => {
  const { turn, select, current } = open();
  turn.use({ name: 'a', model: 'other' });
  select('mine');
  turn.forget();
  turn.end();
  expect(current()).toBe('mine');
});

test('the session returns to its own model after a fallback', () => {
  const { turn, current, forgotten } = open('first');
  turn.use({ name: 'a', model: 'other' });
  turn.end();
  expect(current()).toBe('first');
  expect(forgotten).toEqual(['first']);
});
