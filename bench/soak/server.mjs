// The model of the soak: each prompt of the user is one Read and one answer, for as long as it is asked; a summary
// says what a model would.
import { beginStream, delta, ending, replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

/** `stepMs` holds the times from a reply with a call to the request with its result, by turn. */
export async function startSoakServer(file) {
  const stepMs = [];
  let turns = 0;
  let summaries = 0;
  let calledAt;
  const server = await startServer((index, response, body) => {
    const { last, isSummary } = kindOf(body());
    if (isSummary) {
      summaries++;
      replyWithText(response, summaryAt(turns, file));
      return;
    }
    if (last !== 'tool') {
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
  return { ...server, stepMs, turns: () => turns, summaries: () => summaries };
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

function summaryAt(turn, file) {
  return `1. Primary request and intent: the user asked to read on, prompt after prompt, up to prompt ${turn}.
2. Key technical decisions: none.
3. Files modified: none; ${file} was read in parts.
4. Errors encountered and fixes: none.
5. Current work status: ${turn} parts of ${file} were read.
6. Pending tasks: read on.`;
}

/** Who spoke last, and whether no tools may be called: then a summary is asked for. */
function kindOf(body) {
  const { messages, tool_choice } = JSON.parse(body);
  return { last: messages.at(-1).role, isSummary: tool_choice === 'none' };
}
