// The model of the soak: each prompt of the user is one Read and one answer, for as long as it is asked.
import { beginStream, delta, ending, replyWithCall, startServer } from '../parts/server.mjs';

/** `stepMs` holds the times from a reply with a call to the request with its result, by turn. */
export async function startSoakServer(file) {
  const stepMs = [];
  let turns = 0;
  let calledAt;
  const server = await startServer((index, response, body) => {
    const hasResult = lastRole(body()) === 'tool';
    if (!hasResult) {
      replyWithCall(response, index, 'Read', { file_path: file, offset: 1 + (index % 2000), limit: 12 });
      calledAt = performance.now();
      return;
    }
    stepMs.push(performance.now() - calledAt);
    turns++;
    beginStream(response).end(
      [...answer(turns).map((content) => delta({ content })), ...ending('stop')].join(''),
    );
  });
  return { ...server, stepMs, turns: () => turns };
}

/** The words by which a turn's end is known on screen. */
export const endOf = (turn) => `That was turn ${turn}.`;

function answer(turn) {
  return [
    `The file says **what** it said before, in part ${turn}, with \`code\` in between.\n\n`,
    `- one more thing\n- and another\n\n`,
    endOf(turn),
  ];
}

/** Cheap for long bodies: messages stand before the tools, and the last of them at the end. */
function lastRole(body) {
  const { messages } = JSON.parse(body);
  return messages.at(-1).role;
}
