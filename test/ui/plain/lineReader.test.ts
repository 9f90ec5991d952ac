import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { createLineReader } from '../../../src/ui/plain/lineReader.ts';

/** A reader on a stream that is not a terminal. */
async function read(chunks: readonly string[], isTerminal = false): Promise<string[]> {
  const input = new PassThrough();
  const output = new PassThrough();
  const heard: string[] = [];
  const ended = new Promise<void>((done) =>
    createLineReader({
      input: input as unknown as NodeJS.ReadStream,
      output: output as unknown as NodeJS.WriteStream,
      isTerminal,
      isEditing: false,
      history: [],
      isSecret: () => false,
      onBlock: (text) => heard.push(text),
      onInterrupt: () => undefined,
      onEnd: () => {
        heard.push('(end)');
        done();
      },
    }),
  );
  for (const chunk of chunks) input.write(chunk);
  input.end();
  await ended;
  expect(output.read()).toBeNull();
  return heard;
}

test.each([
  { chunks: ['one\ntwo\n'], heard: ['one', 'two'] },
  { chunks: ['one\r\ntwo\r', '\nthree'], heard: ['one', 'two', 'three'] },
  { chunks: ['first\\\nsecond\nthird\n'], heard: ['first\nsecond', 'third'] },
  { chunks: ['C:\\\\\nnext\n'], heard: ['C:\\\\', 'next'] },
  { chunks: ['never ends\\\n'], heard: ['never ends'] },
  { chunks: ['h', 'é', 'l', '漢\n'], heard: ['hél漢'] },
  { chunks: ['\n\n'], heard: ['', ''] },
  { chunks: [], heard: [] },
])('$chunks from a pipe', async ({ chunks, heard }) => {
  expect(await read(chunks)).toEqual([...heard, '(end)']);
});

test('arrows recall earlier lines, but not secret ones', async () => {
  const input = new PassThrough();
  const output = new PassThrough();
  output.resume();
  const heard: string[] = [];
  const reader = createLineReader({
    input: input as unknown as NodeJS.ReadStream,
    output: output as unknown as NodeJS.WriteStream,
    isTerminal: true,
    isEditing: true,
    history: ['from the file'],
    isSecret: (line) => line.startsWith('sk-'),
    onBlock: (text) => heard.push(text),
    onInterrupt: () => undefined,
    onEnd: () => undefined,
  });
  const up = '\u001B[A';
  for (const line of ['first', 'sk-0123456789abcdef0123']) input.write(`${line}\r`);
  await vi.waitFor(() => expect(heard.join('\n')).toBe('first\nsk-0123456789abcdef0123'), 15_000);
  input.write(up);
  await vi.waitFor(() => expect(reader.draft()).toBe('first'), 15_000);
  input.write(up);
  await vi.waitFor(() => expect(reader.draft()).toBe('from the file'), 15_000);
  reader.close();
});

test('lines that arrive together are one paste', async () => {
  expect(await read(['one\ntwo\nthree\n'], true)).toEqual(['one\ntwo\nthree', '(end)']);
});
