/** Replies and tool results, as the agent records them. */

import type { ToolResultKind } from '../../src/protocol/entries/fields.ts';
import type { ToolCall } from '../../src/protocol/messages.ts';
import type { Reply } from '../../src/protocol/models/model.ts';
import type { Operation, ResultSpec } from './program.ts';
import { type TextSpec, textOf } from './texts.ts';
import type { World } from './World.ts';

export async function reply(
  world: World,
  { text, reasoning, end }: Extract<Operation, { do: 'reply' }>,
): Promise<void> {
  const ended = end === 'stop' ? {} : end === 'failed' ? { failed: true } : { interrupted: true };
  await world.context.appendReply(replyOf(world, textOf(text), [], reasoning), ended);
  await world.context.maintain(world.options);
}

export async function step(
  world: World,
  op: Extract<Operation, { do: 'step' }>,
  typed: (text: string) => Promise<void>,
): Promise<void> {
  const calls = op.results.map(() => callOf(world, op));
  await world.context.appendReply(replyOf(world, 'working', calls, op.reasoning));
  for (const [index, call] of calls.entries()) {
    const given = op.results[index];
    if (given === undefined) continue;
    if (index === 1 && op.prompt !== null) await typed(textOf(op.prompt));
    const isAborted = op.abortAfter !== null && index >= op.abortAfter;
    await result(world, call, isAborted ? { ...given, status: 'interrupted' } : given);
  }
  await world.context.maintain(world.options);
}

export async function bulk(world: World, op: Extract<Operation, { do: 'bulk' }>): Promise<void> {
  for (let index = 0; index < op.count; index++) {
    const call = callOf(world, { sameIds: false, badArguments: false });
    await world.context.appendReply(replyOf(world, `step ${index}`, [call], null));
    const text = { ...op.result.text, seed: op.result.text.seed + index };
    await result(world, call, { ...op.result, text });
    await world.context.maintain(world.options);
  }
}

export async function manyCalls(
  world: World,
  { count, text }: { readonly count: number; readonly text: TextSpec },
): Promise<void> {
  const calls = Array.from({ length: count }, () => callOf(world, { sameIds: false, badArguments: false }));
  await world.context.appendReply(replyOf(world, '', calls, null));
  for (const [index, call] of calls.entries()) {
    const given = { ...text, seed: text.seed + (index % 20) };
    await result(world, call, { text: given, kind: 'file', status: 'ok' });
  }
  await world.context.maintain(world.options);
}

/** A step in which the model uses Recall. */
export async function recallStep(world: World, pick: number): Promise<void> {
  const seq = pick % world.entries().length;
  const { signal } = new AbortController();
  const { text } = await world.context.recall({ id: `#${seq}` }, signal);
  const call: ToolCall = { id: `call_${world.calls++}`, name: 'Recall', arguments: `{"id":"#${seq}"}` };
  await world.context.appendReply(replyOf(world, '', [call], null));
  const outcome = { status: 'ok' as const, text, kind: 'text' as const, display: { title: `#${seq}` } };
  await world.context.appendToolResult({ call, outcome });
}

/** Calls of which only some have a result when the program is killed. */
export async function crash(world: World, answered: number): Promise<void> {
  const calls = [0, 1, 2].map(() => callOf(world, { sameIds: false, badArguments: false }));
  await world.context.appendReply(replyOf(world, 'on it', calls, null));
  for (const call of calls.slice(0, answered))
    await result(world, call, { text: { kind: 'words', size: 30, seed: 1 }, kind: 'file', status: 'ok' });
}

async function result(world: World, call: ToolCall, { text, kind, status }: ResultSpec): Promise<void> {
  const given = textOf(text);
  const display = { title: `${call.name} a.ts` };
  const outcome =
    status === 'denied' || status === 'interrupted'
      ? ({ status, text: given, display } as const)
      : ({ status, text: given, kind, display } as const);
  const entry = await world.context.appendToolResult({ call, outcome: outcome as Outcome });
  world.raw.set(entry.uuid, given);
}

type Outcome = { status: 'ok' | 'error'; text: string; kind: ToolResultKind; display: { title: string } };

function callOf(world: World, op: { readonly sameIds: boolean; readonly badArguments: boolean }): ToolCall {
  const id = op.sameIds ? 'call_0' : `call_${world.calls++}`;
  const name = ['Read', 'Bash', 'Grep', 'Edit'][world.calls % 4] ?? 'Read';
  const input = JSON.stringify({ path: `src/${world.calls % 7}.ts`, pattern: '\ud83d "x"' });
  if (!op.badArguments) return { id, name, arguments: input };
  return { id, name, arguments: '{}', rawArguments: '{"path": ', invalid: 'not JSON' };
}

function replyOf(
  world: World,
  content: string,
  toolCalls: readonly ToolCall[],
  reasoning: TextSpec | null,
): Reply {
  const thought = reasoning === null ? '' : textOf(reasoning);
  return {
    message: {
      role: 'assistant',
      content,
      ...(thought === '' ? {} : { reasoning: { field: 'reasoning_content', text: thought } }),
      toolCalls,
    },
    finishReason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
    ...usageOf(world),
  };
}

/** The usage that the server reports for the last request. */
function usageOf(world: World): Pick<Reply, 'usage'> {
  const { usage } = world.program.server;
  const inputTokens = world.lastTrueTokens;
  world.lastTrueTokens = undefined;
  if (usage === 'none' || inputTokens === undefined) return {};
  const reported = usage === 'true' ? inputTokens : (inputTokens * 7 + world.calls * 13) % 50_000;
  return { usage: { inputTokens: reported, outputTokens: 20 } };
}
