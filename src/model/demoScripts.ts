/** The replies of the demo model: each script is a pure function of the request and returns one reply at a time. */
import type { AssistantMessage, Message, ToolMessage } from '../protocol/messages.ts';
import { contentText } from '../protocol/messages.ts';
import type { ModelRequest } from '../protocol/models/model.ts';
import { toolNames } from '../protocol/toolNames.ts';

interface Scene {
  readonly prompt: string;
  /** Tool results since the prompt, oldest first. */
  readonly results: readonly ToolMessage[];
  /** Replies since the prompt: the position in the script. */
  readonly step: number;
}

interface Call {
  readonly name: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export function demoReply(request: ModelRequest): AssistantMessage {
  const reply = scriptedReply(request);
  // Ids are derived from the position in the conversation: unique within it, and the same on every run.
  const toolCalls = reply.toolCalls.map((one, index) => ({
    ...one,
    id: `demo_${request.messages.length}_${index}`,
  }));
  return { ...reply, toolCalls };
}

function scriptedReply(request: ModelRequest): AssistantMessage {
  if (request.toolChoice === 'none') return textReply(summarize(request.messages));
  const scene = sceneOf(request.messages);
  const prompt = scene.prompt.toLowerCase();
  if (/\b(todo|fixme)s?\b/.test(prompt)) return findTodos(scene);
  if (/\bfix\b|\bfail/.test(prompt)) return fixTest(scene);
  if (/\bexplain\b|what is this|\boverview\b/.test(prompt)) return explain(scene);
  return textReply(introduction);
}

const introduction = `I am the **demo model**: a small script built into ClawdCode, not a language model, and nothing leaves this machine. The tools, the approval prompts and the saved session are real. I understand three requests:

- \`explain this repository\`
- \`find TODOs\`
- \`fix the failing test\` (in the sample project: \`npm run demo\`)

Then try \`/compact\` and \`/context\`, quit with Ctrl+C twice and resume with \`clawdcode --continue\`. For real work set \`OPENAI_API_KEY\` or \`OPENAI_BASE_URL\`, or run \`clawdcode\` without \`--demo\` and enter them.`;

function explain({ step, results }: Scene): AssistantMessage {
  if (step === 0) {
    return call('First I’ll look around.', [
      { name: toolNames.glob, input: { pattern: '**/*' } },
      {
        name: toolNames.grep,
        input: { pattern: '^(export|module\\.exports|def |func |fn |class )', output_mode: 'count' },
      },
    ]);
  }
  const files = linesOf(results[0]);
  if (step === 1) {
    const wanted = ['README.md', 'package.json'].flatMap(
      (name) => files.find((file) => baseName(file) === name) ?? [],
    );
    if (wanted.length > 0) {
      return call(
        'These files say most about the project.',
        wanted.map((file) => ({ name: toolNames.read, input: { file_path: file } })),
      );
    }
  }
  const kinds = countBy(files.map((file) => /\.([a-z0-9]+)$/i.exec(file)?.[1] ?? 'no extension'));
  const read = results
    .slice(2)
    .map((result) => result.content)
    .join('\n');
  const name = /"name":\s*"([^"]+)"/.exec(read)?.[1];
  const about = /"description":\s*"([^"]+)"/.exec(read)?.[1];
  const scripts = [...read.matchAll(/"(start|test|build|dev|lint)":\s*"([^"]+)"/g)].map(
    (match) => `- \`npm run ${match[1]}\`: \`${match[2]}\``,
  );
  return textReply(
    [
      `## ${name ?? 'This repository'}`,
      about ?? 'It does not describe itself in a package.json.',
      `I found ${files.length} files: ${kinds.map(([kind, count]) => `${count} × ${kind}`).join(', ')}.`,
      ...(scripts.length > 0 ? ['### Commands', scripts.join('\n')] : []),
      '### Where to start',
      files
        .slice(0, 8)
        .map((file) => `- \`${file}\``)
        .join('\n'),
      '*(The demo model assembles this from tool results; it does not understand code.)*',
    ].join('\n\n'),
  );
}

function findTodos({ step, results }: Scene): AssistantMessage {
  if (step === 0) {
    return call('I’ll search for them.', [
      { name: toolNames.grep, input: { pattern: '\\b(TODO|FIXME)\\b', output_mode: 'content', '-n': true } },
    ]);
  }
  const hits = linesOf(results[0]).filter((line) => /\b(TODO|FIXME)\b/.test(line));
  if (hits.length === 0) return textReply('There is no `TODO` or `FIXME` in this project.');
  const rows = hits.slice(0, 30).map((line) => `- \`${line.trim().slice(0, 140)}\``);
  return textReply(`I found **${hits.length}**:\n\n${rows.join('\n')}`);
}

const bug = {
  file: 'src/basket.js',
  wrong: '    sum += item.price;',
  right: '    sum += item.price * item.quantity;',
  /** The test that fails because of it. */
  test: 'the total counts every piece',
};

