/**
 * Signed and encrypted reasoning in whole sessions: sent back byte for byte to the model that wrote it, or not at all.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { BlobStore } from '../../../src/context/index.ts';
import { rebuildRequest, requestsIn } from '../../../src/context/request/rebuildRequest.ts';
import { createModelClient } from '../../../src/model/createModelClient.ts';
import { rebuildBody } from '../../../src/model/wires/rebuildBody.ts';
import type { ModelClient } from '../../../src/protocol/models/model.ts';
import { ok, smallTool } from '../../agent/smallTools.ts';
import { readLog, startAgent } from '../../agent/testAgent.ts';
import { type WireAnswer, wireServer } from '../../agent/wireServer.ts';
import { anthropicServer } from './anthropicServer.ts';
import { responsesServer } from './responsesServer.ts';

const read = smallTool('Read', { readOnly: true, run: () => ok('what it says') });
const info = { returnsReasoning: true };

/** One wire: its server, and the reasoning in a body, each item as JSON. */
interface Wire {
  readonly name: 'responses' | 'anthropic';
  readonly serve: (answer: (index: number, isSummary: boolean) => WireAnswer) => Promise<{
    readonly baseUrl: string;
    readonly received: readonly { readonly text: string }[];
    readonly refused: readonly string[];
  }>;
  readonly reasoningIn: (body: string) => readonly string[];
}

