import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { AgentEvent } from '../../src/protocol/events.ts';
import type { ModelError } from '../../src/protocol/models/model.ts';
import type { CallQuestion } from '../../src/protocol/permissions.ts';
import { madeUpNewEntry } from '../madeUpEntry.ts';

type EntryEvent = Extract<AgentEvent, { type: 'entry' }>;

let seq = 0;

function entry(uuid: string, fields: Pick<JSONLEntry, 'type' | 'message'> & Partial<JSONLEntry>): EntryEvent {
  const identity = { v: 1, seq: seq++, uuid, parentUuid: null, sessionId: 'session1' };
  const place = { timestamp: '2026-11-21T09:00:00.000Z', cwd: '/home/me/project', version: '0.0.0' };
  return { type: 'entry', entry: { ...identity, ...place, ...fields } };
}

export const prompt = (text: string): EntryEvent =>
  entry('prompt1', { type: 'user', subtype: 'prompt', message: { role: 'user', content: text } });

export const reply = (uuid: string, content: string, more: Partial<JSONLEntry['message']> = {}): EntryEvent =>
  entry(uuid, {
    type: 'assistant',
    message: {
      role: 'assistant',
      content,
      model: 'gpt-4.1',
      usage: { input_tokens: 100, output_tokens: 10, cached_tokens: 40 },
      finishReason: 'stop',
      durationMs: 250,
      ...more,
    },
  });

export const call = (id: string, name: string, input: object): EntryEvent =>
  entry(`use-${id}`, {
    type: 'tool_use',
    message: { role: 'assistant', content: '' },
    tool: { id, name, input, arguments: JSON.stringify(input) },
  });

export const result = (
  id: string,
  name: string,
  output: string,
  status: 'ok' | 'error' | 'denied' = 'ok',
): EntryEvent =>
  entry(`result-${id}`, {
    type: 'tool_result',
    message: { role: 'user', content: '' },
    toolResult: { id, name, output, status, display: { title: name, summary: '1 line' } },
  });

export const nudge = (content: string): EntryEvent =>
  entry('nudge1', { type: 'user', subtype: 'nudge', message: { role: 'user', content } });

/** A system entry. */
export const system = (subtype: string, data: Record<string, unknown>): EntryEvent =>
  entry(subtype, madeUpNewEntry({ type: 'system', subtype, message: { role: 'system', content: '' }, data }));

export const text = (delta: string): AgentEvent => ({ type: 'text_delta', text: delta });
export const step = (number: number): AgentEvent => ({ type: 'step_started', step: number });
export const ended = (steps: number): AgentEvent => ({ type: 'turn_ended', outcome: 'done', steps });
export const failed = (error: ModelError): AgentEvent => ({
  type: 'turn_ended',
  outcome: 'failed',
  steps: 1,
  error,
});

export const question: CallQuestion = {
  id: 'question1',
  agentId: 'main',
  callId: 'call2',
  tool: 'Bash',
  title: 'npm test',
  input: { command: 'npm test' },
  preview: { type: 'command', command: 'npm test', cwd: '/home/me/project' },
  reason: 'commands ask in default mode',
  suggestion: { rules: ['Bash(npm test:*)'], destination: 'local', label: 'Yes, always' },
};

/** A turn of two steps: a read that runs, a command that cannot be approved, and an answer. */
export const wholeTurn: readonly AgentEvent[] = [
  { type: 'turn_started' },
  prompt('why does it fail?'),
  step(1),
  { type: 'reasoning_delta', text: 'Look ' },
  { type: 'reasoning_delta', text: 'first.' },
  text('I will '),
  text('look.'),
  { type: 'tool_call_delta', index: 0, name: 'Read', argumentsLength: 12 },
  reply('reply1', 'I will look.', {
    finishReason: 'tool_calls',
    reasoning: { field: 'reasoning', text: 'Look first.' },
  }),
  call('call1', 'Read', { file_path: 'a.ts' }),
  call('call2', 'Bash', { command: 'npm test' }),
  { type: 'tool_started', callId: 'call1', tool: 'Read', title: 'a.ts' },
  { type: 'tool_ended', callId: 'call1' },
  result('call1', 'Read', '1\tline\u2028separator'),
  { type: 'permission_question', question },
  { type: 'tool_ended', callId: 'call2' },
  result('call2', 'Bash', 'The user declined this call; it did not run.', 'denied'),
  step(2),
  text('Because of line 1.'),
  reply('reply2', 'Because of line 1.'),
  ended(2),
];

export const rateLimit: ModelError = {
  kind: 'rate_limit',
  message: 'The endpoint asks to wait.',
  retryable: true,
  status: 429,
};
