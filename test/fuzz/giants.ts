/** Outputs larger than any window: a single line of hundreds of megabytes, as text and as a stream to disk. */
import { prompt } from './apply.ts';
import { demand } from './check.ts';
import { addCounts, type Counts, noCounts } from './counts.ts';
import type { Program } from './program.ts';
import { recallPart } from './recalls.ts';
import { inFolder } from './run.ts';
import { send } from './send.ts';
import type { World } from './World.ts';

const WINDOWS = [8000, 128_000, 1_000_000];

export async function runGiants(folder: string, bytes: number, total: Counts): Promise<void> {
  for (const windowTokens of WINDOWS) {
    const counts = noCounts();
    await inFolder(programFor(windowTokens), folder, async (world) => {
      await world.create();
      await prompt(world, ['Read it.'], false);
      await giant(world, 'asText', bytes, counts);
      await giant(world, 'asStream', bytes, counts);
    });
    counts.programs++;
    addCounts(total, counts);
  }
}

const programFor = (windowTokens: number): Program => ({
  model: { windowTokens, tokenizer: 'o200k_base', returnsReasoning: false, hasOneSlot: false },
  server: { factor: 1, windowShare: 1, namesWindow: true, usage: 'true' },
  settings: {},
  countsExactly: true,
  instructions: { kind: 'words', size: 100, seed: 1 },
  behaviours: [],
  ops: [],
});

async function giant(world: World, how: 'asText' | 'asStream', bytes: number, counts: Counts): Promise<void> {
  const { context } = world;
  const call = { id: `call_${world.calls++}`, name: 'Bash', arguments: '{"command":"cat dump"}' };
  const message = { role: 'assistant' as const, content: '', toolCalls: [call] };
  await context.appendReply({ message, finishReason: 'tool_calls' });
  const line = 'x1;'.repeat(Math.ceil(bytes / 3)).slice(0, bytes);
  const outcome = { status: 'ok' as const, kind: 'command' as const, display: { title: 'cat dump' } };
  const entry =
    how === 'asText'
      ? await context.appendToolResult({ call, outcome: { ...outcome, text: line } })
      : await context.appendToolResult({
          call,
          outcome: { ...outcome, text: line.slice(0, 30_000), original: await streamed(world, line) },
        });
  counts.operations++;
  await send(world, counts);
  const at = bytes - 10;
  const end = await recallPart(world, `#${entry.seq}`, at);
  demand(end.equals(Buffer.from(line.slice(at))), 'The end of what is huge can be read.', () => how);
  counts.recalled++;
}

async function streamed(world: World, line: string) {
  const sink = world.context.openBlob();
  const CHUNK = 4_000_000;
  for (let at = 0; at < line.length; at += CHUNK) sink.write(line.slice(at, at + CHUNK));
  return sink.finish();
}
