import { expect, test } from 'vitest';
import { confirmWhileRunning } from '../../src/agent/confirm.ts';
import { createQuestions } from '../../src/agent/questions.ts';
import type { PermissionMode } from '../../src/protocol/permissions.ts';

/** Whether it asked, with a user who says no, and what came of it. */
async function confirm(mode: PermissionMode, question: { domain?: string; isAlways?: boolean }) {
  let hasAsked = false;
  const isAllowed = await confirmWhileRunning(
    { title: 'Connect', preview: { type: 'text', text: '' }, reason: '', ...question },
    { callId: 'c1', tool: 'Bash', signal: new AbortController().signal },
    {
      questions: {
        ask: async () => {
          hasAsked = true;
          return { behavior: 'deny' };
        },
        answer: () => {},
        open: () => [],
      },
      mode: () => mode,
      remember: async () => '',
      notice: () => {},
      newId: () => 'q1',
    },
  );
  return { hasAsked, isAllowed };
}

test('bypassPermissions opens every host, but for one that managed settings want asked about', async () => {
  expect(await confirm('bypassPermissions', { domain: 'a.example' })).toEqual({
    hasAsked: false,
    isAllowed: true,
  });
  expect(await confirm('bypassPermissions', { domain: 'a.example', isAlways: true })).toEqual({
    hasAsked: true,
    isAllowed: false,
  });
  expect(await confirm('bypassPermissions', {})).toEqual({ hasAsked: false, isAllowed: false });
  expect(await confirm('default', { domain: 'a.example' })).toEqual({ hasAsked: true, isAllowed: false });
});

test('a question that nothing waits for any more goes away', async () => {
  const events: string[] = [];
  const questions = createQuestions('main', (event) => events.push(event.type));
  const command = new AbortController();
  const call = new AbortController();
  const answered = confirmWhileRunning(
    { title: 'Connect', preview: { type: 'text', text: '' }, reason: '', signal: command.signal },
    { callId: 'c1', tool: 'Bash', signal: call.signal },
    { questions, mode: () => 'default', remember: async () => '', notice: () => {}, newId: () => 'q1' },
  );
  expect(questions.open()).toHaveLength(1);
  command.abort();
  expect(await answered).toBe(false);
  expect(questions.open()).toEqual([]);
  expect(events).toEqual(['permission_question', 'permission_answered']);
  expect(call.signal.aborted).toBe(false);
});
