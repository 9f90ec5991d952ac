import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BlobStore } from '../../src/context/index.ts';
import { rebuildRequest, requestsIn } from '../../src/context/request/rebuildRequest.ts';
import { bodyHash } from '../../src/model/wires/chat/body.ts';
import { createOpenAIClient } from '../../src/model/wires/chat/client.ts';
import { rebuildBody } from '../../src/model/wires/rebuildBody.ts';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import type { Op } from '../../src/protocol/ops.ts';
import { dataOf } from '../madeUpEntry.ts';
import { smallTool } from './smallTools.ts';
import { type Given, readLog, startAgent, type TestAgent } from './testAgent.ts';
import { type WireAnswer, type WireServer, wireServer } from './wireServer.ts';

const SUMMARY = `1. Primary request and intent: keep the parser working.
2. Key technical decisions: none.
3. Files modified: src/a.ts.
4. Errors encountered and fixes: none.
5. Current work status: tests pass.
6. Pending tasks: none.`;

/** Every body that can be rebuilt from the log, by its hash. */
async function rebuilt(
  entries: readonly JSONLEntry[],
  readBlob: (hash: string) => Promise<Uint8Array | undefined>,
) {
  const bodies = new Map<string, string>();
  for (const { seq } of requestsIn(entries)) {
    const again = await rebuildRequest({ entries, readBlob }, seq);
    for (const sent of again?.sent ?? []) {
      if (again !== undefined) bodies.set(sent.hash, rebuildBody(again.request, sent));
    }
  }
  return bodies;
}

/** Expects the log file alone, as after a restart, to rebuild exactly the received bodies. */
async function expectAllRebuilt(file: string, server: WireServer): Promise<void> {
  const blobs = new BlobStore(file.replace(/[^/]+$/, 'blobs'));
  const bodies = await rebuilt(await readLog(file), (hash) => blobs.read({ hash }));
  for (const [index, body] of server.bodies.entries()) {
    expect(bodies.get(bodyHash(body)) ?? 'not in the log', `request ${index}`).toBe(body);
  }
  expect(bodies.size).toBe(new Set(server.bodies).size);
}

const read = smallTool('Read', {
  readOnly: true,
  run: ({ lines = 10, name = 'a' }) => ({
    status: 'ok',
    text: Array.from(
      { length: Number(lines) },
      (_, line) => `${line} const ${name}${line} = "値 😀 ${line * 7}";`,
    ).join('\n'),
    kind: 'file',
    display: { title: `Read ${name}` },
  }),
});

async function wired(server: WireServer, given: Given = {}): Promise<TestAgent> {
  const client = createOpenAIClient({ apiKey: undefined, baseUrl: server.baseUrl });
  return startAgent({ client, tools: [read], ...given });
}

const fileOf = ({ context }: TestAgent): string => context.filePath() ?? '';

