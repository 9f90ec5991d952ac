// A scripted OpenAI-compatible server on loopback. Small on purpose: what it costs is counted as the program's.
import { createServer } from 'node:http';

/**
 * Answers each request with the next of `steps` tool calls, the one after them with a word. `arrivals` holds the
 * time of each request (performance.now(), in milliseconds).
 */
export async function startServer(steps, call) {
  const arrivals = [];
  const server = createServer((request, response) => {
    if (request.method !== 'POST') {
      response.setHeader('content-type', 'application/json').end('{"data":[]}');
      return;
    }
    const index = arrivals.push(performance.now()) - 1;
    request.resume().on('end', () => {
      response.setHeader('content-type', 'text/event-stream');
      response.end(index < steps ? callReply(index, call) : textReply());
    });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    arrivals,
    stop: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}

function callReply(index, { name, input }) {
  const tool = { name, arguments: JSON.stringify(input(index)) };
  const tool_calls = [{ index: 0, id: `call_${index}`, type: 'function', function: tool }];
  return stream({ role: 'assistant', content: null, tool_calls }, 'tool_calls');
}

function textReply() {
  return stream({ role: 'assistant', content: 'Done.' }, 'stop');
}

function stream(delta, finish_reason) {
  const chunk = { id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench' };
  const chunks = [
    { ...chunk, choices: [{ index: 0, delta, finish_reason: null }] },
    { ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] },
    { ...chunk, choices: [], usage: { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 } },
  ];
  return `${chunks.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')}data: [DONE]\n\n`;
}
