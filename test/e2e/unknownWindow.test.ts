/**
 * A model with an unknown window, at an endpoint on this machine: assumed, reported, corrected, remembered.
 *
 * @module-tag long
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { setUpProgram } from './support/testProgram.ts';

const NOTICE =
  'Context window unknown for mock-1: assuming 32,000 tokens. Set it if you know it: clawdcode config set contextWindow TOKENS';
const OVERFLOW = {
  error: {
    status: 400,
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 20000 tokens. However, your messages resulted in 25000 tokens.",
  },
};

const stageWithoutWindow = () => setUpProgram(undefined, { window: null });

/** The number of occurrences, wherever lines are broken. */
function times(text: string, words: string): number {
  return text.replace(/\s+/g, ' ').split(words).length - 1;
}

test('an assumed window is reported once; a server error corrects it, for the next start too', async () => {
  const { ready, server, work } = await stageWithoutWindow();
  const first = await ready();
  await first.waitFor(/context ~?\d+% of 32k \(assumed\)/);
  await first.waitForPrinted('Set it if you know it: clawdcode config');
  server.script({ calls: [{ name: 'Read', input: { file_path: 'lib/parse.js', limit: 400 } }] }, OVERFLOW);
  server.otherwise(() => ({ text: 'Finished after all.' }));
  await first.submit('read all of the parser');
  await first.waitForPrinted('Finished after all.', 20_000);
  await first.waitForIdle();
  await first.waitFor(/context ~?\d+% of 20k/);
  expect(first.screen()).not.toContain('(assumed)');
  await first.submit('/clear');
  await first.waitForPrinted('New session.');
  await first.waitFor(/context ~?\d+% of 20k/);
  await first.submit('/context');
  await first.waitForPrinted('Window: 20,000 tokens for mock-1 (learned from the server)');
  expect(times(first.everything(), NOTICE)).toBe(1);
  await first.submit('/exit');
  await first.exited;

  const remembered = JSON.parse(await readFile(join(work.data, 'windows.json'), 'utf8'));
  expect(remembered).toMatchObject({
    windows: [{ endpoint: new URL(server.baseUrl).origin, model: 'mock-1', tokens: 20_000 }],
  });
  const second = await ready();
  await second.waitFor(/context ~?\d+% of 20k/);
  await second.submit('hello');
  await second.waitForPrinted('Finished after all.');
  await second.waitForIdle();
  expect(second.everything()).not.toContain('assumed');
  expect(times(second.everything(), 'Context window unknown')).toBe(0);
});

test('a session that has learned the window does not mention an assumed one, even if nothing else remembers it', async () => {
  const { print, server, work } = await stageWithoutWindow();
  server.script(
    { calls: [{ name: 'Read', input: { file_path: 'lib/parse.js', limit: 400 } }] },
    OVERFLOW,
    ...Array.from({ length: 3 }, () => ({ text: 'Fine.' })),
  );
  expect((await print(['-p', 'read all of the parser'])).stderr).toContain(NOTICE);
  await rm(join(work.data, 'windows.json'));
  const { code, stderr } = await print(['-p', '--continue', 'go on']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
});

test('another unknown model is reported as well, and neither of them again', async () => {
  const { ready } = await stageWithoutWindow();
  const terminal = await ready();
  await terminal.waitForPrinted('Set it if you know it: clawdcode config');
  await terminal.submit('/model other');
  await terminal.waitForPrinted('Context window unknown for other');
  await terminal.submit('/model mock-1');
  await terminal.waitFor(/mock-1 · (?:no sandbox · )?context/);
  await terminal.submit('/clear');
  await terminal.waitForPrinted('New session.');
  // Longer than a query to a server takes.
  await terminal.pause(1500);
  expect(times(terminal.everything(), 'Context window unknown')).toBe(2);
});

for (const format of ['json', 'text', 'stream-json'])
  test(`with -p it is one line on standard error, and ${format} is unchanged`, async () => {
    const { print, server } = await stageWithoutWindow();
    server.script({ text: 'Hi.' });
    const { code, stdout, stderr } = await print(['-p', 'hello', '--output-format', format]);
    expect(code).toBe(0);
    expect(stderr).toBe(`clawdcode: ${NOTICE}\n`);
    expect(stdout).not.toContain('Context window unknown');
    if (format === 'text') expect(stdout).toBe('Hi.\n');
    else for (const line of stdout.trim().split('\n')) expect(JSON.parse(line)).toBeTypeOf('object');
  });
