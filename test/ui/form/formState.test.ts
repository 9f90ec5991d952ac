import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ChoiceField, FormField } from '../../../src/protocol/forms.ts';
import type { PermissionAnswer } from '../../../src/protocol/permissions.ts';
import { formLayout } from '../../../src/ui/form/formLayout.ts';
import {
  answersOf,
  createForm,
  type FormState,
  formFocus,
  pasteIntoForm,
  pressForm,
} from '../../../src/ui/form/formState.ts';
import type { DialogKey } from '../../../src/ui/keys/keymap.ts';
import { defaultKeymap } from '../../../src/ui/keys/keymap.ts';
import { plain } from '../mount.tsx';

const field: ChoiceField = {
  type: 'choice',
  hasOwnAnswer: true,
  header: 'Auth',
  question: 'Which method?',
  options: [
    { label: 'Link', description: 'By mail.' },
    { label: 'OAuth', preview: 'a\nb' },
    { label: 'Passwords' },
  ],
  isMultiple: false,
};
const several: ChoiceField = { ...field, header: 'Parts', question: 'Which parts?', isMultiple: true };

const key = (name: string): DialogKey => ({ type: 'action', name }) as DialogKey;
const text = (typed: string): DialogKey => ({ type: 'text', text: typed });
const keysOf: Readonly<Record<string, DialogKey>> = {
  up: key('question:previous'),
  down: key('question:next'),
  space: key('question:toggle'),
  enter: key('question:accept'),
  left: key('question:back'),
  right: key('question:forward'),
  escape: key('question:cancel'),
};

const stray = { begin: () => undefined, holds: () => false };

/** Presses keys by name; in the text row, `enter` and `escape` are the field's. */
function press(fields: readonly FormField[], ...names: readonly string[]) {
  let state = createForm({ fields });
  const answers: PermissionAnswer[] = [];
  for (const name of names) {
    const isTyping = formFocus({ fields }, state).typing === 'text';
    const typed = { enter: 'form:submit', escape: 'form:cancel', up: 'form:previous', down: 'form:next' }[
      name
    ];
    const pressed = isTyping && typed !== undefined ? key(typed) : (keysOf[name] ?? text(name));
    const step = pressForm({ fields }, state, pressed, { pageRows: 1, lowest: 0, counts: () => true, stray });
    state = step.state;
    if (step.answer !== undefined) answers.push(step.answer);
  }
  return { state, answers };
}

test.each<[string, readonly FormField[], readonly string[], readonly PermissionAnswer[]]>([
  [
    'Enter chooses the selected option',
    [field],
    ['enter'],
    [{ behavior: 'allow', answers: [{ chosen: [0] }] }],
  ],
  ['a digit chooses', [field], ['2'], [{ behavior: 'allow', answers: [{ chosen: [1] }] }]],
  [
    'up from the first row selects the text row',
    [field],
    ['up', 'mine', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [], text: 'mine' }] }],
  ],
  [
    'digits are text there',
    [field],
    ['4', '4', '2', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [], text: '42' }] }],
  ],
  ['an empty own answer is not accepted', [field], ['4', ' ', 'enter'], []],
  ['Esc leaves the row, and then declines', [field], ['4', 'x', 'escape', 'escape'], [{ behavior: 'deny' }]],
  [
    'an option replaces typed text',
    [field],
    ['4', 'x', 'escape', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [0] }] }],
  ],
  [
    'Space marks several, Enter sends them',
    [several],
    ['space', 'down', 'down', 'space', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [0, 2] }] }],
  ],
  [
    'Space removes a mark',
    [several],
    ['space', 'space', '3', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [2] }] }],
  ],
  ['with nothing marked, Enter marks', [several], ['enter'], []],
  [
    'several options and an own answer',
    [several],
    ['2', '4', 'and this', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [1], text: 'and this' }] }],
  ],
  ['a letter chooses nothing', [field], ['y'], []],
  ['several questions are reviewed before they are sent', [field, several], ['1', '2', 'enter'], []],
  [
    'and are sent from there',
    [field, several],
    ['1', '2', 'enter', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [0] }, { chosen: [1] }] }],
  ],
  ['or not', [field, several], ['1', '2', 'enter', '2'], [{ behavior: 'deny' }]],
  [
    'back to an earlier question',
    [field, several],
    ['1', 'left', '3', '1', 'enter', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [2] }, { chosen: [0] }] }],
  ],
  [
    'a skipped question has no answer',
    [field, several],
    ['right', '1', 'enter', 'enter'],
    [{ behavior: 'allow', answers: [{ chosen: [] }, { chosen: [0] }] }],
  ],
])('%s', (_name, fields, names, expected) => {
  expect(press(fields, ...names).answers).toEqual(expected);
});

