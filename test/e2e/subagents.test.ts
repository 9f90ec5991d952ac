/** Subagents, from the model's call to the screen, the log and what a crash leaves. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JSONLEntry } from '../../src/protocol/entries.ts';
import { keys } from '../ui/screen.ts';
import type { WireRequest } from './support/server.ts';
import { type Stage, setStage } from './support/stage.ts';
import { textOf } from './support/wire.ts';

/** A request of a subagent for this task. */
const isOf = (request: WireRequest, task: string): boolean =>
  request.messages.some((message) => message.role === 'user' && textOf(message).includes(task));

const agentCall = (agent: string, description: string, prompt: string, more: object = {}) => ({
  name: 'Agent',
  input: { subagent_type: agent, description, prompt, ...more },
});

/** The logs of the subagents of this repository's only session, by id. */
async function childLogs({ work }: Stage): Promise<Record<string, JSONLEntry[]>> {
  const [session] = await work.sessions();
  if (session === undefined) throw new Error('there is no session');
  const folder = join(session.file, '..', 'agents', session.entries[0]?.sessionId ?? '');
  const files = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  return Object.fromEntries(
    files.map((name) => [
      name.replace('.jsonl', ''),
      readFileSync(join(folder, name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as JSONLEntry),
    ]),
  );
}

test('a subagent works in a session of its own, and only its message comes back', async () => {
  const stage = await setStage();
  const { server, ready } = stage;
  server.script(
    { calls: [agentCall('explore', 'find the entry', 'Where does the package begin?')] },
    { calls: [{ name: 'Read', input: { file_path: 'package.json' } }] },
    { text: 'It begins in index.js.' },
    { text: 'So index.js it is.' },
  );
  const terminal = await ready();
  await terminal.submit('look around');
  await terminal.waitFor('So index.js it is.');
  await terminal.waitForIdle();
  expect(terminal.everything()).toMatch(
    /● Agent\(explore: find the entry\) {2}2 steps · [\d.]+k tokens · \d+ s/,
  );
  const [first, child, , last] = server.requests();
  expect(first?.tools?.map((tool) => tool.function.name)).toContain('Agent');
  const offered = child?.tools?.map((tool) => tool.function.name) ?? [];
  expect(offered).toContain('Grep');
  expect(offered).not.toContain('Agent');
  expect(offered).not.toContain('Edit');
  expect(child !== undefined && isOf(child, 'Where does the package begin?')).toBe(true);
  expect(JSON.stringify(child?.messages)).not.toContain('look around');
  expect(textOf(last?.messages.at(-1))).toMatch(/^It begins in index\.js\.\n\n\(explore a1: 2 steps, /);

  const { a1 = [] } = await childLogs(stage);
  expect(a1[0]?.data).toMatchObject({ configuration: { subagent: { agent: 'explore' } } });
  expect(a1.flatMap((entry) => entry.toolResult?.name ?? [])).toEqual(['Read']);
  const [session] = await stage.work.sessions();
  const spent = session?.entries.filter(({ subtype }) => subtype === 'usage') ?? [];
  expect(spent.map((entry) => entry.message.usage?.input_tokens)).toHaveLength(2);
  // It is no session of its own.
  expect((await stage.print(['session', 'list'])).stdout).not.toContain('a1');

  await terminal.press(keys.ctrl('o'));
  await terminal.waitFor('Read(package.json)');
});
