/**
 * Sessions that earlier versions wrote open, resume, rewind and undo as they did then. The logs in `fixtures/logs` were
 * written by the program itself and are never changed; `expected.json` has what was made of them. After an intended
 * change, run with `UPDATE_GOLDEN=1` and read the diff.
 */
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isPrompt } from '../../src/context/history/atoms.ts';
import { ContextManager, PersistentStore, usageOfSession } from '../../src/context/index.ts';
import { contextSettingsSchema } from '../../src/protocol/settings/contextSettings.ts';
import { modelOf } from './harness.ts';

const fixtures = join(import.meta.dirname, 'fixtures/logs');
const expectedFile = join(fixtures, 'expected.json');
const updates = process.env.UPDATE_GOLDEN === '1';
const expected = JSON.parse(await readFile(expectedFile, 'utf8').catch(() => '{}')) as Record<string, Seen>;
const names = (await readdir(fixtures))
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.slice(0, -'.jsonl'.length));

/** The results for a log: texts as the first 16 hex digits of their SHA-256. */
interface Seen {
  /** Roles of the next request in order, and its messages. */
  readonly roles: string;
  readonly messages: string;
  /** Estimated tokens of each part. */
  readonly tokens: Readonly<Record<string, number>>;
  /** Entries in the file that belong to the conversation. */
  readonly live: string;
  /** Every item of the conversation with its state. */
  readonly items: string;
  /** The newest twenty. */
  readonly reductions: string;
  readonly learned: string;
  readonly damaged: number;
  readonly closedCalls: number;
  /** Messages after rewinding to before each prompt, oldest first; null if that is not possible. */
  readonly rewound: readonly (string | null)[];
}

const hash = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);

/** A copy of a log, opened; `wholeBytes: 0` opens it like one that is too large for memory. */
async function open(name: string, wholeBytes?: number) {
  const folder = await mkdtemp(join(tmpdir(), 'clawdcode-logs-'));
  const store = new PersistentStore({
    dataRoot: join(folder, 'data'),
    projectRoot: folder,
    programVersion: '1.0.0',
    ...(wholeBytes === undefined ? {} : { wholeBytes }),
  });
  await cp(join(fixtures, `${name}.jsonl`), join(store.folder, `${name}.jsonl`), { recursive: true });
  await cp(join(fixtures, 'blobs'), join(store.folder, 'blobs'), { recursive: true });
  const context = new ContextManager({
    store,
    root: folder,
    settings: contextSettingsSchema.parse({}),
    model: () => modelOf(32_000),
    summarize: async () => ({ type: 'aborted' }),
    isSensitive: () => false,
  });
  onTestFinished(async () => {
    await context.close();
    await rm(folder, { recursive: true, force: true });
  });
  return { context, report: await context.loadSession(name) };
}

async function lookAt(name: string, wholeBytes?: number): Promise<Seen> {
  const { context, report } = await open(name, wholeBytes);
  const before = hash(context.getMessages());
  // The entries that close the calls of a killed program were written just now.
  const seen = (await context.page(Number.POSITIVE_INFINITY, 10_000)).slice(
    0,
    report.entries - report.closedCalls,
  );
  const inFile = new Set(seen.map(({ uuid }) => uuid));
  const isWhole = !context.entries().some(({ subtype }) => subtype === 'past');
  const contextReport = context.report([]);
  const { parts } = context.measure([]);
  const first = {
    roles: context
      .getMessages()
      .map(({ role }) => role[0])
      .join(''),
    messages: before,
    tokens: Object.fromEntries(parts.filter(({ tokens }) => tokens > 0).map((one) => [one.name, one.tokens])),
    live: isWhole ? hash(context.live().entries.flatMap(({ uuid }) => (inFile.has(uuid) ? [uuid] : []))) : '',
    items: isWhole ? hash(context.items()) : '',
    reductions: contextReport.reductions
      .slice(-20)
      .map(({ kind, seq, isUndone }) => `${kind} #${seq}${isUndone ? ' undone' : ''}`)
      .join(', '),
    learned: hash([usageOfSession(context.entries()), context.todos(), context.lastEnvironment() ?? null]),
    damaged: report.damaged.length,
    closedCalls: report.closedCalls,
  };
  const rewound: (string | null)[] = [];
  for (const prompt of seen.filter(isPrompt)) {
    const correction = { content: 'Rewound.', data: { about: 'rewind' } };
    const back = await context.rewindBefore(prompt.uuid, correction);
    rewound.push(back === undefined ? null : hash(context.getMessages()));
    if (back === undefined) continue;
    await context.undo([back.entry.uuid], { ...correction, content: 'Undone.' });
    expect(hash(context.getMessages()), `undo of the rewind to before #${prompt.seq}`).toBe(before);
  }
  return { ...first, rewound };
}

describe('logs of earlier versions', () => {
  test.each(names)('%s opens, resumes and rewinds as before', async (name) => {
    const seen = await lookAt(name);
    if (updates) {
      expected[name] = seen;
      const sorted = Object.fromEntries(Object.entries(expected).sort(([a], [b]) => a.localeCompare(b)));
      await writeFile(expectedFile, `${JSON.stringify(sorted, null, 2)}\n`);
    }
    expect(seen).toEqual(expected[name]);
  });

  test.each(names)('%s is the same if only its end is in memory', { tags: 'long' }, async (name) => {
    const whole = expected[name];
    const { live, items, ...large } = await lookAt(name, 0);
    expect(large).toEqual({ ...whole, live: undefined, items: undefined });
    if (live !== '') expect([live, items]).toEqual([whole?.live, whole?.items]);
  });

  test.each(names)('%s resumes with the same request after a restart', { tags: 'long' }, async (name) => {
    const { context } = await open(name);
    const [id = '', messages] = [context.getCurrentSessionId(), context.getMessages()];
    await context.close();
    await context.loadSession(id);
    expect(context.getMessages()).toEqual(messages);
  });

  test('there is a log for every kind of change', async () => {
    const texts = await Promise.all(names.map((name) => readFile(join(fixtures, `${name}.jsonl`), 'utf8')));
    const kinds = [
      'rewind',
      'undo',
      'compact_boundary',
      'summary_failed',
      'pin',
      'reduction',
      'task',
      'nudge',
    ];
    for (const kind of [...kinds, 'image', 'environment', 'shell', 'checkpoint', 'reminder', 'instructions'])
      expect(
        texts.some((text) => text.includes(`"subtype":"${kind}"`)),
        kind,
      ).toBe(true);
    for (const kind of ['mask', 'remove', 'clip', 'drop', 'restore', 'window'])
      expect(
        texts.some((text) => text.includes(`"kind":"${kind}"`)),
        kind,
      ).toBe(true);
  });
});
