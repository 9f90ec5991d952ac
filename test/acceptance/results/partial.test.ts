/**
 * A cut result says so, to the model and to the user.
 *
 * @module-tag long
 */
import { expect, test } from 'vitest';
import { setUpProgram } from '../../e2e/support/testProgram.ts';
import { textOf } from '../../e2e/support/wire.ts';
import { runPrint, SILENT, use } from '../support/project.ts';

const call = use('Bash', { command: 'seq 1 9000' });

test('a cut result is "partial" on screen, with the lines of the file that are shown', async () => {
  const { server, ready } = await setUpProgram();
  server.script(
    { calls: [use('Bash', { command: 'seq -f "line %g of many" 1 900 > many.txt' })], ...SILENT },
    {
      calls: [use('Read', { file_path: 'many.txt' }), use('Grep', { pattern: 'a', output_mode: 'content' })],
      ...SILENT,
    },
    { calls: [use('Glob', { pattern: '*.md' })], ...SILENT },
    { text: 'Counted.', ...SILENT },
  );
  const terminal = await ready(['--yolo', '--context-window', '8000']);
  await terminal.submit('look');
  await terminal.waitForPrinted('Counted.');
  await terminal.waitForPrinted(
    /◐ Read 1 file, searched 2 patterns, partial {2}many\.txt \(lines 1-\d+ of 900\)/,
  );
});

test('a cut result is "partial" on the wire and in the log', { tags: 'long' }, async () => {
  const run = await runPrint('count', {
    format: 'stream-json',
    replies: [{ calls: [call] }, { text: 'Counted.' }],
  });
  const sent = textOf(run.requests[1]?.messages.at(-1));
  // The notice comes first, where no later cut can remove it.
  expect(sent).toMatch(/^\[Output truncated: .*[\d,]+ of 9,00\d lines/);
  expect(sent.split('\n').length).toBeLessThanOrEqual(2000);
  const results = run.entries.flatMap(({ toolResult }) => toolResult ?? []);
  expect(results).toMatchObject([{ status: 'partial' }]);
  expect(JSON.stringify(run.lines.find(({ type }) => type === 'user'))).toMatch(/partial|truncated/);
  const whole = await runPrint('count', {
    replies: [{ calls: [use('Bash', { command: 'seq 1 9' })] }, { text: 'Counted.' }],
  });
  expect(whole.entries.flatMap(({ toolResult }) => toolResult ?? [])).toMatchObject([{ status: 'ok' }]);
});
