/** Which models a call of the Agent tool may name. */
import { expect, test } from 'vitest';
import { modelProblem } from '../../../src/cli/subagents/subagentPort.ts';

const allowed = ['main-model', 'small', 'main-model', 'vendor/big'];

test.each(['main-model', 'small', ' vendor/big ', 'inherit', 'haiku', ''])(
  'a call may name the model %j',
  (model) => {
    expect(modelProblem(model, allowed)).toBeUndefined();
  },
);

test.each(['evil/logger', 'SMALL', 'small:free', '*'])('a call may not name the model %j', (model) => {
  expect(modelProblem(model, allowed)).toContain(
    'Leave model out, or name one of: main-model, small, vendor/big.',
  );
});

test('the message shows hidden characters in a name, and stays short', () => {
  const text = modelProblem(
    `evil\u001b[2J${'x'.repeat(5000)}`,
    Array.from({ length: 500 }, (_, n) => `m${n}`),
  );
  expect(text).not.toContain('\u001b');
  expect(text?.length).toBeLessThan(1000);
});
