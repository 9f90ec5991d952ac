import { expect, test } from 'vitest';
import { readTasks, shardTasks, tasksFor } from '../../../src/cli/fleet/tasks.ts';

test('JSON lines become tasks; folders are relative to the file', () => {
  const text = `{"id":"a","prompt":" fix it ","cwd":"repos/a","maxTurns":3,"model":"m"}\n\n{"prompt":"x","cwd":"/abs/B c"}\r\n`;
  const [a, b] = readTasks(text, '/list');
  expect(a).toEqual({ id: 'a', prompt: 'fix it', cwd: '/list/repos/a', maxTurns: 3, model: 'm' });
  expect(b).toMatchObject({ prompt: 'x', cwd: '/abs/B c' });
  expect(b?.id).toMatch(/^Bc-[0-9a-f]{10}$/);
});

test('a task’s id does not depend on the order of tasks or the working directory', () => {
  const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id);
  const [one, two] = ids(tasksFor('p', ['r/one/', 'r/two'], '/x'));
  expect(ids(tasksFor('p', ['r/two', 'r/one/'], '/y'))).toEqual([two, one]);
  expect(ids(tasksFor('q', ['r/one/'], '/x'))).not.toContain(one);
});

test.each([
  ['', 'there are no tasks'],
  ['{"prompt":"x"}\nno', 'line 2: not JSON'],
  ['{"cwd":"."}', 'line 1: prompt:'],
  ['{"prompt":"  "}', 'line 1: prompt:'],
  ['{"prompt":"x","permissionMode":"bypassPermissions"}', 'line 1: Unrecognized key'],
  ['{"prompt":"x","id":"../up"}', 'line 1: id: letters'],
  ['{"prompt":"x","model":"--yolo"}', 'line 1: model: not a model'],
  ['{"prompt":"x","id":"a"}\n{"prompt":"y","id":"A"}', 'two tasks have the id "A"'],
  ['{"prompt":"x"}\n{"prompt":"x"}', 'two tasks have the id'],
])('an invalid task list: %j', (text, message) => {
  expect(() => readTasks(text, '/')).toThrow(message);
});

test('the shards together contain each task once', () => {
  const tasks = tasksFor('p', ['a', 'b', 'c', 'd', 'e'], '/');
  const parts = [0, 1, 2].map((index) => shardTasks(tasks, { index, of: 3 }));
  expect(parts.map((part) => part.length)).toEqual([2, 2, 1]);
  expect(new Set(parts.flat())).toEqual(new Set(tasks));
});