function fixTest({ step, results }: Scene): AssistantMessage {
  const last = results.at(-1);
  switch (step) {
    case 0:
      return call('I’ll run the tests and see what fails.', [
        { name: toolNames.todoWrite, input: { todos: todos('in_progress', 'pending', 'pending') } },
        { name: toolNames.bash, input: { command: 'npm test', description: 'Run the tests' } },
      ]);
    case 1:
      if (wasDenied(last)) return textReply(stopped(last));
      if (last?.isError !== true) return textReply('The tests pass here: there is nothing to fix.');
      return call(
        last.content.includes(bug.test)
          ? 'One test fails: the total counts each name once. I’ll read how it adds up.'
          : 'The tests fail. I’ll read the one file that I know a bug in.',
        [{ name: toolNames.read, input: { file_path: bug.file } }],
      );
    case 2:
      if (last?.content.includes(bug.wrong.trim()) !== true) {
        return textReply(
          `I only know the bug of the sample project (\`npm run demo\`), and \`${bug.file}\` does not contain it. A real model would continue from here.`,
        );
      }
      return call('`total` adds the price of each item but forgets its quantity.', [
        {
          name: toolNames.edit,
          input: { file_path: bug.file, old_string: bug.wrong, new_string: bug.right },
        },
      ]);
    case 3:
      if (last?.isError === true) return textReply(stopped(last));
      return call('Now I’ll run the tests again.', [
        { name: toolNames.todoWrite, input: { todos: todos('completed', 'completed', 'in_progress') } },
        { name: toolNames.bash, input: { command: 'npm test', description: 'Run the tests' } },
      ]);
    case 4:
      if (wasDenied(last)) return textReply(stopped(last));
      if (last?.isError === true)
        return textReply('The tests still fail; the demo model knows no other bug.');
      return call('All tests pass.', [
        { name: toolNames.todoWrite, input: { todos: todos('completed', 'completed', 'completed') } },
      ]);
    default:
      return textReply(
        `The tests pass now.\n\n- **Cause**: \`total\` in \`${bug.file}\` added \`item.price\` without \`item.quantity\`.\n- **Change**: one line, \`sum += item.price * item.quantity\`.\n- **Checked**: \`npm test\`, before and after.`,
      );
  }
}

function todos(...states: readonly [string, string, string]) {
  const contents = ['See which test fails', 'Fix the cause', 'Run the tests again'];
  return contents.map((content, index) => ({ content, status: states[index] }));
}

/** True if the call was denied, which ends the script; a command that merely fails does not. */
function wasDenied(result: ToolMessage | undefined): boolean {
  return result?.isError === true && /^(The user|Not allowed)/.test(result.content);
}

function stopped(result: ToolMessage | undefined): string {
  return `I’ll stop here: ${result?.content.split('\n')[0] ?? 'the last call did not run'}`;
}

/** Answers a request for a summary with what can be extracted without understanding the conversation. */
function summarize(messages: readonly Message[]): string {
  const prompts = messages
    .slice(0, -1)
    .flatMap((message) => (message.role === 'user' ? [contentText(message.content, '')] : []));
  const calls = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
  const edited = new Set(
    calls.flatMap((one) =>
      one.name === toolNames.edit || one.name === toolNames.write
        ? [String(JSON.parse(one.arguments).file_path)]
        : [],
    ),
  );
  const commands = calls.flatMap((one) =>
    one.name === toolNames.bash ? [String(JSON.parse(one.arguments).command)] : [],
  );
  const failed = messages.filter((message) => message.role === 'tool' && message.isError).length;
  const list = (items: Iterable<string>): string =>
    [...items].map((item) => `- ${item}`).join('\n') || '- none';
  return [
    `## Primary Request and Intent\n${list(prompts.filter((text) => !text.startsWith('[') && !text.startsWith('<')).map((text) => text.slice(0, 200)))}`,
    '## Key Technical Decisions\n- none were made by the demo model',
    `## Files Modified\n${list(edited)}`,
    `## Errors Encountered and Fixes\n- ${failed} tool calls failed`,
    `## Current Work Status\n- ${calls.length} tool calls made; commands run:\n${list(commands)}`,
    '## Pending Tasks\n- none are known',
  ].join('\n\n');
}

/** The current position in the conversation: the last prompt, and the replies and results since. */
function sceneOf(messages: readonly Message[]): Scene {
  const start = messages.findLastIndex(
    (message) => message.role === 'user' && !/^[[<]/.test(contentText(message.content, '')),
  );
  const since = messages.slice(start + 1);
  return {
    prompt: start === -1 ? '' : contentText(messages[start]?.content, ''),
    results: since.filter((message) => message.role === 'tool'),
    step: since.filter((message) => message.role === 'assistant').length,
  };
}

function textReply(content: string): AssistantMessage {
  return { role: 'assistant', content, toolCalls: [] };
}

function call(content: string, calls: readonly Call[]): AssistantMessage {
  const toolCalls = calls.map(({ name, input }) => ({
    id: '',
    name,
    arguments: JSON.stringify(input),
  }));
  return { role: 'assistant', content, toolCalls };
}

function linesOf(result: ToolMessage | undefined): string[] {
  return (result?.content ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function countBy(kinds: readonly string[]): [string, number][] {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1]).slice(0, 6);
}
