/**
 * The resident part of a log whose past is only in the file gives the same requests as the whole log, now and later.
 */
import { cp } from 'node:fs/promises';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { knownFacts } from '../../../src/context/facts/knownFacts.ts';
import { type Atom, atomEntries, groupAtoms, isPrompt } from '../../../src/context/history/atoms.ts';
import { lastCompaction, namesOf } from '../../../src/context/history/compactions.ts';
import { absentTarget, evictPrefix, isRemoval, removalToEvict } from '../../../src/context/history/evict.ts';
import { isCorrection, liveEntries } from '../../../src/context/history/liveEntries.ts';
import { reductionEntry, reductionOf } from '../../../src/context/history/reductions.ts';
import { type View, viewOf } from '../../../src/context/history/view.ts';
import { ContextManager, PersistentStore, usageOfSession } from '../../../src/context/index.ts';
import { projectMessages } from '../../../src/context/request/standardMessages.ts';
import { compactionEntries } from '../../../src/context/storage/newEntries.ts';
import { removalEntry, withNotes } from '../../../src/context/strategies/applyWindow.ts';
import type { JSONLEntry, NewEntry } from '../../../src/protocol/entries.ts';
import { firstIsQuick } from '../../e2e/support/long.ts';
import { madeUpNewEntry } from '../../madeUpEntry.ts';
import { undoReduction } from '../anyCorrection.ts';
import { configuration, createTestHome, say, step, type TestHome } from '../harness.ts';
import { sessionOf } from '../sessionOf.ts';
import { LogMaker } from './logMaker.ts';

const facts = { preTokens: 0 };

function removal(removed: readonly string[], log: readonly JSONLEntry[]): NewEntry {
  return removalEntry({ removed, strategy: 'test', reason: 'too long' }, liveEntries(log), facts);
}

/** A log as a session writes it: each method works on the visible conversation, and appends what its name says. */
class SessionMaker extends LogMaker {
  constructor() {
    super();
    this.#system('session_start', { systemPrompt: 'You are a coding agent.' });
  }

  view(): View {
    return viewOf(this.entries);
  }

  remove(...uuids: readonly string[]): this {
    const removed = withNotes(this.view(), uuids);
    return this.add(removal(removed, this.entries));
  }

  /** Replaces each of these by a line. */
  mask(...uuids: readonly string[]): this {
    const notes = uuids.map((at) => ({ at, text: `line of ${at}` }));
    return this.add(
      reductionEntry({ kind: 'mask', reason: 'old steps', ...facts, removed: [...uuids], notes }),
    );
  }

  /** Restores the atoms with these heads. */
  restore(...heads: readonly string[]): this {
    const restored = uuidsOf(groupAtoms(liveEntries(this.entries).entries), heads);
    return this.add(reductionEntry({ kind: 'restore', reason: 'by the user', ...facts, restored }));
  }

  /** Retains the atoms with these heads. */
  compact(...heads: readonly string[]): this {
    const uuids = uuidsOf(this.view().atoms, heads);
    const metadata = { trigger: 'manual' as const, ...facts, retained: namesOf(uuids, this.entries) };
    for (const draft of compactionEntries(`summary ${this.entries.length}`, metadata)) this.add(draft);
    return this;
  }

  rewind(to: string): this {
    return this.#system('rewind', { to });
  }

  undo(...undoes: readonly string[]): this {
    return this.#system('undo', { undoes });
  }

  #system(subtype: string, data: Record<string, unknown>): this {
    return this.add(
      madeUpNewEntry({ type: 'system', subtype, message: { role: 'system', content: '' }, data }),
    );
  }
}

function uuidsOf(atoms: readonly Atom[], heads: readonly string[]): string[] {
  const chosen = atoms.filter(({ head }) => heads.includes(head.uuid));
  return chosen.flatMap(atomEntries).map(({ uuid }) => uuid);
}

type End = 'compaction' | 'removal';

/** Without the past of the last compaction, or of the removals before the last. */
function withoutPast(entries: readonly JSONLEntry[], end: End): readonly JSONLEntry[] {
  const { entries: live, undone } = liveEntries(entries);
  const last = end === 'compaction' ? live[lastCompaction(live, undone)] : removalToEvict(entries);
  return last === undefined ? entries : evictPrefix(entries, last.uuid);
}

test('nothing is evicted while an undone rewind restores removals of what the compaction retained', () => {
  const log = new SessionMaker().prompt('a').prompt('b').prompt('c').prompt('d');
  log.remove('e1').remove('e2').remove('e3');
  // Nothing was removed in the conversation that continued from there, so the first message could be retained.
  log.rewind('e4').prompt('e').compact('e1', 'e9');
  expect(withoutPast(log.entries, 'compaction').length).toBeLessThan(log.entries.length);
  log.undo('e8');
  expect(JSON.stringify(projectMessages(log.entries))).toContain('3 earlier messages were removed');
  expect(withoutPast(log.entries, 'compaction')).toBe(log.entries);
});

