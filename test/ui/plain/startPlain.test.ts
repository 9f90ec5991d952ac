/** A conversation in lines: what counts as an answer to a question. */
import { PassThrough, Writable } from 'node:stream';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startPlain } from '../../../src/ui/plain/startPlain.ts';
import type { Boot } from '../../../src/ui/types.ts';
import { plain } from '../mount.tsx';

test('a line typed while a long question was being printed is not an answer', async () => {
  let now = 0;
  let told = '';
  const answers: boolean[] = [];
  const stdin = new PassThrough();
  const stdout = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      told += text;
      // Printing it takes a while.
      now += 5000;
      done();
    },
  });
  const quit: Boot = { type: 'quit' };
  const boot: Boot = {
    type: 'trust',
    question: { folder: '/p', effects: ['.clawdcode.json: allows Bash(ls)'] },
    answer: async (isTrusted) => {
      answers.push(isTrusted);
      return quit;
    },
  };
  const left = startPlain({
    stdin: stdin as unknown as NodeJS.ReadStream,
    stdout: stdout as unknown as NodeJS.WriteStream,
    theme: plain,
    boot: async () => boot,
    target: { type: 'new' },
    pickFirst: false,
    prompt: undefined,
    historyFile: '/nonexistent/history.jsonl',
    listFiles: async () => [],
    onReady: () => undefined,
    now: () => now,
    version: '1',
    directory: '/p',
    isTerminal: false,
    isEditing: false,
    isUtf8: true,
    onInterrupt: () => undefined,
  });
  onTestFinished(() => void stdin.end());
  await vi.waitFor(() => expect(told).toContain('1, or y: Yes, I trust this folder'));
  stdin.write('y\n');
  await vi.waitFor(() => expect(told).toContain('typed before the question, so it was ignored'));
  expect(answers).toEqual([]);
  now += 1000;
  stdin.write('y\n');
  await left;
  expect(answers).toEqual([true]);
});
