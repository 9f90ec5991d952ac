/** The model asks the user: on the screen, in plain lines, and without a user. */
import { expect, test } from 'vitest';
import { keys } from '../ui/screen.ts';
import { expectTried } from './support/actionsTried.ts';
import { setUpProgram } from './support/testProgram.ts';
import { expectPairedCalls } from './support/wire.ts';

const { pageUp, pageDown } = keys;

const questions = [
  {
    question: 'Which sign-in method?',
    header: 'Auth',
    options: [
      { label: 'Magic link', description: 'No password.', preview: '[ email ]\n[ send ]' },
      { label: 'OAuth', description: 'Needs ids.' },
    ],
  },
  {
    question: 'Which parts?',
    header: 'Parts',
    options: [{ label: 'Dark mode' }, { label: 'Offline' }, { label: 'Export' }],
    multiSelect: true,
  },
];
const asks = { calls: [{ name: 'AskUserQuestion', input: { questions } }] };
const answers = 'The user answered:\n- Which sign-in method?\n  by key\n- Which parts?\n  Dark mode; Export';

test('questions are answered one at a time, reviewed and sent; a resumed session has the answers', {
  tags: 'long',
}, async () => {
  const { server, ready, work } = await setUpProgram();
  server.script(asks, { text: 'Then I build that.' }, { text: 'As you said.' });
  const terminal = await ready();
  await terminal.submit('Ask me');
  await terminal.waitFor('Which sign-in method?');
  expect(terminal.screen()).toContain('[ email ]');
  // The first keys are pressed before the question could be read.
  await terminal.answer('3');
  await terminal.waitFor('❯ 3.');
  await terminal.press('by key');
  await terminal.press(keys.enter);
  await terminal.waitFor('Which parts?');
  await terminal.answer(' ');
  await terminal.waitFor('[x] Dark mode');
  await terminal.press('3');
  await terminal.waitFor('[x] Export');
  await terminal.press(keys.enter);
  await terminal.waitFor('❯ 1. Send the answers');
  await terminal.answer(keys.enter);
  await terminal.waitFor('Then I build that.');
  await terminal.waitForIdle();
  const screen = terminal.screen();
  expect(screen).toContain('● Questions  answered');
  expect(screen).toContain('Which sign-in method? → by key');
  expect(screen).toContain('Which parts? → Dark mode; Export');
  expect(server.requests()[1]?.messages.at(-1)).toMatchObject({ role: 'tool', content: answers });
  await terminal.press(keys.ctrl('d'), keys.ctrl('d'));
  await terminal.exited;

  const again = await ready(['--continue']);
  await again.waitFor('Which parts? → Dark mode; Export');
  await again.submit('Go on');
  await again.waitFor('As you said.');
  const last = server.requests()[2];
  expect(last?.messages.find(({ role }) => role === 'tool')).toMatchObject({ content: answers });
  for (const request of server.requests()) expectPairedCalls(request);
  expect((await work.sessions()).length).toBe(1);
  expectTried(terminal, 'question:toggle', 'question:accept');
});

test('the keys of a question move between answers, questions and pages', { tags: 'long' }, async () => {
  const { server, ready } = await setUpProgram();
  const [first, second] = questions;
  const text = Array.from({ length: 60 }, (_, line) => `Part ${line} of it`).join('\n');
  const input = { questions: [{ ...first, question: text }, second] };
  server.script({ calls: [{ name: 'AskUserQuestion', input }] });
  const terminal = await ready();
  await terminal.submit('Ask me');
  await terminal.waitFor('❯ 1. Magic link');
  await terminal.answer(keys.down);
  await terminal.waitFor('❯ 2. OAuth');
  await terminal.press(keys.up);
  await terminal.waitFor('❯ 1. Magic link');
  expect(terminal.screen()).not.toContain('Part 59 of it');
  await terminal.press(...Array.from({ length: 20 }, () => pageDown));
  await terminal.waitFor('Part 59 of it');
  await terminal.press(...Array.from({ length: 20 }, () => pageUp));
  await terminal.waitFor('Part 0 of it');
  await terminal.press(keys.right);
  await terminal.waitFor('Which parts?');
  await terminal.answer(keys.left);
  await terminal.waitFor('❯ 1. Magic link');
  expectTried(
    terminal,
    'question:next',
    'question:previous',
    'question:pageDown',
    'question:pageUp',
    'question:forward',
    'question:back',
  );
});

test('Esc declines, and the turn ends', async () => {
  const { server, ready } = await setUpProgram();
  server.script(asks, { text: 'All right.' });
  const terminal = await ready();
  await terminal.submit('Ask me');
  await terminal.waitFor('Which sign-in method?');
  await terminal.press(keys.escape);
  await terminal.waitFor('Questions  declined');
  await terminal.waitForIdle();
  expect(server.requests().length).toBe(1);
  await terminal.submit('Decide yourself');
  await terminal.waitFor('All right.');
  expect(JSON.stringify(server.requests()[1])).toContain('The user declined to answer.');
  expectTried(terminal, 'question:cancel');
});

test('with -p and in mode dontAsk the model continues without answers', { tags: 'long' }, async () => {
  const { server, print } = await setUpProgram();
  server.script(asks, { text: 'Decided.' }, asks, { text: 'Decided again.' });
  const ran = await print(['-p', 'Ask me']);
  expect(ran).toMatchObject({ code: 0, stdout: 'Decided.\n' });
  expect(ran.stderr).toContain('Not answered: AskUserQuestion 2 questions.');
  const told = (index: number): unknown => server.requests()[index]?.messages.at(-1)?.content;
  expect(told(1)).toBe(
    'No one can answer questions in this run. Use your best judgement, and say what you assumed.',
  );
  await print(['-p', '--permission-mode', 'dontAsk', 'Ask me']);
  expect(told(3)).toContain('This session does not ask (mode dontAsk).');
});
