/** Onboarding without a screen: the steps and their effects. */
import { describe, expect, test } from 'vitest';
import { createForm } from '../../../src/ui/onboarding/accessForm.ts';
import { reduceSetup, startState } from '../../../src/ui/onboarding/flow.ts';

type SetupAction = Parameters<typeof reduceSetup>[1];

type SetupState = Parameters<typeof reduceSetup>[0];

const baseUrl = 'http://127.0.0.1:8000/v1';
const access = { baseUrl, apiKey: '', model: '' };

/** The state and all effects after these actions. */
function played(...actions: readonly SetupAction[]) {
  let state: SetupState = startState;
  const effects: unknown[] = [];
  for (const action of actions) {
    const step = reduceSetup(state, action, {});
    state = step.state;
    effects.push(...step.effects);
  }
  return { state, effects };
}

const asked = { type: 'endpoint', baseUrl, isSure: true } as const;

/** The access that is being checked after these. */
function checked(...actions: readonly SetupAction[]) {
  const { step } = played(...actions).state;
  if (step.type !== 'checking') throw new Error(step.type);
  return step.access;
}

describe('searching', () => {
  test('only the last search counts', () => {
    const late = { type: 'found', servers: [], search: 1 } as const;
    const { state, effects } = played({ type: 'again' }, { type: 'again' }, late);
    expect(effects).toEqual([
      { type: 'search', search: 1 },
      { type: 'search', search: 2 },
    ]);
    expect(state.found).toBeUndefined();
    expect(played({ type: 'again' }, late).state.found).toEqual([]);
  });
});

describe('an endpoint', () => {
  test('that is certain is checked immediately; one that needs a key asks for it', () => {
    expect(played(asked).effects).toEqual([{ type: 'check', access }]);
    const { state, effects } = played({ type: 'endpoint', baseUrl, isSure: false });
    expect([state.step, effects]).toMatchObject([{ type: 'form', asks: ['apiKey'] }, []]);
  });

  test('whose list proves the key and has one model is saved; any other is checked', () => {
    const outcome = { type: 'models', baseUrl, models: [{ id: 'one' }], isProven: true } as const;
    const answer = { type: 'checked', access: checked(asked), outcome } as const;
    const step = reduceSetup(played(asked).state, answer, {});
    // Another object is another request, even if it is equal.
    expect(step.effects).toEqual([]);
    const { state } = played(asked);
    if (state.step.type !== 'checking') throw new Error(state.step.type);
    const own = { ...answer, access: state.step.access };
    expect(reduceSetup(state, own, {}).effects).toEqual([
      { type: 'done', result: { type: 'credentials', baseUrl, apiKey: '', model: 'one' } },
    ]);
    const unproven = { ...own, outcome: { ...outcome, isProven: false } };
    expect(reduceSetup(state, unproven, {}).effects).toEqual([
      { type: 'check', access: { ...access, model: 'one' } },
    ]);
  });

  test('an answer after Esc changes nothing', () => {
    const { state } = played(asked);
    if (state.step.type !== 'checking') throw new Error(state.step.type);
    const left = reduceSetup(state, { type: 'back' }, {}).state;
    expect(left.step.type).toBe('form');
    const late = {
      type: 'checked',
      access: state.step.access,
      outcome: { type: 'accepted', access },
    } as const;
    expect(reduceSetup(left, late, {})).toEqual({ state: left, effects: [] });
  });
});

test('a form points to its problem, and plain mode asks only for that field', () => {
  const { state } = played({ type: 'submit', form: createForm() });
  expect(state.step).toMatchObject({ type: 'form', asks: ['apiKey'], form: { active: 0 } });
});

test('after a pasted key, plain mode asks for endpoint and model; after an address, for everything', () => {
  expect(played({ type: 'pasted', text: 'gsk_0123456789abcdef01' }).state.step).toMatchObject({
    asks: ['baseUrl', 'model'],
  });
  expect(played({ type: 'pasted', text: 'https://llm.example/v1' }).state.step).toMatchObject({
    asks: ['apiKey', 'baseUrl', 'model'],
    form: { active: 1 },
  });
});

test('Esc goes back one step and quits at the first; after that, nothing happens', () => {
  expect(played({ type: 'help' }, { type: 'back' }).state.step.type).toBe('choices');
  const quit = { type: 'done', result: { type: 'quit' } };
  expect(played({ type: 'back' }, { type: 'demo' }).effects).toEqual([quit]);
});
