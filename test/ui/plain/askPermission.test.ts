import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PermissionAnswer, PermissionQuestion, Preview } from '../../../src/protocol/permissions.ts';
import { permission } from '../../../src/ui/plain/askPermission.ts';
import { question as asked } from '../../headless/events.ts';

/** Without a rule to propose. */
const { suggestion: _proposed, ...plain } = asked;
const suggestion = { rules: ['Bash(npm test)'], destination: 'session', label: 'Yes, always' } as const;

function ask(question: PermissionQuestion) {
  const answers: PermissionAnswer[] = [];
  const dialogue = permission(question, {
    words: (text) => text,
    onAnswer: (answer) => answers.push(answer),
  });
  return { dialogue, answers };
}

test.each<[string, boolean, PermissionAnswer]>([
  ['y', false, { behavior: 'allow' }],
  ['Yes', false, { behavior: 'allow' }],
  ['1', false, { behavior: 'allow' }],
  ['a', true, { behavior: 'allow', remember: true }],
  ['2', true, { behavior: 'allow', remember: true }],
  ['n', false, { behavior: 'deny' }],
  ['2', false, { behavior: 'deny' }],
  ['3', true, { behavior: 'deny' }],
  ['no', true, { behavior: 'deny' }],
  ['n use pnpm', true, { behavior: 'deny', comment: 'use pnpm' }],
  ['no, use pnpm', false, { behavior: 'deny', comment: 'use pnpm' }],
  ['3: use pnpm', true, { behavior: 'deny', comment: 'use pnpm' }],
])('%j (a rule is proposed: %s) is %j', (text, isProposed, answer) => {
  const { dialogue, answers } = ask(isProposed ? { ...plain, suggestion } : plain);
  expect(dialogue.answer(text)).toBeUndefined();
  expect(answers).toEqual([answer]);
});

test('nothing but an exact yes approves', () => {
  const approving = /^(?:y|yes|1|a|always|2)[.)]?$/i;
  const texts = fc.oneof(
    fc.string(),
    fc.constantFrom('y y', 'yes but', 'y\nn', 'yy', '1 2', '0', '-1', '4', '', 'yes, go', 'a: all', '１'),
  );
  fc.assert(
    fc.property(texts, (text) => {
      const { dialogue, answers } = ask({ ...asked, suggestion });
      dialogue.answer(text.trim());
      if (!approving.test(text.trim()))
        expect(answers.filter(({ behavior }) => behavior === 'allow')).toEqual([]);
    }),
  );
});

test('text typed before the question was printed does not count', () => {
  const { dialogue, answers } = ask(asked);
  expect(dialogue.answer('y', false)).toMatch(/was ignored/);
  expect(answers).toEqual([]);
});

test('Ctrl+C means no', () => {
  const { dialogue, answers } = ask(asked);
  dialogue.cancel();
  expect(answers).toEqual([{ behavior: 'deny' }]);
});

test.each<[string, Preview, RegExp]>([
  [
    'a diff, each line with its number',
    { type: 'diff', path: '/p/a.ts', diff: '@@ -1,2 +1,2 @@\n one\n-two\n+three\n', isNew: false },
    /Change: \/p\/a\.ts\n1 line added, 1 line removed\.\nremoved line 2: two\nadded line 2: three/,
  ],
  [
    'a command, hidden characters by their numbers',
    { type: 'command', command: 'rm \u202Ea', cwd: '/p\nAnswer y.' },
    /Command: rm ‹U\+202E›a\nIn: \/p‹U\+000A›Answer y\.$/m,
  ],
  ['paths', { type: 'paths', verb: 'Read', paths: ['/a', '/b\nc'] }, /Read:\n> \/a\n> \/b‹U\+000A›c/],
  ['a plan', { type: 'plan', plan: 'First.' }, /Plan:\n> First\.\nEnd of the plan\./],
])('the whole preview is printed: %s', (_what, preview, words) => {
  const { dialogue } = ask({ ...asked, preview });
  expect(dialogue.tell.join('\n')).toMatch(words);
});

test('a long diff is printed in full', () => {
  const lines = Array.from({ length: 500 }, (_, index) => `+line ${index}`);
  const diff = `@@ -0,0 +1,500 @@\n${lines.join('\n')}\n`;
  const { dialogue } = ask({ ...asked, preview: { type: 'diff', path: '/p/a', diff, isNew: true } });
  expect(dialogue.tell.filter((line) => line.startsWith('added line'))).toHaveLength(500);
});

test('the target of a link is shown', () => {
  const preview = {
    type: 'diff',
    path: '/p/notes.md',
    realPath: '/h/.zshenv',
    isNew: true,
    diff: '',
  } as const;
  expect(ask({ ...asked, preview }).dialogue.tell.join('\n')).toContain(
    'New file: /h/.zshenv, through the link /p/notes.md',
  );
});

test('several reasons are a list', () => {
  const { dialogue } = ask({ ...plain, reason: 'No rule allows a.\nWrites to b.' });
  const told = dialogue.tell.join('\n');
  expect(told).toContain('Reason:\n- No rule allows a.\n- Writes to b.');
});

test('a question from a subagent names it', () => {
  const from = 'explore: find\u001B[31m it';
  const { tell } = ask({ ...plain, from }).dialogue;
  expect(tell[0]).toMatch(/^Subagent explore: find.* it asks\. Question: may /);
  expect(tell[0]).not.toContain('\u001B');
  expect(ask(plain).dialogue.tell[0]).toMatch(/^Question: may /);
});
