/** The current prompt is in the request, once, whatever it contains. */
import { expect, test } from 'vitest';
import { expectPairedCalls, textOf } from '../../e2e/support/wire.ts';
import { openProject, use } from '../support/project.ts';
import { createTestApp } from '../support/testApp.ts';

test('prompts with the same beginning, and a tool step, appear once each', async () => {
  const app = await createTestApp({ files: { 'a.txt': 'alpha\n' } });
  const open = await app.open();
  const beginning = 'Please look at the file a.txt and tell me ';
  const prompts = ['what it holds', 'what it lacks', 'what it holds'].map((end) => beginning + end);
  for (const [index, prompt] of prompts.entries()) {
    const requests = await open.ask(
      prompt,
      { calls: [use('Read', { file_path: 'a.txt' })] },
      { text: `Answer ${index}.` },
    );
    for (const request of requests) {
      expectPairedCalls(request);
      const asked = request.messages.filter(({ role }) => role === 'user').map(textOf);
      expect(asked).toEqual(prompts.slice(0, index + 1));
    }
    expect(textOf(requests[0]?.messages.at(-1))).toBe(prompt);
    expect(requests[1]?.messages.at(-1)?.role).toBe('tool');
  }
});

test('an input too large for any request is stored in full; after a notice, head, tail and pointer are sent', {
  tags: 'long',
}, async () => {
  const project = await openProject({ window: 16_000 });
  const huge = `BEGIN of it\n${Array.from({ length: 8000 }, (_, n) => `line ${n} of a very long prompt`).join('\n')}\nEND of it`;
  const run = await project.run('', { input: huge, format: 'stream-json', replies: [{ text: 'I see.' }] });
  expect(run.result?.is_error).toBe(false);
  const sent = textOf(run.requests[0]?.messages.at(-1));
  for (const wanted of ['BEGIN of it', 'END of it']) expect(sent).toContain(wanted);
  expect(sent.length).toBeLessThan(huge.length / 2);
  const pointer = /Recall\W+(?:id\W+)?([0-9a-f]{8,64})/.exec(sent)?.[1] ?? '';
  expect(pointer).not.toBe('');
  expect(String(await project.blob(pointer))).toBe(huge);
  expect(`${run.stdout}${run.stderr}`).toMatch(/larger than any request/);
});
