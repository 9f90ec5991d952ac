/**
 * From the log to the wire, with every role, in every request.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { expectPairedCalls } from '../../e2e/support/wire.ts';
import { runPrint, use } from '../support/project.ts';

/** A model whose endpoint requires earlier reasoning. */
const REASONING_MODEL = 'deepseek-reasoner';

test('messages of every role are unchanged, with tools, reasoning and errors', async () => {
  const first = await runPrint('Look into it 🔍', {
    files: { 'AGENTS.md': 'Always be kind.\n', 'empty.txt': '' },
    flags: ['--model', REASONING_MODEL],
    replies: [
      {
        text: 'I look.',
        reasoning: 'They want files.',
        calls: [
          use('Read', { file_path: 'lib/constants.js', limit: 2 }),
          use('Read', { file_path: 'not-there.js' }),
          use('Bash', { command: 'true' }),
          use('Bash', { command: 'printf 0' }),
        ],
      },
      {
        calls: [
          use('Nonsense', { a: 1 }),
          { name: 'Read', input: {}, rawArguments: '{"file_path": "lib/sc' },
        ],
      },
      { text: 'Done.', reasoning: 'That is all.' },
    ],
  });
  const second = await first.again('And now?', { replies: [{ text: 'Nothing.' }] });
  const last = second.requests[0];
  if (last === undefined) throw new Error('no request');
  for (const request of [...first.requests, last]) {
    expectPairedCalls(request);
    for (const message of request.messages) expect(message.tool_calls ?? ['absent']).not.toEqual([]);
  }
  expect(last.messages.map(({ role }) => role)).toEqual([
    ...['system', 'user', 'user', 'assistant', 'tool', 'tool', 'tool', 'tool'],
    ...['assistant', 'tool', 'tool', 'assistant', 'user'],
  ]);
  const [system, instructions, prompt, reply, ...results] = last.messages;
  expect(system?.content).toContain(first.project.work.repository);
  expect(instructions?.content).toContain('Always be kind.');
  expect(prompt?.content).toBe('Look into it 🔍');
  expect(reply).toMatchObject({ content: 'I look.', reasoning_content: 'They want files.' });
  expect(reply?.tool_calls?.map((call) => call.function.name)).toEqual(['Read', 'Read', 'Bash', 'Bash']);
  expect(JSON.parse(reply?.tool_calls?.[3]?.function.arguments ?? '')).toEqual({ command: 'printf 0' });
  const outputs = results.slice(0, 4).map(({ content }) => String(content));
  expect(outputs[0]).toContain("'use strict'");
  expect(outputs[1]).toContain('not-there.js');
  for (const output of outputs) expect(output).not.toMatch(/^(\{\}|)$/);
  expect(outputs[3]).toContain('0');
  for (const { content } of results.slice(5, 7)) expect(String(content)).not.toBe('');
  for (const call of last.messages.flatMap(({ tool_calls }) => tool_calls ?? []))
    expect(JSON.parse(call.function.arguments)).toBeTypeOf('object');
  // What was sent and received is, byte for byte, the beginning of the next request.
  const before = first.requests.at(-1)?.messages ?? [];
  expect(JSON.stringify(last.messages.slice(0, before.length))).toBe(JSON.stringify(before));
});
