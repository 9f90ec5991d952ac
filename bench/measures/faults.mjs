// Six things that go wrong at the other end: whether the turn is finished, with the answer printed and exit code 0.
import { program } from '../parts/place.mjs';
import { start } from '../parts/runs.mjs';
import { beginStream, delta, replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

export const isOnce = true;

export const rows = [
  {
    key: 'survived',
    label: 'of six faults: the turn is finished',
    unit: 'of 6',
    peer: 'faults',
    aim: 6,
    isMore: true,
  },
];

const ANSWER = 'The answer came in the end.';

/** Each answers the first request, or as many as it likes: what it leaves gets the answer. */
const faults = {
  429: once((response) =>
    response
      .writeHead(429, { 'content-type': 'application/json', 'retry-after': '1' })
      .end(problem('Too many requests')),
  ),
  500: once((response) =>
    response.writeHead(500, { 'content-type': 'application/json' }).end(problem('It broke')),
  ),
  'connection reset': once((response) => {
    beginStream(response).write(delta({ role: 'assistant', content: 'The answ' }));
    setTimeout(() => response.socket.resetAndDestroy(), 50);
  }),
  'broken SSE line': once((response) => {
    beginStream(response).write(delta({ role: 'assistant', content: '' }));
    response.write('data: {"id":"bench","choi\n\n');
    response.end(
      `${delta({ content: ANSWER })}data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`,
    );
  }),
  'bad JSON arguments': once((response) =>
    replyWithCall(response, 0, 'Read', '{"file_path": "package.json", "limit": }'),
  ),
  'context too long': (place) => {
    const READS = 6;
    return (index, response, body) => {
      const input = { file_path: place.file, offset: 1 + index * 200, limit: 400 };
      if (index < READS) return replyWithCall(response, index, 'Read', input);
      // As if the window were half of what the program believes.
      if (body().length > 60_000)
        return response.writeHead(400, { 'content-type': 'application/json' }).end(
          JSON.stringify({
            error: {
              message:
                "This model's maximum context length is 16000 tokens. However, your messages resulted in more.",
              type: 'invalid_request_error',
              param: 'messages',
              code: 'context_length_exceeded',
            },
          }),
        );
      return replyWithText(response, ANSWER);
    };
  },
};

export async function measure(place, { note }) {
  let survived = 0;
  for (const [name, fault] of Object.entries(faults)) {
    const server = await startServer(fault(place));
    const { code, stdout, stderr } = await start([program, '-p', 'hello'], place.with(server.access)).ended;
    await server.stop();
    const isGood = code === 0 && stdout.includes(ANSWER);
    if (isGood) survived++;
    else note(`${name}: exit code ${code}, printed “${stdout.trim()}”, said “${stderr.trim()}”`);
  }
  return { survived };
}

function once(fault) {
  return () => (index, response) => (index === 0 ? fault(response) : replyWithText(response, ANSWER));
}

const problem = (message) => JSON.stringify({ error: { message } });