/** Submits an op outside a turn and waits until it is done: its last event is a measurement. */
async function measured(set: TestAgent, op: Op): Promise<void> {
  const before = set.events.length;
  set.agent.submit(op);
  while (!set.events.slice(before).some(({ type }) => type === 'context_measured'))
    await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Answers summary requests with a summary and others with `answer`. */
const usual =
  (answer: (index: number) => WireAnswer) =>
  (body: { readonly tool_choice?: string }, index: number): WireAnswer =>
    body.tool_choice === 'none' ? { text: SUMMARY } : answer(index);

test('a turn with calls is rebuilt byte for byte, with its tools recorded once', async () => {
  const server = await wireServer(
    usual((index) =>
      index < 3 ? { calls: [{ name: 'Read', input: { lines: 40, name: `f${index}` } }] } : { text: 'Done.' },
    ),
  );
  const { ask, ...set } = await wired(server);
  await ask('Look at the files, s’il te plaît 😀');
  await ask('And again');
  expect(server.bodies).toHaveLength(5);
  await expectAllRebuilt(fileOf({ ask, ...set }), server);
  const entries = await readLog(fileOf({ ask, ...set }));
  expect(entries.filter(({ subtype }) => subtype === 'tools')).toHaveLength(1);
});

test('the record of a request is small', async () => {
  const server = await wireServer(usual(() => ({ text: 'Done.' })));
  const set = await wired(server);
  await set.ask(`Think about ${'a long story '.repeat(2000)}`);
  await set.ask('Go on');
  const [first, second] = requestsIn(await readLog(fileOf(set)));
  expect(JSON.stringify(dataOf(first).request).length).toBeLessThan(200);
  expect(JSON.stringify(dataOf(second).request).length).toBeLessThan(200);
});

test('failed attempts, a rejected field and an interrupted reply are rebuilt', async () => {
  const server = await wireServer((body, index) => {
    if (body.stream_options !== undefined)
      return { error: { status: 400, message: 'stream_options: extra fields not permitted' } };
    if (index === 1) return { error: { status: 500, message: 'try again' } };
    if (index === 3) return { error: { status: 401, message: 'no such key' } };
    if (index === 4) return { text: 'half a ', hangs: true };
    if (index === 5) return { hangs: true };
    return { text: 'Done.' };
  });
  const set = await wired(server);
  await set.ask('first');
  await set.ask('fails');
  set.when(
    (event) => event.type === 'text_delta',
    () => set.agent.submit({ type: 'interrupt' }),
  );
  await set.ask('interrupted in the middle');
  const asked = set.ask('interrupted before a word');
  while (server.bodies.length < 6) await new Promise((resolve) => setTimeout(resolve, 5));
  set.agent.submit({ type: 'interrupt' });
  await asked;
  await set.ask('last');
  const entries = await readLog(fileOf(set));
  await expectAllRebuilt(fileOf(set), server);
  expect(entries.filter((entry) => entry.subtype === 'request').map(({ data }) => data?.outcome)).toEqual([
    'auth',
    'interrupted',
  ]);
});

test('compactions, undoing them, pins, another model and another mode are all rebuilt', {
  tags: 'long',
}, async () => {
  const server = await wireServer(
    usual((index) =>
      index % 3 === 2
        ? { text: `Answer ${index}.`, reasoning: `Because of ${index}.` }
        : {
            text: 'Reading.',
            reasoning: 'Hm.',
            calls: [{ name: 'Read', input: { lines: 60 + (index % 5) * 30, name: `f${index}` } }],
          },
    ),
  );
  const set = await wired(server, { windowTokens: 16_000, info: { returnsReasoning: true } });
  for (let round = 0; round < 12; round++) {
    await set.ask(`Round ${round}: please look at file ${round} and never change src/secret-${round}.ts`);
    const items = set.agent.items();
    const item = items[Math.floor(items.length / 2)];
    if (round === 2 && item !== undefined)
      await set.run({ type: 'edit_item', edit: { action: 'pin', uuid: item.uuid } });
    if (round === 3) await set.run({ type: 'compact', focus: 'the files' });
    if (round === 4) await set.run({ type: 'uncompact' });
    if (round === 5) await set.run({ type: 'set_model', model: 'deepseek-reasoner' });
    if (round === 6) await set.run({ type: 'compact', preview: true });
    if (round === 7) await set.run({ type: 'compact' });
    if (round === 9) await set.run({ type: 'set_mode', mode: 'plan' });
  }
  expect(server.bodies.length).toBeGreaterThan(30);
  expect(server.bodies.filter((body) => body.includes('"tool_choice":"none"')).length).toBeGreaterThanOrEqual(
    2,
  );
  await expectAllRebuilt(fileOf(set), server);
});

test('a request for a summary with files is rebuilt, even after the files have changed', {
  tags: 'long',
}, async () => {
  const server = await wireServer(
    usual((index) =>
      index % 6 === 5
        ? { text: `Answer ${index}.` }
        : { text: 'Reading.', calls: [{ name: 'Read', input: { name: `f${index % 4}`, lines: 90 } }] },
    ),
  );
  const set = await wired(server, { windowTokens: 16_000 });
  for (let index = 0; index < 4; index++)
    await writeFile(join(set.root, `f${index}.ts`), `export const f${index} = "値 😀";\n`.repeat(60));
  for (let round = 0; round < 8; round++) {
    await set.ask(`Round ${round}: look at f0.ts and f1.ts, and at f0.ts again`);
    if (round === 4) await set.run({ type: 'compact' });
  }
  const asked = server.bodies.filter((body) => body.includes('"tool_choice":"none"'));
  expect(asked.length).toBeGreaterThanOrEqual(2);
  expect(asked.filter((body) => body.includes('### f0.ts')).length).toBe(asked.length);
  const file = fileOf(set);
  await writeFile(join(set.root, 'f0.ts'), 'changed');
  await set.agent.close();
  await expectAllRebuilt(file, server);
});

test('a title request is recorded once and rebuilt', async () => {
  const server = await wireServer((body) => ({ text: 'tools' in body ? 'Done.' : 'Parser repair' }));
  const set = await wired(server, { titles: true });
  const named = set.until((event) => event.type === 'entry' && event.entry.subtype === 'title');
  await set.ask('Repair the parser, please');
  await named;
  expect(server.bodies).toHaveLength(2);
  await expectAllRebuilt(fileOf(set), server);
});

test('a request that was too long, images, and a change of date are rebuilt', async () => {
  const server = await wireServer(
    usual((index) =>
      index === 6
        ? {
            error: {
              status: 400,
              code: 'context_length_exceeded',
              message: "This model's maximum context length is 9000 tokens.",
            },
          }
        : index % 2 === 0
          ? { calls: [{ name: 'Read', input: { lines: 120, name: `f${index}` } }] }
          : { text: `Answer ${index}.` },
    ),
  );
  const set = await wired(server);
  const image = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
  await set.run({ type: 'prompt', text: 'What is this?', images: [image] });
  await set.ask('two');
  await set.ask('three');
  await set.ask('four: too long');
  const file = fileOf(set);
  const sessionId = set.agent.state().sessionId;
  await set.agent.close();
  const later = await wired(server, {
    resume: { folder: set.folder, sessionId },
    tools: [read, smallTool('Write')],
  });
  await later.context.append({
    type: 'user',
    subtype: 'environment',
    message: { role: 'user', content: 'The session goes on at a later time.' },
  });
  await later.ask('the next day, with another tool');
  await expectAllRebuilt(file, server);
  const outcomes = (await readLog(file))
    .filter((entry) => entry.subtype === 'request')
    .map(({ data }) => data?.outcome);
  expect(outcomes).toContain('overflow');
});

test('every request of a long session is rebuilt', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const step = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        type: fc.constant('ask' as const),
        lines: fc.integer({ min: 1, max: 200 }),
        calls: fc.integer({ min: 0, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(
          'compact',
          'uncompact',
          'preview',
          'model',
          'pin',
          'drop',
          'restore',
          'fail',
          'stop',
          'resume',
          'rewind',
          'undo',
        )
        .map((type) => ({ type })),
    },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 12, maxLength: 30 }),
      fc.constantFrom('auto', 'summary', 'mask-only'),
      fc.boolean(),
      async (steps, strategy, isHeldInPart) => {
        let plan: WireAnswer[] = [];
        const server = await wireServer((body) =>
          body.tool_choice === 'none'
            ? { text: SUMMARY }
            : (plan.shift() ?? { text: 'Done.', reasoning: 'Enough.' }),
        );
        const given = {
          windowTokens: 12_000,
          settings: { strategy, threadSummary: 'on' },
          ...(isHeldInPart ? { wholeBytes: 20_000 } : {}),
        };
        let set = await wired(server, given);
        const { folder } = set;
        const file = fileOf(set);
        await mkdir(join(set.root, 'src'));
        for (const [index, one] of steps.entries()) {
          // Files that are named repeatedly, and keep changing, are included in summary requests.
          await writeFile(
            join(set.root, `src/f${index % 3}.ts`),
            `export const value = ${index};\n`.repeat(9),
          );
          const items = set.agent.items();
          const item = items[index % Math.max(1, items.length)];
          plan = [];
          if ('calls' in one) {
            plan = Array.from({ length: one.calls }, (_, call) => ({
              text: 'I look.',
              calls: [{ name: 'Read', input: { lines: one.lines, name: `f${index}_${call}` } }],
            }));
            await set.ask(
              `Step ${index}: ${'please '.repeat(one.lines % 9)}look, and keep src/f${index % 3}.ts as it is`,
            );
          } else if (one.type === 'compact') await set.run({ type: 'compact' });
          else if (one.type === 'uncompact') await set.run({ type: 'uncompact' });
          else if (one.type === 'preview') await set.run({ type: 'compact', preview: true });
          else if (one.type === 'model')
            await measured(set, { type: 'set_model', model: index % 2 === 0 ? 'gpt-5-mini' : 'local-model' });
          else if (one.type === 'fail') {
            plan = [{ error: { status: 500, message: 'no' } }, { text: 'half', cut: true }];
            await set.ask(`Step ${index} fails first`);
          } else if (one.type === 'stop') {
            plan = [{ text: 'half a reply', hangs: true }];
            set.when(
              (event) => event.type === 'text_delta',
              () => set.agent.submit({ type: 'interrupt' }),
            );
            await set.ask(`Step ${index} is stopped`);
          } else if (one.type === 'rewind') {
            const prompts = set.agent.entries().filter(({ subtype }) => subtype === 'prompt');
            const to = prompts[index % Math.max(1, prompts.length)]?.uuid;
            if (to !== undefined) await set.run({ type: 'rewind', to, scope: 'conversation' });
          } else if (one.type === 'undo') await set.run({ type: 'undo_rewind' });
          else if (one.type === 'resume') {
            const { sessionId } = set.agent.state();
            await set.agent.close();
            set = await wired(server, { ...given, resume: { folder, sessionId } });
          } else if (
            item !== undefined &&
            (one.type === 'pin' || one.type === 'drop' || one.type === 'restore')
          ) {
            await measured(set, { type: 'edit_item', edit: { action: one.type, uuid: item.uuid } });
          }
        }
        await set.agent.close();
        await expectAllRebuilt(file, server);
      },
    ),
    { numRuns: 5 },
  );
});
