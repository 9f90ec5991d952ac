// A server of the protocol of 2026-07-28, built with the official library. Writes the methods that it receives to the file in
// RECORD, after its process id. With the argument `both` it also speaks the older protocol; with `web` it serves HTTP on
// loopback and prints its address.
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const modes = process.argv.slice(2);
const text = (said) => ({ content: [{ type: 'text', text: said }] });

function create() {
  const server = new McpServer({ name: 'modern', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text: said }) =>
    text(`You said ${said}`),
  );
  server.registerTool(
    'marked',
    { inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }) },
    ({ region }) => text(`Region ${region}`),
  );
  server.registerTool('slow', {}, async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken;
    for (const progress of [1, 2])
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total: 2, message: `part ${progress}` },
      });
    return text('Done');
  });
  server.registerTool('grow', {}, () => {
    server.registerTool('grown', {}, () => text('I am new'));
    return text('Grown');
  });
  server.registerTool('hang', {}, ({ mcpReq }) => {
    process.stderr.write('Hanging.\n');
    return new Promise((resolve) => {
      mcpReq.signal.addEventListener('abort', () => {
        process.stderr.write('A call was cancelled.\n');
        resolve(text('Too late'));
      });
    });
  });
  server.registerTool('ask', {}, ({ mcpReq }) => {
    const answer = mcpReq.inputResponses?.name;
    if (answer !== undefined) return text(JSON.stringify(answer));
    const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
    return inputRequired({
      inputRequests: { name: inputRequired.elicit({ message: 'Who are you?', requestedSchema }) },
    });
  });
  return server;
}

if (modes.includes('web')) {
  const handler = createMcpHandler(create, { legacy: 'reject' });
  const server = createServer(async (request, response) => {
    const { method, headers, url } = request;
    const body = method === 'POST' ? { body: Readable.toWeb(request), duplex: 'half' } : {};
    const answer = await handler.fetch(new Request(`http://127.0.0.1${url}`, { method, headers, ...body }));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    else
      Readable.fromWeb(answer.body)
        .on('error', () => response.destroy())
        .pipe(response);
  });
  server.listen(0, '127.0.0.1', () =>
    process.stdout.write(`http://127.0.0.1:${server.address().port}/mcp\n`),
  );
} else {
  const record = (what) =>
    process.env.RECORD && appendFileSync(process.env.RECORD, `${process.pid} ${what}\n`);
  serveStdio(create, { legacy: modes.includes('both') ? 'serve' : 'reject' });
  process.stdin.on('data', (chunk) => {
    for (const line of chunk.toString().split('\n'))
      if (line !== '') record(JSON.parse(line).method ?? 'answer');
  });
}
