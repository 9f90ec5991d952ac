import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { fetchOverSend } from '../../../src/cli/mcp/fetchOverSend.ts';
import { serverNetwork } from '../../../src/cli/mcp/serverNetwork.ts';
import { guardForwardedPorts } from '../../../src/cli/process/forwardedPortGuard.ts';
import { environmentSend } from '../../../src/model/http/environmentSend.ts';
import { notedPorts, openPortNotes } from '../../../src/sandbox/network/portNotes.ts';

async function served(): Promise<{ readonly port: number; readonly seen: string[] }> {
  const seen: string[] = [];
  const server: Server = createServer((got, answer) => {
    seen.push(String(got.headers.authorization));
    answer.end('ok');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { port: (server.address() as AddressInfo).port, seen };
}

const headers = { authorization: 'Bearer secret', connection: 'close' };
const ways: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'the fetch of Node': (url) => fetch(url, { headers, method: 'POST', body: 'x' }).then((all) => all.text()),
  'the client of models': (url) =>
    fetchOverSend(environmentSend({}))(url, { headers }).then((all) => all.text()),
  'the client of MCP servers': (url) =>
    serverNetwork({}, new URL(url))
      .fetch(url, { headers })
      .then((all) => all.text()),
  'the HTTP client of Node, as the exporters of telemetry use it': (url) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      request(url, { headers, method: 'POST' }, resolve).on('error', reject).end('x');
    }),
};

test.each(Object.entries(ways))('%s sends nothing to a port that a session forwards', async (_, send) => {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-guard-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  onTestFinished(guardForwardedPorts(() => folder));
  const { port, seen } = await served();
  const notes = openPortNotes(folder);
  for (const host of ['127.0.0.1', 'localhost']) {
    await send(`http://${host}:${port}/`);
    expect(seen.splice(0)).toEqual(['Bearer secret']);
    notes.write({ forwards: [port], needs: [] });
    await expect(send(`http://${host}:${port}/`)).rejects.toThrow();
    expect(seen).toEqual([]);
    notes.write({ forwards: [port + 1], needs: [port] });
  }
  expect(notedPorts(folder, 'needs')).toEqual(new Set([port]));
  notes.close();
  expect(notedPorts(folder, 'needs')).toEqual(new Set());
});
