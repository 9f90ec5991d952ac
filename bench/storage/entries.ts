/** Entries of every kind and size, as a session has them. */
import type { NewEntry } from '../../src/protocol/entries.ts';
import type { Random } from '../context/random.ts';

const words =
  'const let return await import { } ( ) => "quoted" \\n \\\\ 中文 é 😀 {"v":1, \u0000 \u2028 0 1 2'.split(
    ' ',
  );

export function text(random: Random, bytes: number): string {
  const parts: string[] = [];
  for (let length = 0; length < bytes; ) {
    const word = random.pick(words);
    parts.push(word);
    length += word.length + 1;
  }
  return parts.join(' ');
}

/** One batch: a prompt, a reply with its calls, a result, or a compaction; `tag` says who wrote it. */
export function batch(random: Random, tag: string, maxBytes: number): NewEntry[] {
  const size = (): number => random.lognormal(400, 1.6, maxBytes);
  const id = `call_${Math.floor(random.next() * 1e9)}`;
  const prompt: NewEntry = {
    type: 'user',
    subtype: 'prompt',
    message: { role: 'user', content: text(random, size()), tag },
  };
  const reply: NewEntry = {
    type: 'assistant',
    message: {
      role: 'assistant',
      content: text(random, size()),
      usage: { input_tokens: 9, output_tokens: 9 },
      tag,
    },
  };
  const call: NewEntry = {
    type: 'tool_use',
    message: { role: 'assistant', content: '', tag },
    tool: { id, name: 'Bash', input: { command: text(random, 30) } },
  };
  const result: NewEntry = {
    type: 'tool_result',
    message: { role: 'user', content: '', tag },
    toolResult: { id, output: text(random, size()), status: 'ok' },
  };
  return random.pick([[prompt], [reply], [reply, call], [result], [prompt, reply, call, result]]);
}
