// A scripted OpenAI-compatible server on loopback. Small on purpose: what it costs is counted as the program's.
import { createServer } from 'node:http';

/**
 * Answers requests of the conversation: `answer(index, response, body)` writes the reply to request `index` (from 0);
 * `body()` is its text. Everything else (the list of models, a session's title) has an answer of its own.
 * `arrivals` holds the time of each request (performance.now(), in milliseconds) as its head came in, `queries` that of each
 * query about the server itself, which `answerQuery(response)` answers.
 */
export async function startServer(answer, { answerQuery = listNothing } = {}) {
  const arrivals = [];
  const queries = [];
  const sizes = [];
  const server = createServer((request, response) => {
    const arrived = performance.now();
    if (!request.url.endsWith('/chat/completions')) {
      queries.push(arrived);
      answerQuery(response);
      return;
    }
    const pieces = [];
    request
      .on('data', (piece) => pieces.push(piece))
      .on('end', () => {
        const body = Buffer.concat(pieces);
        if (!body.includes('"tools":[')) {
          endWith(response, [delta({ role: 'assistant', content: 'A title' }), ...ending('stop')]);
          return;
        }
        sizes.push(body.length);
        answer(arrivals.push(arrived) - 1, response, () => body.toString());
      });
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const baseUrl = `http://127.0.0.1:${server.address().port}/v1`;
  return {
    baseUrl,
    /** What points the program at it. */
    access: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'bench', OPENAI_MODEL: 'gpt-4.1' },
    arrivals,
    queries,
    /** Bytes of each request's body. */
    sizes,
    stop: () => new Promise((done) => server.close(done).closeAllConnections()),
  };
}

function listNothing(response) {
  response.setHeader('content-type', 'application/json').end('{"data":[]}');
}

/** Offers conversations and nothing else. */
export const notFound = (response) => void response.writeHead(404).end();

/** The same, two seconds later. */
export const lateNotFound = (response) => void setTimeout(notFound, 2000, response);

/** One tool call as a whole reply. */
export function replyWithCall(response, index, name, input) {
  const tool = { name, arguments: typeof input === 'string' ? input : JSON.stringify(input) };
  const tool_calls = [{ index: 0, id: `call_${index}`, type: 'function', function: tool }];
  endWith(response, [delta({ role: 'assistant', content: null, tool_calls }), ...ending('tool_calls')]);
}

/** Text as a whole reply. */
export function replyWithText(response, content) {
  endWith(response, [delta({ role: 'assistant', content }), ...ending('stop')]);
}

/** Begins a stream; what is written to it are events. */
export function beginStream(response) {
  response.setHeader('content-type', 'text/event-stream');
  return response;
}

const chunk = { id: 'bench', object: 'chat.completion.chunk', created: 0, model: 'bench' };

/** One event with a piece of a reply. */
export const delta = (piece) =>
  event({ ...chunk, choices: [{ index: 0, delta: piece, finish_reason: null }] });

/** The events at the end of a reply. */
export function ending(finish_reason) {
  return [
    event({ ...chunk, choices: [{ index: 0, delta: {}, finish_reason }] }),
    event({
      ...chunk,
      choices: [],
      usage: { prompt_tokens: 1000, completion_tokens: 20, total_tokens: 1020 },
    }),
    'data: [DONE]\n\n',
  ];
}

const event = (data) => `data: ${JSON.stringify(data)}\n\n`;

function endWith(response, events) {
  beginStream(response).end(events.join(''));
}
