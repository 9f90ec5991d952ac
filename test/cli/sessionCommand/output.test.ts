import { PassThrough, Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { pipeWriter } from '../../../src/cli/sessionCommand/output.ts';

test('output arrives in order, and writes wait while the pipe is full', async () => {
  const pipe = new PassThrough({ highWaterMark: 10 });
  const write = pipeWriter(pipe);
  let read = '';
  let most = 0;
  pipe.on('readable', () => {
    most = Math.max(most, pipe.readableLength + pipe.writableLength);
    for (let piece = pipe.read(4); piece !== null; piece = pipe.read(4)) read += String(piece);
    read += String(pipe.read() ?? '');
  });
  const lines = Array.from({ length: 200 }, (_, index) => `${index}\n`);
  for (const line of lines) expect(await write(line)).toBe(true);
  pipe.end();
  await new Promise((done) => pipe.once('end', done));
  expect(read).toBe(lines.join(''));
  expect(most).toBeLessThan(100);
});

function failing(code: string): Writable {
  return new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error(`no: ${code}`), { code })),
  });
}

test('if the reader is gone, writing ends silently', async () => {
  const write = pipeWriter(failing('EPIPE'));
  await write('one');
  await new Promise(setImmediate);
  expect(await write('two')).toBe(false);
});

test('a full disk is an error', async () => {
  const write = pipeWriter(failing('ENOSPC'));
  await write('one').catch(() => {});
  await new Promise(setImmediate);
  await expect(write('two')).rejects.toThrow('ENOSPC');
});
