import { expect, test } from 'vitest';
import {
  createPlanTracker,
  createTitleTracker,
  lastCwd,
  lastEffort,
  lastMode,
  lastModel,
} from '../../src/agent/sessionFacts.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { type MadeUpFields, madeUpEntry } from '../madeUpEntry.ts';

const entry = (fields: MadeUpFields): JSONLEntry =>
  madeUpEntry({ type: 'system', message: { role: 'system', content: '' }, ...fields });
const mode = (name: unknown) => entry({ subtype: 'mode', data: { mode: name } });
const model = (name: unknown) => entry({ subtype: 'model', data: { model: name } });
const start = (name: unknown) =>
  entry({ subtype: 'session_start', data: { configuration: { model: name } } });
const text = (subtype: string, content: unknown) =>
  entry({ type: 'user', subtype, message: { role: 'user', content } });

const work = text('prompt', 'Go');

test.each([
  [[], undefined, undefined, undefined],
  [[mode('plan')], 'plan', undefined, undefined],
  [[mode('acceptEdits'), mode('plan'), work, mode('plan')], 'plan', undefined, 'acceptEdits'],
  [[mode('acceptEdits'), work, mode('default'), mode('plan'), work], 'plan', 'acceptEdits', 'default'],
  [[mode('plan'), mode('default')], 'default', undefined, 'default'],
  [[mode('acceptEdits'), mode('a mode of tomorrow'), mode(7)], 'acceptEdits', undefined, 'acceptEdits'],
])('finds the mode, and the modes before a plan (%#)', (entries, now, used, last) => {
  expect(lastMode(entries)).toBe(now);
  expect(createPlanTracker()(entries)).toEqual({ used, last });
});

test.each([
  [[], undefined],
  [[start('a')], { model: 'a' }],
  [[start('a'), model('b'), model('c')], { model: 'c' }],
  [[start(7)], undefined],
  [[entry({ subtype: 'session_start' })], undefined],
])('finds the current model of a session (%#)', (entries, id) => {
  expect(lastModel(entries)).toEqual(id);
});

test.each([
  [[], undefined],
  [[entry({ subtype: 'effort', data: { effort: 'high' } })], 'high'],
  [[entry({ subtype: 'effort', data: { effort: 'high' } }), entry({ subtype: 'effort', data: {} })], null],
  [[entry({ subtype: 'effort', data: { effort: 'of tomorrow' } })], null],
])('finds the effort chosen in a session (%#)', (entries, level) => {
  expect(lastEffort(entries)).toBe(level);
});

test.each([
  [[], undefined],
  [[text('prompt', ' Fix the test \nplease'), text('prompt', 'More')], 'Fix the test'],
  [[text('prompt', 'Fix the test'), text('title', 'Baskets'), text('prompt', 'More')], 'Baskets'],
  [[text('prompt', `x${'😀'.repeat(300)}`)], `x${'😀'.repeat(199)}`],
])('finds the title of a session (%#)', (entries, title) => {
  expect(createTitleTracker()(entries)).toBe(title);
});

test("the shell's directory comes from the last entry, ignoring results added by a resume", () => {
  const cut = { id: 'a', output: '', status: 'interrupted' as const };
  expect(lastCwd([])).toBeUndefined();
  expect(lastCwd([entry({}), entry({ cwd: '/p/sub' })])).toBe('/p/sub');
  expect(lastCwd([entry({ cwd: '/p/sub' }), entry({ type: 'tool_result', toolResult: cut })])).toBe('/p/sub');
});

test.each(['rewind', 'undo'])("the entry of a %s does not record the shell's directory", (subtype) => {
  const back = entry({ type: 'system', subtype, cwd: '/p/sub' });
  expect(lastCwd([entry({}), back])).toBe(entry({}).cwd);
});
