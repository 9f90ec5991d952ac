/** Prompts, replies and what the model is told. */

import type { Script } from '../play.ts';
import type { ModelCall } from '../scriptedModel.ts';
import type { Line } from '../seen.ts';

const said = (call: ModelCall | undefined): string => JSON.stringify(call?.messages ?? []);
const system = (call: ModelCall | undefined): string => JSON.stringify(call?.system ?? '');

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

export const promptScripts: readonly Script[] = [
  {
    name: 'a prompt',
    covers: ['cwd', 'env', 'model', 'pathToClaudeCodeExecutable', 'executable', 'executableArgs'],
    async play({ script, run, calls }) {
      script({ text: 'Hello.' });
      const messages = await run('hi');
      const init = messages.find(({ subtype }) => subtype === 'init');
      return { messages, model: calls[0]?.model, init: { cwd: init?.cwd, mode: init?.permissionMode } };
    },
  },
  {
    name: 'prompts one after another',
    covers: ['streamInput', 'query'],
    async play({ script, open }) {
      script({ text: 'First.' }, { text: 'Second.' });
      const session = open();
      session.prompt('one');
      await session.next('result');
      session.prompt([{ type: 'text', text: 'two' }]);
      await session.next('result');
      await session.end();
      return session.messages;
    },
  },
  {
    name: 'a prompt with an image',
    covers: [],
    async play({ script, open, calls }) {
      script({ text: 'A pixel.' });
      const session = open();
      const source = { type: 'base64', media_type: 'image/png', data: PIXEL };
      session.prompt([
        { type: 'text', text: 'what is it?' },
        { type: 'image', source },
      ]);
      await session.next('result');
      await session.end();
      return { messages: session.messages, isSent: said(calls[0]).includes('"type":"image"') };
    },
  },
  {
    name: 'a prompt as it is written',
    covers: ['verbatimPrompts'],
    async play({ script, run, calls }) {
      script({ text: 'As text.' });
      const messages = await run('/compact please', { verbatimPrompts: true });
      return { messages, isSent: said(calls[0]).includes('/compact please') };
    },
  },
  {
    name: 'an unknown slash command',
    covers: [],
    async play({ script, run, calls }) {
      script({ text: 'Answered.' });
      const messages = await run('/nosuchcommand');
      const result = messages.at(-1);
      return { calls: calls.length, subtype: result?.subtype, isError: result?.is_error };
    },
  },
  {
    name: 'pieces of a reply',
    covers: ['includePartialMessages'],
    async play({ script, run }) {
      script({ text: 'Hello there.' });
      const messages = await run('hi', { includePartialMessages: true });
      const events = messages.filter(({ type }) => type === 'stream_event').map(({ event }) => event as Line);
      return { kinds: [...new Set(events.map(({ type }) => type))], messages };
    },
  },
  {
    name: 'a limit of steps',
    covers: ['maxTurns'],
    async play({ script, run, path }) {
      const read = { calls: [{ name: 'Read', input: { file_path: path('a.txt') } }] };
      script(read, read, read);
      const messages: Line[] = [];
      return run('read', { maxTurns: 2 }).catch((error: Error) => ({ messages, error: error.message }));
    },
  },
  {
    name: 'a limit of cost',
    covers: ['maxBudgetUsd'],
    async play({ script, run, path }) {
      const read = { calls: [{ name: 'Read', input: { file_path: path('a.txt') } }] };
      script(read, read, read);
      return run('read', { maxBudgetUsd: 0.000001 }).catch(() => 'the SDK throws');
    },
  },
  {
    name: 'an answer that fits a schema',
    covers: ['outputFormat'],
    async play({ script, run }) {
      script({ calls: [{ name: 'StructuredOutput', input: { n: 'five' } }] });
      script({ calls: [{ name: 'StructuredOutput', input: { n: 5 } }] }, { text: 'Done.' });
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
      const messages = await run('count', { outputFormat: { type: 'json_schema', schema } });
      return { output: messages.at(-1)?.structured_output, subtype: messages.at(-1)?.subtype };
    },
  },
  {
    name: 'an answer that never fits the schema',
    covers: ['outputFormat'],
    async play({ script, run }) {
      const wrong = { calls: [{ name: 'StructuredOutput', input: { n: 'five' } }] };
      script(...Array<typeof wrong>(12).fill(wrong));
      const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };
      const options = { outputFormat: { type: 'json_schema', schema } };
      const messages = await run('count', options).catch((error: Error) => error.message);
      return typeof messages === 'string' ? 'the SDK throws' : messages.at(-1)?.subtype;
    },
  },
  {
    name: 'an error of the endpoint',
    covers: [],
    async play({ script, open }) {
      script({ error: 400 });
      const session = open();
      session.prompt('hi');
      const { subtype, is_error } = await session.next('result');
      await session.end().catch(() => undefined);
      return { subtype, is_error };
    },
  },
  {
    name: 'a fallback model',
    covers: ['fallbackModel'],
    async play({ script, run, calls }) {
      script(...Array<{ error: number }>(3).fill({ error: 529 }), { text: 'From the other one.' });
      const messages = await run('hi', { fallbackModel: 'claude-haiku-4-5' });
      return { messages, last: calls.at(-1)?.model };
    },
  },
  {
    name: 'a system prompt',
    covers: ['systemPrompt'],
    async play({ script, run, calls }) {
      script({ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' });
      await run('hi', { systemPrompt: 'You count SHEEP.' });
      await run('hi', { systemPrompt: ['You count GOATS.', 'And COWS.'] });
      await run('hi', { systemPrompt: { type: 'custom', prompt: 'You count PIGS.' } });
      await run('hi', { systemPrompt: { type: 'preset', preset: 'claude_code', append: 'Mind the HENS.' } });
      return ['SHEEP', 'GOATS', 'COWS', 'PIGS', 'HENS'].map((word) =>
        calls.findIndex((call) => (system(call) + said(call)).includes(word)),
      );
    },
  },
  {
    name: 'effort',
    covers: ['effort'],
    async play({ script, run, calls }) {
      script({ text: 'Thought about it.' });
      const messages = await run('hi', { effort: 'low', model: 'claude-opus-4-8' });
      return { messages, effort: calls[0]?.output_config?.effort };
    },
  },
  {
    name: 'thinking',
    covers: ['thinking', 'maxThinkingTokens'],
    async play({ script, run, calls }) {
      script({ text: 'a' }, { text: 'b' }, { text: 'c' }, { text: 'd' });
      const model = 'claude-haiku-4-5';
      await run('hi', { model, thinking: { type: 'enabled', budgetTokens: 2048 } });
      await run('hi', { model, thinking: { type: 'disabled' } });
      await run('hi', { model, maxThinkingTokens: 4096 });
      await run('hi', { model: 'claude-opus-4-8', thinking: { type: 'adaptive' } });
      return calls.map(({ thinking = null }) => {
        const { type, budget_tokens } = (thinking ?? {}) as { type?: string; budget_tokens?: number };
        return { type: type ?? 'disabled', budget_tokens };
      });
    },
  },
  {
    name: 'further flags',
    covers: ['extraArgs', 'stderr'],
    async play({ script, run, calls }) {
      script({ text: 'a' });
      const extraArgs = { 'append-system-prompt': 'Mind the GEESE.', verbose: null };
      const messages = await run('hi', { extraArgs });
      return { messages, isTold: (system(calls[0]) + said(calls[0])).includes('GEESE') };
    },
  },
  {
    name: 'a debug log',
    covers: ['debugFile', 'debug'],
    async play({ script, run, path, read }) {
      script({ text: 'a' });
      await run('hi', { debugFile: path('debug.log') });
      return { isWritten: ((await read('debug.log')) ?? '') !== '' };
    },
  },
  {
    name: 'the process is started by the host',
    covers: ['spawnClaudeCodeProcess'],
    async play({ script, run }) {
      const { spawn } = await import('node:child_process');
      script({ text: 'Hello.' });
      let started = 0;
      const spawnClaudeCodeProcess = (given: {
        command: string;
        args: string[];
        cwd: string;
        env: object;
      }) => {
        started++;
        return spawn(given.command, given.args, {
          cwd: given.cwd,
          env: given.env as NodeJS.ProcessEnv,
          stdio: ['pipe', 'pipe', 'ignore'],
        });
      };
      return { messages: await run('hi', { spawnClaudeCodeProcess }), started };
    },
  },
];
