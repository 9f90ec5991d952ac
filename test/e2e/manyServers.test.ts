/**
 * Twenty MCP servers with 400 tools: their cost, and how one of the tools is found and called.
 *
 * @module-tag long
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { WireRequest } from './support/server.ts';
import { setUpProgram } from './support/testProgram.ts';
import { countRequest, countText } from './support/tokens.ts';
import { textOf } from './support/wire.ts';

const SERVERS = 20;
const TOOLS = 20;
/** Tokens that the servers may take in a request. */
const MAX_TOKENS = 2000;

const toolsOf = (server: number) =>
  Array.from({ length: TOOLS }, (_, tool) => ({
    name: `list_orders_${tool}`,
    description: `Lists the orders of department ${server}-${tool}: those that match all of the given filters, newest first, with their number, customer, state and sum.`,
    inputSchema: {
      type: 'object',
      properties: {
        customer: { type: 'string', description: 'The number of the customer; leave it out for all.' },
        state: { type: 'string', enum: ['open', 'paid', 'sent', 'returned'], description: 'Only these.' },
        limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many, at most.' },
      },
    },
  }));

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: { readonly name?: string };
}

/** One process on loopback that is all servers, at `/s1` … `/s20`. `listed`: those that have been read. */
async function serveMany(): Promise<{ readonly origin: string; readonly listed: ReadonlySet<string> }> {
  const listed = new Set<string>();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { url = '' } = request;
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Message;
    if (id === undefined) return void response.writeHead(202).end();
    const results: Readonly<Record<string, object>> = {
      initialize: {
        ...{ protocolVersion: '2025-11-25', capabilities: { tools: {} } },
        serverInfo: { name: url, version: '1' },
      },
      'tools/list': { tools: toolsOf(Number(url.slice(2))) },
      'tools/call': { content: [{ type: 'text', text: `${params?.name} of ${url}: 3 orders` }] },
    };
    if (method === 'tools/list') listed.add(url);
    const result = results[method];
    const body = result === undefined ? { error: { code: -32601, message: method } } : { result };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, listed };
}

test('twenty servers with 400 tools cost less than 2,000 tokens, and each tool is found by what it does', async () => {
  const { server, work, ready } = await setUpProgram();
  const { origin, listed } = await serveMany();
  server.script({ text: 'Hello.' });
  const plain = await ready();
  await plain.submit('hello');
  await plain.waitForPrinted('Hello.');
  await plain.submit('/exit');
  await plain.exited;

  const names = Array.from({ length: SERVERS }, (_, n) => `s${n + 1}`);
  const mcpServers = Object.fromEntries(
    names.map((name) => [name, { type: 'http', url: `${origin}/${name}` }]),
  );
  await mkdir(work.data, { recursive: true });
  await writeFile(join(work.data, 'config.json'), JSON.stringify({ mcpServers }));
  const terminal = await ready();
  await expect.poll(() => listed.size, { timeout: 30_000 }).toBe(SERVERS);
  await terminal.submit('/mcp');
  await terminal.waitForPrinted(/s20 .*20 tools/);

  const search = { name: 'ToolSearch', input: { query: 'orders of department 7-13' } };
  server.script(
    { calls: [search] },
    { calls: [{ name: 'mcp__s7__list_orders_13', input: { state: 'open' } }] },
    { text: 'There are three.' },
  );
  await terminal.submit('hello');
  await terminal.waitFor('mcp__s7__list_orders_13');
  await terminal.waitFor('❯ 1. Yes');
  await terminal.answer('1');
  await terminal.waitForPrinted('There are three.');

  const [without, first, second, last] = server.requests() as WireRequest[];
  const cost = countRequest(first as WireRequest) - countRequest(without as WireRequest);
  const all = names.reduce((sum, _, n) => sum + countText(JSON.stringify(toolsOf(n + 1))), 0);
  expect(all).toBeGreaterThan(40_000);
  expect(cost).toBeGreaterThan(0);
  expect(cost).toBeLessThan(MAX_TOKENS);
  const offered = (request: WireRequest | undefined) =>
    (request?.tools ?? []).map((tool) => tool.function.name);
  expect(offered(first).filter((name) => name.startsWith('mcp__'))).toEqual([]);
  expect(offered(second)).toContain('mcp__s7__list_orders_13');
  expect(textOf(last?.messages.at(-1))).toBe('list_orders_13 of /s7: 3 orders');
});
