/** A login to a server that breaks the rules. */
import { expect, test } from 'vitest';
import { type AuthRecord, login } from '../../src/mcp/auth.ts';
import type { Fetch } from '../../src/mcp/boundedFetch.ts';

const server = new URL('https://mcp.example.com/mcp');
const ports = { onAddress: () => undefined, signal: new AbortController().signal };

function emptyStore() {
  const written: (AuthRecord | undefined)[] = [];
  return { written, read: async () => undefined, write: async (one?: AuthRecord) => void written.push(one) };
}

test('endless metadata is not read to its end', async () => {
  const most = 16 * 2 ** 20;
  let longest = 0;
  const fetch: Fetch = async (url) => {
    if (String(url) === server.href) return new Response(null, { status: 401 });
    let bytes = 0;
    const blanks = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536).fill(32));
        bytes += 65_536;
        longest = Math.max(longest, bytes);
        if (bytes >= most) controller.close();
      },
    });
    return new Response(blanks, { headers: { 'content-type': 'application/json' } });
  };
  const store = emptyStore();
  await expect(login(server, store, { ...ports, fetch })).rejects.toThrow();
  expect(longest).toBeGreaterThan(0);
  expect(longest).toBeLessThan(2 * 2 ** 20);
  expect(store.written).toEqual([]);
});

test.each(['itself', 'for its metadata'])(
  'a server that never responds %s does not outlive the login',
  async (what) => {
    const time = new AbortController();
    const fetch: Fetch = async (url, init) => {
      if (what !== 'itself' && String(url) === server.href) return new Response(null, { status: 401 });
      setImmediate(() => time.abort());
      return new Promise((_, reject) => {
        const stop = (): void => reject(init?.signal?.reason);
        if (init?.signal?.aborted === true) stop();
        init?.signal?.addEventListener('abort', stop);
      });
    };
    const trying = login(server, emptyStore(), { ...ports, fetch, signal: time.signal });
    await expect(trying).rejects.toThrow('The login timed out.');
  },
);
