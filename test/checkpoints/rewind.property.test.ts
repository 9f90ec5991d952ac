/**
 * Random sessions over a random tree: tools and shell commands on one side, the user on the other. Rewinds are compared
 * with snapshots of the tree that the test takes itself.
 *
 * @module-tag long
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { PathChange } from '../../src/protocol/checkpoints.ts';
import { type Bench, openBench, snapshot } from './bench.ts';
import { gitFacts, initRepository, settleIndex } from './repository.ts';
import { runShell, runTool, type ShellStep, shellStep, type ToolStep, toolStep } from './scripts.ts';

type Picture = ReadonlyMap<string, string>;

interface Round {
  readonly user: readonly ShellStep[];
  readonly call: { readonly shell: readonly ShellStep[] } | { readonly tool: ToolStep };
}

interface Session {
  readonly start: readonly ShellStep[];
  readonly inGit: boolean;
  readonly rounds: readonly Round[];
  readonly last: readonly ShellStep[];
  /** The call to rewind to: the state before it ran. */
  readonly point: number;
}

const calls = fc.oneof(
  { weight: 2, arbitrary: fc.array(shellStep, { minLength: 1, maxLength: 4 }).map((shell) => ({ shell })) },
  { weight: 1, arbitrary: toolStep.map((tool) => ({ tool })) },
);

const sessions = (withUser: boolean): fc.Arbitrary<Session> => {
  const user = withUser ? fc.array(shellStep, { maxLength: 2 }) : fc.constant([]);
  return fc.record({
    start: fc.array(shellStep, { minLength: 3, maxLength: 10 }),
    inGit: fc.nat(3).map((one) => one === 0),
    rounds: fc.array(fc.record({ user, call: calls }), { minLength: 1, maxLength: 4 }),
    last: user,
    point: fc.nat(3),
  });
};

interface Played {
  /** The tree before and after each call. */
  readonly before: readonly Picture[];
  readonly after: readonly Picture[];
  readonly changes: readonly (readonly PathChange[])[];
}

async function play(bench: Bench, session: Session): Promise<Played> {
  const [before, after, changes]: [Picture[], Picture[], (readonly PathChange[])[]] = [[], [], []];
  runShell(bench.root, ['seq 1 12 > a.txt; mkdir -p d; seq 1 12 > d/e.txt', ...session.start], 'start');
  if (session.inGit) {
    initRepository(bench.root);
    settleIndex(bench.root);
  }
  for (const [index, { user, call }] of session.rounds.entries()) {
    runShell(bench.root, user, `user${index}`);
    await bench.checkpoints.baseline();
    before.push(snapshot(bench.root));
    if ('shell' in call) {
      runShell(bench.root, call.shell, `call${index}`);
      changes.push((await bench.checkpoints.capture()).changes);
    } else if (canWrite(bench.root, call.tool)) {
      const path = join(bench.root, call.tool.path);
      await bench.checkpoints.keep([path]);
      runTool(bench.root, call.tool, `call${index}`);
      changes.push((await bench.checkpoints.capture([path])).changes);
    } else changes.push([]);
    after.push(snapshot(bench.root));
  }
  runShell(bench.root, session.last, 'last');
  return { before, after, changes };
}

/** A tool writes neither to a pipe nor through a link. */
function canWrite(root: string, { path }: ToolStep): boolean {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const found = lstatSync(join(root, ...parts.slice(0, depth)), { throwIfNoEntry: false });
    if (found === undefined) return true;
    if (depth < parts.length ? !found.isDirectory() : !found.isFile()) return false;
  }
  return true;
}

const differing = (a: Picture, b: Picture): readonly string[] =>
  [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path));

const isRelated = (a: string, b: string): boolean =>
  a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);

/** The bench for one run; git's state must be the same afterwards. */
async function inBench(
  session: Session,
  check: (bench: Bench, played: Played) => Promise<void>,
): Promise<void> {
  const bench = await openBench();
  try {
    const played = await play(bench, session);
    const facts = session.inGit ? gitFacts(bench.root) : undefined;
    const disk = snapshot(bench.root);
    await check(bench, played);
    expect(snapshot(bench.root)).toEqual(disk);
    if (facts !== undefined) expect(gitFacts(bench.root)).toEqual(facts);
    expect(bench.warnings).toEqual([]);
  } finally {
    await bench.close();
  }
}

test('without user edits, a rewind restores every point exactly, and its undo restores everything', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(sessions(false), async (session) => {
      await inBench(session, async (bench, { before, changes }) => {
        const point = session.point % changes.length;
        const plan = await bench.checkpoints.plan(changes.slice(point).flat());
        const applied = await bench.checkpoints.apply(plan);
        expect(applied.notes).toEqual([]);
        expect(snapshot(bench.root)).toEqual(before[point]);
        expect((await bench.checkpoints.capture()).changes).toEqual([]);
        const undo = await bench.checkpoints.plan(applied.changes);
        expect(undo.steps.filter((step) => step.action === 'merge')).toEqual([]);
        const undone = await bench.checkpoints.apply(undo);
        expect(undone.notes).toEqual([]);
      });
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
  );
});

test('with user edits in between, a rewind loses none of them and restores the rest exactly', {
  tags: 'long',
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(sessions(true), async (session) => {
      await inBench(session, async (bench, { before, after, changes }) => {
        const point = session.point % changes.length;
        const disk = snapshot(bench.root);
        const byUser = new Set<string>();
        const bySession = new Set<string>();
        for (let index = point; index < changes.length; index += 1) {
          const [start, end] = [before[index] ?? disk, after[index] ?? disk];
          for (const path of differing(start, end)) bySession.add(path);
          for (const path of differing(end, before[index + 1] ?? disk)) byUser.add(path);
        }
        const applied = await bench.checkpoints.apply(
          await bench.checkpoints.plan(changes.slice(point).flat()),
        );
        expect(applied.notes).toEqual([]);
        const found = snapshot(bench.root);
        const wanted = before[point] ?? disk;
        for (const path of new Set([...disk.keys(), ...found.keys(), ...wanted.keys()])) {
          const isTheUsers = [...byUser].some((one) => isRelated(path, one));
          if (!bySession.has(path) && !isTheUsers)
            expect([path, found.get(path)]).toEqual([path, disk.get(path)]);
          if (bySession.has(path) && !isTheUsers)
            expect([path, found.get(path)]).toEqual([path, wanted.get(path)]);
          for (const word of wordsOfUser(disk.get(path)))
            expect([path, ...wordsOfUser(found.get(path))]).toContain(word);
        }
        const undone = await bench.checkpoints.apply(await bench.checkpoints.plan(applied.changes));
        expect(undone.notes).toEqual([]);
      });
    }),
    { numRuns: RUNS, interruptAfterTimeLimit: 60_000 },
  );
});

const RUNS = Number(process.env.CHECKPOINT_RUNS ?? 20);

/** What the user wrote to a file after the last call, if it is still there. */
function wordsOfUser(state: string | undefined): readonly string[] {
  const content = state?.startsWith('file') === true ? (state.split(' ')[2] ?? '') : '';
  return (
    Buffer.from(content, 'base64')
      .toString('latin1')
      .match(/lastn\d+/g) ?? []
  );
}