test('nothing is evicted while an undo that hides part of it can itself be undone', () => {
  const log = new SessionMaker().prompt('a').prompt('b').rewind('e1').undo('e3');
  log.prompt('c').compact('e2').prompt('d').undo('e4');
  expect(JSON.stringify(projectMessages(log.entries))).not.toContain('"b"');
  expect(withoutPast(log.entries, 'compaction')).toBe(log.entries);
  log.rewind('e8');
  expect(JSON.stringify(projectMessages(log.entries))).toContain('"b"');
});

test('a note covers everything behind the notes it replaces, even if that is only in the file', () => {
  const log = new SessionMaker().prompt('a').step('look', 'output').prompt('b').reply('done').prompt('c');
  log.remove('e1', 'e2', 'e5').remove().remove();
  const left = withoutPast(log.entries, 'removal');
  expect(left.map(({ uuid }) => uuid)).not.toContain('e2');
  const { content } = removal(['e10'], left).message;
  expect(content).toContain('3 earlier messages were removed to make room (#1-#5)');
});

const deeds = ['prompt', 'step', 'remove', 'mask', 'restore', 'compact', 'rewind', 'undo'] as const;
const program = fc.array(
  fc.record({ deed: fc.constantFrom(...deeds), pick: fc.nat(30), count: fc.integer({ min: 1, max: 3 }) }),
  { maxLength: 30, size: 'max' },
);
type Step = typeof program extends fc.Arbitrary<readonly (infer One)[]> ? One : never;

function carryOut(log: SessionMaker, { deed, pick, count }: Step): void {
  const { entries, undone } = liveEntries(log.entries);
  const { atoms } = log.view();
  const some = (all: readonly JSONLEntry[]): string[] => {
    const at = pick % Math.max(1, all.length);
    return all.slice(at, at + count).map(({ uuid }) => uuid);
  };
  const shown = some(atoms.map(({ head }) => head));
  const replies = some(atoms.filter(({ kind }) => kind === 'reply').map(({ head }) => head));
  const mayBeUndone = (one: JSONLEntry): boolean =>
    isCorrection(one) || reductionOf(one) !== undefined || one.subtype === 'compact_boundary';
  const [toUndo] = some(entries.filter((one) => !undone.has(one.uuid) && mayBeUndone(one)));
  const said = some(groupAtoms(entries).map(({ head }) => head));
  if (deed === 'prompt') log.prompt(`prompt ${log.entries.length}`);
  else if (deed === 'step') log.step('work', `output ${log.entries.length}`);
  else if (deed === 'remove' && shown.length > 0) log.remove(...shown);
  else if (deed === 'mask' && replies.length > 0) log.mask(...replies);
  else if (deed === 'restore') log.restore(...said);
  else if (deed === 'compact') log.compact(...shown);
  else if (deed === 'rewind') log.rewind(some(entries)[0] ?? '');
  else if (deed === 'undo' && toUndo !== undefined) log.undo(toUndo);
}

test.each(['compaction', 'removal'] as const)(
  'whatever comes before and after a %s, the resident entries give the same requests',
  { tags: 'long' },
  (end) => {
    fc.assert(
      fc.property(program, program, (before, behind) => {
        const log = new SessionMaker().prompt('first');
        for (const step of before) carryOut(log, step);
        const length = log.entries.length;
        const left = withoutPast([...log.entries], end);
        expect(absentTarget(left)).toBeUndefined();
        expect(projectMessages(left)).toEqual(projectMessages(log.entries));
        for (const step of behind) {
          carryOut(log, step);
          const held = [...left, ...log.entries.slice(length)];
          // A rewind beyond the resident part reads it from the file.
          if (absentTarget(held) !== undefined) return;
          expect(projectMessages(held)).toEqual(projectMessages(log.entries));
          // And the note of a removal of everything visible.
          const shown = log.view().atoms.map(({ head }) => head.uuid);
          expect(removal(shown, held)).toEqual(removal(shown, log.entries));
        }
      }),
      { numRuns: 300 },
    );
  },
);

// A large session that never compacts leaves removed entries to its file, without any difference except in memory.

const strategies = ['hybrid', 'sliding-window'] as const;

async function place(strategy: string): Promise<TestHome> {
  return createTestHome({
    windowTokens: 3000,
    settings: { strategy, threadSummary: 'off', window: { rounds: 8 } },
  });
}

/** A manager that holds logs above this size in part, or a copy of the folder as it is now. */
function managerOf({ deps, root }: TestHome, folder: string, wholeBytes?: number): ContextManager {
  const store = new PersistentStore({
    ...{ dataRoot: join(root, folder), projectRoot: root, programVersion: '1' },
    ...(wholeBytes === undefined ? {} : { wholeBytes }),
  });
  const context = new ContextManager({ ...deps, store });
  onTestFinished(() => context.close());
  return context;
}

