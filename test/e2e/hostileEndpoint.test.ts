/**
 * A server that never stops sending: the reply is given up, and the program keeps only a small part of it.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from './support/faultyServers.ts';
import { firstIsQuick, long } from './support/long.ts';
import { setUpProgram } from './support/testProgram.ts';

const STREAM = { 'content-type': 'text/event-stream' };
const delta = (fields: object): string => `data: ${JSON.stringify({ choices: [{ delta: fields }] })}\n\n`;
const call = (fields: object): string => delta({ tool_calls: [fields] });

interface Flood {
  readonly headers?: Readonly<Record<string, string>>;
  /** The chunk with this number, from 0, of an endless reply. */
  readonly piece: (number: number) => string | Buffer;
  readonly says: string;
  /** What remains of the reply. */
  readonly keeps?: string;
}

const bomb = gzipSync(Buffer.alloc(200_000_000, ' '));
const floods: Readonly<Record<string, Flood>> = {
  text: {
    piece: () => delta({ content: 'Lorem ipsum. '.repeat(500) }),
    says: 'more than 2,000,000 characters',
    keeps: 'Lorem ipsum.',
  },
  reasoning: {
    piece: () => delta({ reasoning_content: 'Hm. '.repeat(2000) }),
    says: 'more than 2,000,000 characters',
    keeps: 'Hm.',
  },
  arguments: {
    piece: (number) =>
      call({ index: 0, function: { name: number === 0 ? 'Bash' : '', arguments: ' '.repeat(9000) } }),
    says: 'more than 1,000,000 characters of arguments',
  },
  calls: {
    piece: (number) => call({ index: number, id: `c${number}`, function: { name: 'Read', arguments: '{}' } }),
    says: 'more than 100 tool calls',
  },
  'a call written as text': {
    piece: (number) =>
      delta({
        content: number === 0 ? '<tool_call>{"name":"Bash","arguments":{"command":"' : 'x'.repeat(9000),
      }),
    says: 'more than 2,000,000 characters',
    // It is not a call, only text.
    keeps: '<tool_call>',
  },
  'one event': { piece: () => 'x'.repeat(60_000), says: 'an event of more than 4,000,000' },
  'signs of life': {
    piece: (number) => (number === 0 ? delta({ content: 'Well, ' }) : ': keep-alive\n\n'.repeat(1000)),
    says: '16,000,000 bytes in a row',
    keeps: 'Well, ',
  },
  'an answer that is not streamed': {
    headers: { 'content-type': 'application/json' },
    piece: (number) => (number === 0 ? '{"choices":[{"message":{"content":"' : 'x'.repeat(60_000)),
    says: 'an event of more than 4,000,000',
  },
  'what is packed a thousand times smaller': {
    headers: { ...STREAM, 'content-encoding': 'gzip' },
    piece: () => bomb,
    says: 'an event of more than 4,000,000',
  },
};

/** Writes as fast as the client reads; returns the number of bytes taken. */
function flood(response: ServerResponse, piece: Flood['piece'], onBytes: (count: number) => void): void {
  let number = 0;
  const write = (): void => {
    while (!response.destroyed) {
      const next = piece(number++);
      onBytes(next.length);
      if (!response.write(next)) {
        response.once('drain', write);
        return;
      }
    }
  };
  write();
}

for (const { row, options } of firstIsQuick(Object.entries(floods)))
  test(`${row[0]} without end`, options, async () => {
    const { headers = STREAM, piece, says, keeps } = row[1];
    const { work, access, print } = await setUpProgram();
    let [asked, sent] = [0, 0];
    const server = await startServer((request, response) => {
      if (request.method !== 'POST') {
        response.writeHead(404).end();
        return;
      }
      asked += 1;
      response.writeHead(200, headers);
      flood(response, piece, (count) => {
        sent += count;
      });
    });
    onTestFinished(() => server.stop());
    const env = {
      ...access,
      OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1`,
      // A heap that held everything sent would end the program.
      NODE_OPTIONS: '--max-old-space-size=100',
    };
    const printed = await print(['-p', 'hello'], { env: work.env(env) });
    expect(printed).toMatchObject({ code: 1, signal: null, stderr: expect.stringContaining(says) });
    expect(printed.stderr).toContain('Try again, or use another model or server.');
    expect(asked).toBe(1);
    // Including the buffers of both sockets.
    expect(sent).toBeLessThan(40_000_000);
    const [session] = await work.sessions();
    const kept = JSON.stringify(session?.entries.filter(({ type }) => type === 'assistant') ?? []);
    if (keeps === undefined) expect(kept).toBe('[]');
    else expect(kept).toContain(keeps);
  });

/** Endless blocks: laid out as one block, each took seconds and hundreds of megabytes, or ended the program. */
test.each([
  ['a line', 'Lorem ipsum. '.repeat(500)],
  ['a table', '| x | y |\n'.repeat(500)],
])('on the screen, %s without end', long, async (_, piece) => {
  const { work, access, open } = await setUpProgram();
  const server = await startServer((request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, STREAM);
    const first = piece.startsWith('|') ? '| a | b |\n|---|---|\n' : '';
    flood(
      response,
      (number) => delta({ content: number === 0 ? first + piece : piece }),
      () => {},
    );
  });
  onTestFinished(() => server.stop());
  const env = work.env({ ...access, OPENAI_BASE_URL: `http://127.0.0.1:${server.port}/v1` });
  const terminal = open([], { env });
  await terminal.waitFor(/context ~?\d+%/);
  await terminal.submit('hello');
  await terminal.waitForPrinted('more than 2,000,000', 30_000);
  await terminal.type('still here');
  await terminal.waitFor('still here');
  if (process.platform !== 'linux') return;
  const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${terminal.pid}/status`, 'utf8'))?.[1];
  // 160 to 190 MB here, of which the idle program takes 100; up to 300 MB if other programs keep the processor busy.
  expect(Number(peak)).toBeLessThan(500_000);
});
