/** A key that confirms the answer to one question does not answer the next one. */
import { useState } from 'react';
import { expect, test } from 'vitest';
import type { ChoiceField, Form } from '../../../src/protocol/forms.ts';
import type { PermissionQuestion } from '../../../src/protocol/permissions.ts';
import { DialogView } from '../../../src/ui/dialog/DialogView.tsx';
import { PermissionDialog } from '../../../src/ui/dialog/PermissionDialog.tsx';
import { serverDialog, trustDialog } from '../../../src/ui/dialog/phaseDialogs.ts';
import { FormDialog } from '../../../src/ui/form/FormDialog.tsx';
import { createClock, mount, plain } from '../mount.tsx';
import { keys } from '../screen.ts';

const room = { width: 80, rows: 24, theme: plain };
const choice: ChoiceField = {
  type: 'choice',
  ...{ isMultiple: false, hasOwnAnswer: false, question: '?', header: '' },
  options: [{ label: 'One' }, { label: 'Two' }],
};
const form: Form = { fields: [], message: 'Accept?', review: [{ label: 'Accept', sends: true }] };
const pages: Form = { fields: [choice, choice] };
const permission = (id: string): PermissionQuestion => ({
  ...{ id, callId: id, agentId: 'main', tool: 'Bash', title: 'make', input: {}, reason: '' },
  preview: { type: 'command', command: `make ${id}`, cwd: '/' },
});

type Kind = 'trust' | 'server' | 'permission' | 'other permission' | 'form' | 'pages';

/** Shows dialogs one after the other; `answered` are those that were answered, in order. */
async function shown(...kinds: readonly Kind[]) {
  const answered: Kind[] = [];
  const clock = createClock();
  function Sequence() {
    const [at, setAt] = useState(0);
    const kind = kinds[at];
    const props = {
      ...{ ...room, now: clock.now },
      onAnswer: () => {
        if (kind !== undefined) answered.push(kind);
        setAt(at + 1);
      },
    };
    if (kind === 'trust')
      return <DialogView key={at} {...props} dialog={trustDialog({ folder: '/repo', effects: [] })} />;
    if (kind === 'server')
      return (
        <DialogView
          key={at}
          {...props}
          dialog={serverDialog({ name: 'm', source: '.mcp.json', lines: [], isChanged: false })}
        />
      );
    if (kind === 'form' || kind === 'pages')
      return <FormDialog key={at} {...props} id={kind} title={kind} form={kind === 'form' ? form : pages} />;
    return kind === undefined ? null : <PermissionDialog key={at} {...props} question={permission(kind)} />;
  }
  const { screen } = await mount(<Sequence />, { columns: 80, rows: 24 });
  return { answered, screen, pass: clock.pass };
}

test.each<readonly [Kind, Kind]>([
  ['trust', 'server'],
  ['permission', 'other permission'],
  ['permission', 'form'],
  ['form', 'permission'],
])('Enter after a digit that has answered “%s” does not answer “%s”', async (first, second) => {
  const { answered, screen, pass } = await shown(first, second);
  pass(1000);
  await screen.press('1');
  expect(answered).toEqual([first]);
  pass(300);
  await screen.press(keys.enter);
  pass(300);
  await screen.press(keys.enter);
  expect(answered).toEqual([first]);
  pass(1000);
  await screen.press(keys.enter);
  expect(answered).toEqual([first, second]);
});

test('Enter twice answers one dialog, and a digit answers the next as soon as it could be read', async () => {
  const { answered, screen, pass } = await shown('permission', 'other permission', 'form');
  pass(1000);
  await screen.press(keys.enter);
  pass(300);
  await screen.press(keys.enter);
  expect(answered).toEqual(['permission']);
  pass(300);
  await screen.press('1');
  expect(answered).toEqual(['permission', 'other permission']);
});

test('the questions of one form can be answered by Enter at once, but not by an Enter that confirms a digit', async () => {
  const { answered, screen, pass } = await shown('pages', 'pages');
  for (const _ of ['one', 'two', 'send']) {
    pass(300);
    await screen.press(keys.enter);
  }
  expect(answered).toEqual(['pages']);
  pass(1000);
  await screen.press('2');
  pass(300);
  await screen.press(keys.enter);
  expect(screen.text().join('\n')).toContain('✓ ');
  pass(1000);
  await screen.press(keys.enter);
  pass(300);
  await screen.press(keys.enter);
  expect(answered).toEqual(['pages', 'pages']);
});