const wires: readonly Wire[] = [
  {
    name: 'responses',
    serve: (answer) => responsesServer((body, index) => answer(index, body.tool_choice === 'none')),
    reasoningIn: (body) =>
      body.match(/\{"id":"rs_\d+","type":"reasoning".*?"encrypted_content":"[^"]*"\}/gs) ?? [],
  },
  {
    name: 'anthropic',
    serve: (answer) =>
      anthropicServer(
        (
          body,
          index, // As many tokens as any reply of this model may have, unless it is a summary.
        ) => answer(index, body.max_tokens !== 8192),
      ),
    reasoningIn: (body) => body.match(/\{"type":"thinking","thinking":.*?,"signature":"[^"]*"\}/gs) ?? [],
  },
];

const answers: readonly WireAnswer[] = [
  { reasoning: 'I "should" look. é', text: 'Let me look.', calls: [{ name: 'Read', input: { path: 'a' } }] },
  { reasoning: 'It is clear.', text: 'It says so.' },
  { text: 'Still so.' },
];

describe.each(wires)('$name', ({ name, serve, reasoningIn }) => {
  const clientOf = (baseUrl: string): ModelClient => createModelClient(name, { apiKey: 'k', baseUrl });

  test('the next step, the next turn and a resumed session send reasoning back byte for byte, in its place', async () => {
    const server = await serve((index) => answers[index] ?? {});
    const first = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info });
    await first.ask('What does it say?');
    const file = first.context.filePath() ?? '';
    const { sessionId } = first.agent.state();
    await first.agent.close();
    const resume = { folder: first.folder, sessionId };
    const again = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info, resume });
    await again.ask('And now?');
    expect(again.lines().at(-1)).toBe('turn_ended done after 1');
    expect(server.refused).toEqual([]);
    const sent = server.received.map(({ text }) => reasoningIn(text));
    expect(sent.map(({ length }) => length)).toEqual([0, 1, 2]);
    expect(sent[2]?.[0]).toBe(sent[1]?.[0]);
    const body = server.received[2]?.text ?? '';
    const order = [
      'What does it say?',
      sent[2]?.[0] ?? '',
      'Let me look.',
      '"Read"',
      'what it says',
      sent[2]?.[1] ?? '',
    ];
    const places = order.map((part) => body.indexOf(part));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);

    const entries = await readLog(file);
    const requests = requestsIn(entries);
    expect(requests).toHaveLength(3);
    for (const [index, { seq }] of requests.entries()) {
      const rebuilt = await rebuildRequest({ entries, readBlob: async () => undefined }, seq);
      const [one] = rebuilt?.sent ?? [];
      expect(rebuilt && one && rebuildBody(rebuilt.request, one)).toBe(server.received[index]?.text);
    }
  });

  test('another model, and another endpoint, get the calls without the reasoning', async () => {
    const server = await serve((index) => answers[index] ?? { text: 'Yes.' });
    const first = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info });
    await first.ask('What does it say?');
    await first.run({ type: 'set_model', model: 'another' });
    await first.ask('And now?');
    expect(server.refused).toEqual([]);
    expect(JSON.parse(server.received[2]?.text ?? '{}').model).toBe('another');
    expect(reasoningIn(server.received[2]?.text ?? '')).toEqual([]);
    expect(server.received[2]?.text).toContain('what it says');
    const { sessionId } = first.agent.state();
    await first.agent.close();
    const elsewhere = await serve(() => ({ text: 'Here.' }));
    const resume = { folder: first.folder, sessionId };
    const again = await startAgent({ client: clientOf(elsewhere.baseUrl), tools: [read], info, resume });
    await again.ask('And here?');
    expect(elsewhere.refused).toEqual([]);
    expect(reasoningIn(elsewhere.received[0]?.text ?? '')).toEqual([]);
    expect(elsewhere.received[0]?.text).toContain('what it says');
  });

  test('reasoning that was changed in the log is left out', async () => {
    const server = await serve((index) => answers[index] ?? { text: 'Yes.' });
    const first = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info });
    await first.ask('What does it say?');
    const file = first.context.filePath() ?? '';
    const { sessionId } = first.agent.state();
    await first.agent.close();
    const log = await readFile(file, 'utf8');
    // As after redaction; a line without its checksum is read as well.
    const changed = log
      .split('\n')
      .map((line) => (line.includes('"items"') ? redactedLine(line) : line))
      .join('\n');
    expect(changed).not.toBe(log);
    await writeFile(file, changed);
    const resume = { folder: first.folder, sessionId };
    const again = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info, resume });
    await again.ask('And now?');
    expect(server.refused).toEqual([]);
    expect(reasoningIn(server.received.at(-1)?.text ?? '')).toEqual([]);
    expect(server.received.at(-1)?.text).toContain('It says so.');
  });

  test('a session continues on chat completions, and a session from there continues here', async () => {
    const server = await serve((index) => answers[index] ?? { text: 'Yes.' });
    const first = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info });
    await first.ask('What does it say?');
    const { sessionId } = first.agent.state();
    await first.agent.close();
    const chat = await wireServer(() => ({ reasoning: 'Chat thoughts.', calls: [], text: 'From chat.' }));
    const resume = { folder: first.folder, sessionId };
    const factsOf = () => ({ returnsReasoning: true });
    const client = createModelClient('chat', { apiKey: 'k', baseUrl: chat.baseUrl, factsOf });
    const second = await startAgent({ client, tools: [read], info, resume });
    await second.ask('On chat?');
    expect(chat.bodies[0]).toContain('what it says');
    expect(chat.bodies[0]).not.toMatch(/should.*look\. é|signature|encrypted/);
    await second.agent.close();
    const third = await startAgent({ client: clientOf(server.baseUrl), tools: [read], info, resume });
    await third.ask('Back?');
    expect(third.lines().at(-1)).toBe('turn_ended done after 1');
    expect(server.refused).toEqual([]);
    const body = server.received.at(-1)?.text ?? '';
    expect(reasoningIn(body)).toHaveLength(2);
    expect(body).toContain('From chat.');
    expect(body).not.toContain('Chat thoughts.');
  });

  test('after a compaction, two switches and a resume, each model gets its own reasoning byte for byte', async () => {
    // Exactly as the server sent it: the next request to the same model contains it.
    const server = await serve((index, isSummary) =>
      isSummary
        ? { text: SUMMARY }
        : { reasoning: `Thought "${index}" é\\n\u2028 </x>.`, text: `Answer ${index}.` },
    );
    const open = (resume?: { readonly folder: string; readonly sessionId: string }) =>
      startAgent({ client: clientOf(server.baseUrl), tools: [read], info, ...(resume && { resume }) });
    const last = (): string => server.received.at(-1)?.text ?? '';
    /** The parts of the last body that contain a reply's reasoning. */
    const thoughtOf = (index: number): readonly string[] =>
      reasoningIn(last()).filter((item) => item.includes(`Thought \\"${index}\\"`));
    const first = await open();
    const replyTo = async (set: typeof first, prompt: string): Promise<number> => {
      await set.ask(prompt);
      return server.received.length - 1;
    };
    await replyTo(first, 'One');
    await first.run({ type: 'compact' });
    const kept = await replyTo(first, 'Two');
    await replyTo(first, 'Three');
    const [asSent = ''] = thoughtOf(kept);
    expect(asSent).not.toBe('');
    await first.run({ type: 'set_model', model: 'another' });
    const other = await replyTo(first, 'Four');
    expect(reasoningIn(last())).toEqual([]);
    await replyTo(first, 'Five');
    const [othersAsSent = ''] = thoughtOf(other);
    expect(othersAsSent).not.toBe('');
    expect(thoughtOf(kept)).toEqual([]);
    await first.run({ type: 'set_model', model: 'test-model' });
    await replyTo(first, 'Six');
    expect(thoughtOf(kept)).toEqual([asSent]);
    expect(thoughtOf(other)).toEqual([]);
    const { sessionId } = first.agent.state();
    await first.agent.close();
    const again = await open({ folder: first.folder, sessionId });
    await replyTo(again, 'Seven');
    expect(thoughtOf(kept)).toEqual([asSent]);
    await again.run({ type: 'compact' });
    await again.run({ type: 'set_model', model: 'another' });
    await replyTo(again, 'Eight');
    expect(thoughtOf(kept)).toEqual([]);
    expect(server.refused).toEqual([]);
  });

  test('through compactions, rewinds and other models no request is rejected, and all are rebuilt from the log', async () => {
    const server = await serve((index, isSummary) => {
      if (isSummary) return { text: SUMMARY };
      if (index % 3 === 2) return { reasoning: `Because of ${index}.`, text: `Answer ${index}.` };
      const calls = [{ name: 'Read', input: { name: `f${index}` } }];
      return {
        reasoning: `Hm ${index}.`,
        text: 'Reading.',
        calls: index % 2 === 0 ? [...calls, ...calls] : calls,
      };
    });
    const set = await startAgent({
      client: clientOf(server.baseUrl),
      tools: [longRead],
      info,
      windowTokens: 16_000,
    });
    for (let round = 0; round < 10; round++) {
      await set.ask(`Round ${round}: please look at file ${round} and never change src/secret-${round}.ts`);
      if (round === 3) await set.run({ type: 'compact' });
      if (round === 4) await set.run({ type: 'uncompact' });
      if (round === 5) await set.run({ type: 'set_model', model: 'another' });
      if (round === 6) await set.run({ type: 'compact' });
      if (round === 7) await set.run({ type: 'set_model', model: 'test-model' });
    }
    expect(server.refused).toEqual([]);
    const bodies = server.received.map(({ text }) => text);
    expect(bodies.length).toBeGreaterThan(20);
    expect(bodies.filter((body) => reasoningIn(body).length > 2).length).toBeGreaterThan(2);
    const entries = await readLog(set.context.filePath() ?? '');
    expect(entries.filter(({ subtype }) => subtype === 'compact_boundary').length).toBeGreaterThan(1);
    const blobs = new BlobStore((set.context.filePath() ?? '').replace(/[^/]+$/, 'blobs'));
    const again = new Set<string>();
    for (const { seq } of requestsIn(entries)) {
      const rebuilt = await rebuildRequest({ entries, readBlob: (hash) => blobs.read({ hash }) }, seq);
      for (const sent of rebuilt?.sent ?? [])
        if (rebuilt !== undefined) again.add(rebuildBody(rebuilt.request, sent));
    }
    expect(bodies.filter((body) => !again.has(body))).toEqual([]);
  });
});

const SUMMARY = `1. Primary request and intent: keep the parser working.
2. Key technical decisions: none.
3. Files modified: src/a.ts.
4. Errors encountered and fixes: none.
5. Current work status: tests pass.
6. Pending tasks: none.`;

const longRead = smallTool('Read', {
  readOnly: true,
  run: ({ name = 'a' }) =>
    ok(Array.from({ length: 60 }, (_, at) => `${at} const ${name}${at} = ${at * 7};`).join('\n')),
});

function redactedLine(line: string): string {
  const entry = JSON.parse(line) as {
    message: { reasoning: { items: Record<string, unknown>[] } };
    sum?: string;
  };
  entry.message.reasoning.items = entry.message.reasoning.items.map((item) => ({
    ...item,
    ...('signature' in item ? { signature: '[secret]' } : {}),
    ...('encrypted_content' in item ? { encrypted_content: '[secret]' } : {}),
  }));
  return JSON.stringify(entry);
}
