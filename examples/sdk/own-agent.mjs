// @ts-check
// The context engine without the agent: a conversation with a model in a small window. What no longer fits is replaced by a
// summary that the same model writes; the file keeps everything.
//
//   node own-agent.mjs notes          continues the conversation "notes", or starts it; one question per line of input
import { homedir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { ContextError, createContext, fileStore, openContext } from 'clawdcode/context';

const {
  OPENAI_BASE_URL = 'https://api.openai.com/v1',
  OPENAI_API_KEY = '',
  OPENAI_MODEL = 'gpt-5',
} = process.env;
const id = process.argv[2] ?? 'notes';
const folder = process.env.NOTES_FOLDER ?? join(homedir(), '.notes');

/**
 * One request to an OpenAI-compatible server; this program has no tools.
 * @param {readonly import('clawdcode/context').RequestMessage[]} messages
 * @param {AbortSignal} [signal]
 * @returns {Promise<string>}
 */
async function ask(messages, signal) {
  const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OPENAI_API_KEY}` },
    body: JSON.stringify({
      model: OPENAI_MODEL,
      messages: messages.map(({ role, content }) => ({ role, content })),
    }),
    signal: signal ?? null,
  });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  const { choices } = /** @type {{ choices: { message: { content: string } }[] }} */ (await response.json());
  return choices[0]?.message.content ?? '';
}

/** @type {import('clawdcode/context').ContextOptions} */
const options = {
  model: { id: OPENAI_MODEL, contextWindow: Number(process.env.NOTES_WINDOW ?? 16_000) },
  store: fileStore(folder),
  systemPrompt: 'You help with the notes of one person. Answer in one sentence.',
  summarize: ({ messages, signal }) => ask(messages, signal),
};

const context = await openContext(id, options).catch((error) => {
  if (error instanceof ContextError && error.code === 'not_found') return createContext({ ...options, id });
  throw error;
});
for await (const line of createInterface({ input: process.stdin })) {
  await context.append({ role: 'user', content: line });
  const { messages, measure, compactions } = await context.request();
  for (const { preTokens, postTokens, message } of compactions)
    console.log(`(compacted from ${preTokens} to ${postTokens} tokens)`, message ?? '');
  const answer = await ask(messages);
  await context.append({ role: 'assistant', content: answer });
  console.log(`${answer} (${measure.usedTokens} of ${measure.windowTokens} tokens)`);
}
await context.close();
