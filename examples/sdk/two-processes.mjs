// @ts-check
// A session that goes on in another process, and ends with an answer that programs can read.
//
//   node two-processes.mjs                 looks at the folder, and prints the id of the session
//   node two-processes.mjs <session id>    goes on there, and prints JSON
import { createSession } from 'clawdcode';

const [id] = process.argv.slice(2);

/** @param {import('clawdcode').ResultEvent} result */
function textOf(result) {
  if (result.is_error) throw new Error(result.errors.join('\n'));
  return result.result;
}

if (id === undefined) {
  // Plan mode: nothing is changed.
  const session = createSession({ permissionMode: 'plan' });
  console.error(textOf(await session.send('What is this project about? One paragraph.')));
  console.error(textOf(await session.send('And what is its main file?')));
  await session.close();
  console.log(session.sessionId);
} else {
  const session = createSession({
    resume: id,
    jsonSchema: {
      type: 'object',
      properties: { about: { type: 'string' }, mainFile: { type: 'string' } },
      required: ['about', 'mainFile'],
      additionalProperties: false,
    },
  });
  const result = await session.send('Repeat both answers, as short as possible.');
  await session.close();
  if (result.is_error) throw new Error(result.errors.join('\n'));
  console.log(JSON.stringify(result.structured_output));
}
