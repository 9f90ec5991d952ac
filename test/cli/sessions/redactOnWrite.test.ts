/**
 * Two hundred secrets through a whole session: prompts, arguments, outputs, replies, summaries, files.
 *
 * @module-tag long
 */
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDebugLog } from '../../../src/cli/process/debugLog.ts';
import { prefetchEnvironment } from '../../../src/cli/process/environment.ts';
import { createSessionFactory } from '../../../src/cli/sessionFactory.ts';
import { loadSettings } from '../../../src/config/loadSettings.ts';
import { LogPages } from '../../../src/context/index.ts';
import { exportSession } from '../../../src/export/exportSession.ts';
import { exportFormats } from '../../../src/export/types.ts';
import { createHistoryFile } from '../../../src/ui/input/history.ts';
import { type WireAnswer, wireServer } from '../../agent/wireServer.ts';
import { meta } from '../../export/session.ts';
import { syntheticSecrets } from '../../redact/syntheticSecrets.ts';

const OWN_KEY = 'the-key-of-this-endpoint-0';
const PER_TURN = 25;
const secrets = syntheticSecrets(200, 'session');
const turns = Array.from({ length: secrets.length / PER_TURN }, (_, turn) =>
  secrets.slice(turn * PER_TURN, (turn + 1) * PER_TURN),
);
const textOf = (turn: number): string => (turns[turn] ?? []).map(({ text }) => text).join('\n');

/** Runs it and returns the data folder, the requests, and the session's log. */
async function wholeSession(redactOnWrite: boolean) {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'clawdcode-secrets-')));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  const root = join(home, 'project');
  const dataRoot = join(home, '.clawdcode');
  await mkdir(root);
  await mkdir(dataRoot);
  const settings = { sessions: { redactOnWrite, titles: false }, context: { summary: 'smart' } };
  await writeFile(join(dataRoot, 'config.json'), JSON.stringify(settings));
  let turn = 0;
  let plan: WireAnswer[] = [];
  const server = await wireServer((body) =>
    body.tool_choice === 'none'
      ? {
          text: `1. Primary request and intent: use these.\n${textOf(turn)}\n2. Key technical decisions: none.`,
        }
      : (plan.shift() ?? { text: `You gave me:\n${textOf(turn)}`, reasoning: textOf(turn) }),
  );
  const loaded = await loadSettings({
    dataRoot,
    home,
    root,
    env: {},
    trusted: true,
    flags: { baseUrl: server.baseUrl },
  });
  const debug = createDebugLog(dataRoot, true, () => new Date());
  const factory = createSessionFactory({
    place: { cwd: root, root, home, dataRoot, packageRoot: home, version: '1.0.0', env: process.env },
    loaded,
    apiKey: OWN_KEY,
    model: 'test-model',
    modelForced: false,
    demo: false,
    interactive: true,
    debug,
    environment: prefetchEnvironment({ root, cwd: root, env: process.env }),
  });
  const { agent, file = '' } = await factory.open({ type: 'new' });
  const history = createHistoryFile(join(dataRoot, 'history', 'p.jsonl'), debug.textOf);
  agent.submit({ type: 'set_mode', mode: 'bypassPermissions' });
  for (turn = 0; turn < turns.length; turn++) {
    // As large as outputs that do not fit into a result: the full text is stored next to the log as it streams.
    const filler = `line of ordinary output ${turn}\n`.repeat(turn % 3 === 0 ? 3_000 : 20);
    await writeFile(join(root, `seen${turn}.txt`), `${filler}${textOf(turn)}\n${filler}`);
    plan = [
      {
        text: textOf(turn),
        calls: [{ name: 'Bash', input: { command: `cat seen${turn}.txt`, description: textOf(turn) } }],
      },
      { calls: [{ name: 'Write', input: { file_path: `made${turn}.txt`, content: textOf(turn) } }] },
      {
        calls: [{ name: 'Bash', input: { command: `cp made${turn}.txt copy${turn}.txt; echo ${OWN_KEY}` } }],
      },
      { calls: [{ name: 'Read', input: { file_path: `made${turn}.txt` } }] },
    ];
    await history.add(`Use these:\n${textOf(turn)}`);
    debug.write(`what went wrong: ${textOf(turn)}`);
    agent.submit({ type: 'prompt', text: `Use these, and ${OWN_KEY}:\n${textOf(turn)}` });
    await agent.idle();
    if (turn % 3 === 2) {
      agent.submit({ type: 'compact' });
      await agent.idle();
    }
  }
  await agent.close();
  return { dataRoot, root, server, file };
}

/** Every file in a folder as text, one byte per character. */
async function filesBelow(folder: string): Promise<{ readonly name: string; readonly text: string }[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    names
      .filter((one) => one.isFile())
      .map(async (one) => {
        const name = join(one.parentPath, one.name);
        return { name, text: await readFile(name, 'latin1') };
      }),
  );
}

/** The secrets that a text contains, verbatim or as in JSON. */
function secretsIn(text: string): string[] {
  return [...secrets.map(({ secret }) => secret), OWN_KEY].filter(
    (secret) => text.includes(secret) || text.includes(JSON.stringify(secret).slice(1, -1)),
  );
}

test('with sessions.redactOnWrite, no secret reaches the disk', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  const { dataRoot, root, server } = await wholeSession(true);
  const files = await filesBelow(dataRoot);
  expect(files.flatMap(({ name, text }) => secretsIn(text).map((secret) => `${name}: ${secret}`))).toEqual(
    [],
  );
  // All of it happened: originals, checkpoints and summaries exist, and tools saw the real values.
  const log = files.find(({ name }) => name.endsWith('.jsonl') && name.includes('/projects/'))?.text ?? '';
  expect(log).toContain('"subtype":"checkpoint"');
  expect(log).toContain('"isCompactSummary":true');
  expect(log).toContain('"original":{"hash"');
  expect(files.filter(({ name }) => name.includes('/blobs/')).length).toBeGreaterThan(1);
  expect(files.some(({ name }) => name.includes('/logs/'))).toBe(true);
  for (const turn of turns.keys()) {
    expect(await readFile(join(root, `copy${turn}.txt`), 'utf8')).toBe(textOf(turn));
    // Only the prompt and the current request could have been sent unredacted, since requests are built from the log.
    expect(server.bodies.at(-1)).not.toContain(turns[turn]?.[0]?.secret);
  }
});

test('without it, secrets are on disk, but in no export', { tags: 'long', timeout: 120_000 }, async () => {
  const { file } = await wholeSession(false);
  const log = await readFile(file, 'latin1');
  expect(secretsIn(log).length).toBe(secrets.length + 1);
  for (const format of exportFormats) {
    let text = '';
    const entries = new LogPages(file).range(0, Number.POSITIVE_INFINITY);
    for await (const piece of exportSession(entries, { format, meta, own: [OWN_KEY] })) text += piece;
    expect(text.length).toBeGreaterThan(50_000);
    expect([format, secretsIn(text)]).toEqual([format, []]);
  }
});
