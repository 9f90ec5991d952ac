/** A recorded session as a trace: its own prompts, replies and results, with the pauses that there were. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { TokenCounter } from '../../../src/context/index.ts';
import { type JSONLEntry, parseEntry } from '../../../src/protocol/entries.ts';
import type { ToolKind, Trace, TraceCall, TraceEvent } from './types.ts';

/** A pause shorter than this is the model thinking or a tool running. */
const LEAST_IDLE_MINUTES = 4;

/** Newest logs of a folder that are taken: each is run under every policy. */
const MOST_SESSIONS = 8;

/** The logs that a path names: a file itself, or the newest below a folder. */
export async function sessionFiles(path: string): Promise<readonly string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const names = (await readdir(path, { recursive: true })).filter((name) => name.endsWith('.jsonl'));
  const aged = await Promise.all(
    names.map(async (name) => ({ file: join(path, name), age: (await stat(join(path, name))).mtimeMs })),
  );
  return aged
    .sort((a, b) => b.age - a.age)
    .slice(0, MOST_SESSIONS)
    .map(({ file }) => file);
}

/** Reads the log of a session; lines that cannot be read are left out, as the product does. */
export async function readSession(file: string, windowTokens: number): Promise<Trace> {
  const lines = (await readFile(file, 'utf8')).split('\n');
  const entries = lines.flatMap((line) => parseEntry(jsonOf(line)) ?? []);
  const counter = new TokenCounter();
  const count = (text: string): number => counter.countText(text);
  const header = entries.find((entry) => entry.subtype === 'session_start');
  return {
    name: basename(file, '.jsonl').slice(0, 18),
    seed: 1,
    fixedTokens: Math.max(1000, count(header?.data?.systemPrompt ?? '')),
    windowTokens,
    prose: 'english',
    events: eventsOf(entries, count),
  };
}

function eventsOf(entries: readonly JSONLEntry[], count: (text: string) => number): TraceEvent[] {
  const results = new Map(
    entries.flatMap((entry) => (entry.toolResult ? [[entry.toolResult.id, entry] as const] : [])),
  );
  const events: TraceEvent[] = [];
  let last = Number.NaN;
  for (const [index, entry] of entries.entries()) {
    const isPrompt = entry.type === 'user' && entry.subtype === 'prompt';
    if (!isPrompt && entry.type !== 'assistant') continue;
    const minutes = (Date.parse(entry.timestamp) - last) / 60_000;
    if (minutes >= LEAST_IDLE_MINUTES) events.push({ type: 'idle', minutes });
    last = Date.parse(entry.timestamp);
    const text = textOf(entry.message.content);
    if (isPrompt) events.push({ type: 'prompt', tokens: count(text), text });
    else {
      const calls = callsAfter(entries, index).map((call) =>
        traceCall(call, results.get(call.tool?.id ?? ''), count),
      );
      events.push({ type: 'step', proseTokens: Math.max(1, count(text)), proseText: text, calls });
    }
  }
  return events;
}

/** The calls of a reply follow it in the log, before anything else is said. */
function callsAfter(entries: readonly JSONLEntry[], index: number): JSONLEntry[] {
  const calls: JSONLEntry[] = [];
  for (const entry of entries.slice(index + 1)) {
    if (entry.type === 'tool_use') calls.push(entry);
    else if (entry.type === 'assistant' || entry.type === 'user') break;
  }
  return calls;
}

const kinds: Readonly<Record<string, ToolKind>> = {
  Read: 'read',
  Edit: 'edit',
  Write: 'edit',
  Grep: 'grep',
  Glob: 'grep',
};

function traceCall(
  call: JSONLEntry,
  answer: JSONLEntry | undefined,
  count: (text: string) => number,
): TraceCall {
  const argumentText = call.tool?.arguments ?? '';
  const resultText = textOf(answer?.toolResult?.output);
  return {
    tool: kinds[call.tool?.name ?? ''] ?? 'bash',
    title: answer?.toolResult?.display?.title ?? call.tool?.name ?? 'call',
    argumentTokens: count(argumentText),
    resultTokens: Math.max(1, count(resultText)),
    failed: answer?.toolResult?.status === 'error',
    argumentText,
    resultText,
  };
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : content === undefined ? '' : JSON.stringify(content);
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
