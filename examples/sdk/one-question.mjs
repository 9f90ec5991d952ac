// @ts-check
// Asks one question in the current folder. The agent gets a tool of this program, and asks it about everything else.
//
//   node one-question.mjs "How many people work in the office of this project?"
//
// The model and its key are those of the command line: OPENAI_API_KEY, OPENAI_BASE_URL and OPENAI_MODEL, or the settings.
import { query, tool } from 'clawdcode';

/** @type {Readonly<Record<string, number>>} */
const people = { Oslo: 12, Lima: 7 };

const headcount = tool({
  name: 'headcount',
  description: 'The number of people who work in an office.',
  input: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
  // It only reads, so it needs no approval.
  allow: true,
  run: ({ city }) => {
    const count = people[String(city)];
    if (count === undefined) throw new Error(`There is no office in ${city}.`);
    return `${count} people work in ${city}.`;
  },
});

const question = process.argv[2] ?? 'How many people work in the office that README.md names?';
const events = query({
  prompt: question,
  options: {
    tools: [headcount],
    // Called for what needs approval. Without this function, all of it is denied.
    canUseTool({ tool: name, title, reason }) {
      console.log(`denied: ${name} ${title} (${reason})`);
      return { behavior: 'deny', message: 'This program only looks.' };
    },
  },
});

for await (const event of events) {
  if (event.type === 'assistant') {
    for (const part of event.message.content)
      if (part.type === 'tool_use') console.log(`calls ${part.name} ${JSON.stringify(part.input)}`);
  }
  if (event.type !== 'result') continue;
  if (event.is_error) {
    console.error(event.errors.join('\n'));
    process.exitCode = 1;
  } else {
    console.log(event.result);
    console.log(`${event.usage?.output_tokens ?? 0} tokens, ${event.total_cost_usd ?? 'unknown'} US dollars`);
  }
}