async function copyOf(at: TestHome, context: ContextManager, as: string, wholeBytes?: number) {
  await cp(join(at.root, 'parts'), join(at.root, as), { recursive: true });
  const copy = managerOf(at, as, wholeBytes);
  await copy.loadSession(basename(context.filePath() ?? '', '.jsonl'));
  return copy;
}

async function turns(context: ContextManager, at: TestHome, from: number, to: number): Promise<void> {
  for (let turn = from; turn < to; turn++) {
    const prompt = {
      type: 'user',
      subtype: 'prompt',
      message: { role: 'user', content: `prompt ${turn}` },
    } as const;
    await context.append(prompt);
    await context.buildRequest(at.options());
    const read = { filesRead: [{ path: `/p/${turn % 30}`, hash: String(turn) }] };
    // Ids as some servers send them: every call has the same.
    await step(context, 'call_0', `output ${turn} ${'word '.repeat(100 + (turn % 7) * 30)}`, read);
    await context.buildRequest(at.options());
    await context.appendReply(say(`answer ${turn}`, { inputTokens: 100, outputTokens: 10 }));
    await context.maintain(at.options());
  }
}

/** The known facts about a session, apart from those in memory. */
function told(context: ContextManager) {
  const { projection } = sessionOf(context);
  const { entries } = liveEntries(context.entries());
  return {
    messages: context.getMessages(),
    measure: context.measure([]),
    cost: usageOfSession(context.entries()),
    files: projection.touchedFiles().map((path) => [path, context.fileReads(path)]),
    changed: knownFacts(entries).files,
    reductions: context.report([]).reductions.slice(-10),
    goal: entries.findLast(isPrompt)?.message.content,
  };
}

for (const { row: strategy, options } of firstIsQuick(strategies))
  test(`with ${strategy}, a session stays small and equals the complete one`, options, async () => {
    const at = await place(strategy);
    const context = managerOf(at, 'parts', 0);
    await context.createSession(undefined, {}, configuration);
    const held: number[] = [];
    for (const upto of [60, 100]) {
      await turns(context, at, upto === 60 ? 0 : 60, upto);
      const whole = await copyOf(at, context, `whole${upto}`);
      expect(told(context)).toEqual(told(whole));
      held.push(context.entries().length);
      expect(whole.entries().length).toBeGreaterThan(upto * 5);
      const resumed = await copyOf(at, context, `resumed${upto}`, 0);
      expect(told(resumed)).toEqual(told(whole));
      expect(resumed.entries()).toEqual(context.entries());
    }
    // A removal's own entry stays: a later one names it.
    expect((held[1] ?? 0) - (held[0] ?? 0)).toBeLessThan(60);
    expect(JSON.stringify(context.getMessages())).toContain('prompt 99');
    expect(JSON.stringify(context.getMessages())).toMatch(/earlier messages were removed/);
  });

test.each([
  ['the last removal is undone', -1],
  ['the removal at the start of memory is undone', -2],
  ['a removal that is only in the file is undone', -4],
] as const)('%s as in a session fully in memory', { tags: 'long' }, async (_, which) => {
  const at = await place('hybrid');
  const context = managerOf(at, 'parts', 0);
  await context.createSession(undefined, {}, configuration);
  await turns(context, at, 0, 100);
  const whole = await copyOf(at, context, 'whole');
  const removal = whole.entries().filter(isRemoval).at(which)?.uuid ?? '';
  for (const one of [context, whole]) expect(await undoReduction(sessionOf(one), removal)).toBe(true);
  expect(context.getMessages()).toEqual(whole.getMessages());
  await turns(context, at, 100, 130);
  const after = await copyOf(at, context, 'after');
  expect(told(context)).toEqual(told(after));
});

test('it rewinds to a prompt that is only in the file, and undoes that', { tags: 'long' }, async () => {
  const at = await place('hybrid');
  const context = managerOf(at, 'parts', 0);
  await context.createSession(undefined, {}, configuration);
  await turns(context, at, 0, 100);
  const whole = await copyOf(at, context, 'whole');
  const prompt = whole.entries().filter(isPrompt).at(20)?.uuid ?? '';
  const correction = { content: 'back', data: {} };
  const before = context.getMessages();
  const undo: string[] = [];
  for (const one of [context, whole]) {
    const back = await one.rewindBefore(prompt, correction);
    undo.push(back?.entry.uuid ?? '');
  }
  expect(context.getMessages()).toEqual(whole.getMessages());
  await context.undo(undo.slice(0, 1), correction);
  expect(context.getMessages()).toEqual(before);
  await turns(context, at, 100, 140);
  expect(told(context)).toEqual(told(await copyOf(at, context, 'after')));
});
