import fc from 'fast-check';
import { expect, test } from 'vitest';
import { batches } from '../../src/agent/toolCalls.ts';
import type { Tool } from '../../src/protocol/tools.ts';

const tool = (name: string, readOnly: boolean): Tool => ({
  name,
  readOnly,
  schema: { name, description: '', parameters: {} },
  prepare: () => ({ type: 'invalid', message: '' }),
});
const tools = [tool('Read', true), tool('Bash', false)];

test('calls keep their order; a call that may change something runs alone; at most sixteen run in parallel', () => {
  const names = fc.array(fc.constantFrom('Read', 'Read', 'Read', 'Bash', 'Unknown'), { maxLength: 200 });
  fc.assert(
    fc.property(names, (made) => {
      const calls = made.map((name, index) => ({ id: String(index), name, arguments: '{}' }));
      const groups = batches(calls, tools);
      expect(groups.flat()).toEqual(calls);
      for (const group of groups) {
        expect(group.length).toBeLessThanOrEqual(16);
        if (group.some(({ name }) => name !== 'Read')) expect(group).toHaveLength(1);
      }
    }),
  );
});

test('adjacent read-only calls run together', () => {
  const calls = Array.from({ length: 20 }, (_, index) => ({
    id: String(index),
    name: 'Read',
    arguments: '{}',
  }));
  expect(batches(calls, tools).map((group) => group.length)).toEqual([16, 4]);
});