test('keys typed before the page could be read choose nothing, but Esc declines', () => {
  const form = { fields: [field] };
  const state = createForm(form);
  const ahead = { pageRows: 1, lowest: 0, counts: () => false, stray };
  for (const pressed of [keysOf.enter, keysOf.space, keysOf.down])
    expect(pressForm(form, state, pressed ?? text(''), ahead)).toEqual({ state });
  expect(pressForm(form, state, text('1'), ahead)).toEqual({ state, unmeant: '1' });
  expect(pressForm(form, state, key('question:cancel'), ahead).answer).toEqual({ behavior: 'deny' });
});

test('a page never takes more rows than available, and shows every option', () => {
  const fields = fc.array(
    fc.record({
      type: fc.constant('choice' as const),
      hasOwnAnswer: fc.boolean(),
      header: fc.string({ maxLength: 30 }),
      question: fc.string({ minLength: 1, maxLength: 400 }),
      options: fc.array(
        fc.record({
          label: fc.string({ minLength: 1, maxLength: 60 }),
          description: fc.string({ maxLength: 200 }),
          preview: fc.string({ maxLength: 400 }),
        }),
        { minLength: 2, maxLength: 4 },
      ),
      isMultiple: fc.boolean(),
    }),
    { minLength: 1, maxLength: 4 },
  );
  fc.assert(
    fc.property(
      fields,
      fc.integer({ min: 20, max: 160 }),
      fc.integer({ min: 12, max: 40 }),
      fc.nat(4),
      fc.nat(4),
      (all, width, rows, page, row) => {
        const start = createForm({ fields: all });
        const state: FormState = {
          ...start,
          page: Math.min(page, all.length > 1 ? all.length : 0),
          fields: start.fields.map((one, index) => ({
            ...one,
            row: Math.min(row, (all[index]?.options.length ?? 0) - (all[index]?.hasOwnAnswer ? 0 : 1)),
          })),
        };
        const layout = formLayout(
          { fields: all },
          'The model asks',
          state,
          { width, rows, theme: plain },
          defaultKeymap,
        );
        const lines = [
          ...layout.above,
          ...(layout.typing === undefined ? [] : [layout.typing]),
          ...layout.below,
        ];
        expect(lines.length).toBeLessThanOrEqual(rows);
        const shown = all[state.page];
        if (shown === undefined) return;
        for (const index of shown.options.keys()) expect(lines.join('\n')).toContain(` ${index + 1}. `);
      },
    ),
  );
});

test('a pasted answer keeps its line breaks, except in a field for a number', () => {
  const number: FormField = { type: 'text', header: 'Port', question: 'Which?', holds: 'integer' };
  for (const [asked, expected] of [
    [field, 'first\nsecond'],
    [number, 'first second'],
  ] as const) {
    const form = { fields: [asked] };
    const start = createForm(form);
    const typing = { ...start, fields: start.fields.map((one) => ({ ...one, row: field.options.length })) };
    expect(answersOf(form, pasteIntoForm(form, typing, 'first\rsecond'))[0]?.text).toBe(expected);
  }
});
