import { execFileSync } from 'node:child_process';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { interruptedRewind } from '../../../src/agent/rewind/turns.ts';
import { liveEntries } from '../../../src/context/index.ts';
import { seal } from '../../../src/context/storage/entryLine.ts';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import { ask, call } from '../../context/harness.ts';
import { calls, says } from '../scriptedModel.ts';
import { ok, smallTool } from '../smallTools.ts';
import { type RewindTest, startRewindTest } from './rewindTest.ts';

const write = (id: string, path: string, content: string) =>
  calls([id, 'Write', { file_path: path, content }]);
const bash = (id: string, command: string) => calls([id, 'Bash', { command }]);

test('each turn lists the files that its calls and commands changed, but not those they only read', async () => {
  const set = await startRewindTest({
    answers: [
      write('c1', 'a.txt', 'one\ntwo\n'),
      says('Written.'),
      calls(['c2', 'Read', { file_path: 'a.txt' }]),
      bash('c3', 'printf "one\\n2\\n" > a.txt; echo b > b.txt; chmod 700 b.txt'),
      says('Changed.'),
      says('Nothing.'),
    ],
  });
  await set.ask('write it');
  await set.ask('change it');
  await set.ask('look');
  await set.run({ type: 'shell', command: 'rm b.txt' });
  const turns = await set.agent.turns(10);
  expect(turns.map(({ text, files, lines, steps }) => ({ text, files, lines, steps }))).toEqual([
    { text: 'write it', files: 1, lines: { added: 2, removed: 0 }, steps: 2 },
    { text: 'change it', files: 2, lines: { added: 2, removed: 1 }, steps: 3 },
    { text: 'look', files: 1, lines: { added: 0, removed: 1 }, steps: 1 },
  ]);
  expect(await set.agent.turns(1)).toEqual(turns.slice(-1));
  const entries = set.agent.entries();
  const checkpoints = entries
    .filter((entry) => entry.subtype === 'checkpoint')
    .filter(({ data }) => data?.kept === undefined);
  expect(checkpoints.map(({ data }) => [data?.cause, data?.callIds])).toEqual([
    ['call', ['c1']],
    ['call', ['c3']],
    ['shell', [expect.any(String)]],
  ]);
  for (const { seq, data } of checkpoints.slice(0, 2))
    expect(entries[seq - 1]?.toolResult?.id).toBe(data?.callIds?.[0]);
  const ends = entries.flatMap((entry) => (entry.subtype === 'turn_end' ? [entry.data] : []));
  expect(ends.map((data) => [data?.files, data?.added, data?.removed])).toEqual([
    [1, 2, 0],
    [2, 2, 1],
    [undefined, undefined, undefined],
  ]);
  const result = entries.find(({ toolResult }) => toolResult?.id === 'c3')?.toolResult;
  expect(result?.filesChanged).toEqual([
    { path: set.at('a.txt'), kind: 'modified', added: 1, removed: 1 },
    { path: set.at('b.txt'), kind: 'created', added: 1, removed: 0 },
  ]);
});

test('a rewind restores the conversation and files from before a turn, and its undo restores everything', async () => {
  for (const scope of ['both', 'conversation', 'files'] as const) {
    const set = await startRewindTest({
      answers: [
        write('c1', 'a.txt', 'one\n'),
        says('First done.'),
        bash(
          'c2',
          'mv a.txt b.txt; mkdir -p d/e; echo x > d/e/f; ln -s b.txt l; printf "\\0\\1" > bin; chmod 600 kept',
        ),
        says('Second done.'),
      ],
    });
    await set.put('kept', 'the user’s\n', 0o644);
    await set.ask('first');
    const [before, said] = [await set.tree(), set.conversation()];
    await set.ask('second');
    const [after, saidAfter] = [await set.tree(), set.conversation()];
    expect(after).not.toEqual(before);

    expect(set.agent.canUndoRewind()).toBe(false);
    const report = await set.back('second', scope);
    expect(set.agent.canUndoRewind()).toBe(true);
    expect(report).toMatchObject({ outcome: 'done', conversation: scope !== 'files' });
    expect(report.prompt?.text).toBe(scope === 'files' ? undefined : 'second');
    expect(await set.tree()).toEqual(scope === 'conversation' ? after : before);
    expect(set.conversation().slice(0, scope === 'files' ? saidAfter.length : undefined)).toEqual(
      scope === 'files' ? saidAfter : said,
    );
    const told = set.conversation().slice(saidAfter.length);
    expect(told).toEqual(scope === 'files' ? [expect.stringContaining('restored files to')] : []);

    expect(await set.undo()).toMatchObject({ outcome: 'done' });
    expect(await set.tree()).toEqual(after);
    expect(set.conversation()).toEqual(saidAfter);
    expect(set.agent.canUndoRewind()).toBe(false);
    expect(await set.undo()).toMatchObject({ outcome: 'refused', message: 'Nothing to undo.' });
  }
});

test("the user's own edits are not credited to a turn: a rewind keeps them, merges them or leaves the path unchanged", async () => {
  const set = await startRewindTest({
    answers: [
      bash(
        'c1',
        'for i in 1 2 3 4 5 6 7 8 9; do echo $i; done > merged; echo model > clash; echo model > plain',
      ),
      says('Made.'),
      bash('c2', 'sed -i "s/^2$/two/" merged; echo changed > clash; echo changed > plain'),
      says('Changed.'),
    ],
  });
  await set.put('untouched', 'a');
  await set.ask('make');
  await set.ask('change');
  await set.put('untouched', 'b');
  await set.put('clash', 'mine\n');
  const merged = (await set.tree()).merged?.slice(4).replace('8\n', 'acht\n') ?? '';
  await set.put('merged', merged);
  const mine = await set.tree();

  const plan = await set.agent.planRewind(set.prompt('change'));
  expect(await set.tree(), 'a plan changes nothing').toEqual(mine);
  const actions = Object.fromEntries((plan?.plan.steps ?? []).map(({ path, action }) => [path, action]));
  expect(actions).toEqual({
    [set.at('clash')]: 'refuse',
    [set.at('merged')]: 'merge',
    [set.at('plain')]: 'modify',
  });
  const report = await set.back('change', 'files');
  expect(report.outcome).toBe('partly');
  expect(report.message).toContain('clash: ');
  const back = await set.tree();
  expect(back).toEqual({
    ...mine,
    merged: '644 1\n2\n3\n4\n5\n6\n7\nacht\n9\n',
    plain: '644 model\n',
  });
  expect((await set.undo()).outcome).toBe('done');
  expect(await set.tree()).toEqual(mine);
});

test("the user's edits while the model is working are not credited to the next command", async () => {
  const set = await startRewindTest({
    answers: [
      bash('c1', 'echo 1 > a'),
      async function* () {
        await set.clock.sleep(5000, new AbortController().signal);
        await set.put('mine', 'typed while the model was thinking\n');
        yield* bash('c2', 'echo 2 > a');
      },
      says('Done.'),
    ],
  });
  await set.ask('work');
  const [turn] = await set.agent.turns(1);
  expect(turn?.files).toBe(1);
  await set.back('work', 'both');
  expect(await set.tree()).toEqual({ mine: '644 typed while the model was thinking\n' });
});

test('edits during a pending approval are not credited to its command', { tags: 'long' }, async () => {
  const set = await startRewindTest({
    answers: [bash('c1', 'echo 1 > a'), says('Done.')],
    decide: async () => ({ behavior: 'ask', reason: 'the test asks' }),
  });
  set.when(
    (event) => event.type === 'permission_question',
    (event) => {
      const id = event.type === 'permission_question' ? event.question.id : '';
      void set
        .put('mine', 'typed while it was asked\n')
        .then(() => set.agent.submit({ type: 'answer', id, answer: { behavior: 'allow' } }));
    },
  );
  await set.ask('work');
  expect((await set.agent.turns(1))[0]?.files).toBe(1);
});

test('later changes of a background command are credited to it', { tags: 'long' }, async () => {
  const set = await startRewindTest({
    answers: [
      calls(['c1', 'Bash', { command: 'sleep 0.4; echo late > late.txt', run_in_background: true }]),
      says('It runs.'),
      calls(['c2', 'BashOutput', { task_id: 'b1', wait: 10_000 }]),
      says('It ended.'),
    ],
  });
  await set.ask('start');
  await set.ask('wait');
  await set.run({ type: 'shell', command: 'true' });
  const [checkpoint, ...more] = set.agent.entries().filter(({ subtype }) => subtype === 'checkpoint');
  expect(more).toEqual([]);
  expect(checkpoint?.data).toMatchObject({ callIds: expect.arrayContaining(['c1']) });
  await set.back('start', 'files');
  expect(await set.tree()).toEqual({});
});

test('changes by an MCP tool that names no file are recorded and can be rewound', async () => {
  const set: RewindTest = await startRewindTest({
    tools: [
      smallTool('mcp__notes__add', {
        access: { type: 'unknown' },
        run: async () => {
          await set.put('notes.md', 'added');
          return ok('added');
        },
      }),
    ],
    answers: [calls(['c1', 'mcp__notes__add']), says('Done.')],
  });
  await set.ask('Add a note');
  expect((await set.agent.turns(1))[0]).toMatchObject({ files: 1 });
  await set.back('Add a note', 'files');
  expect(await set.tree()).toEqual({});
});

test('the tree is scanned during the request, and again while the model is writing a command', async () => {
  const scans: (() => void)[] = [];
  let count = 0;
  const scan = (number: number): Promise<void> =>
    new Promise((resolve) => (count >= number ? resolve() : scans.push(() => count >= number && resolve())));
  const seen: number[] = [];
  const set: RewindTest = await startRewindTest({
    wrap: (files) => ({
      ...files,
      async baseline(signal) {
        await files.baseline(signal);
        count++;
        for (const tell of scans) tell();
      },
    }),
    answers: [
      // Each reply waits for a scan; without it the test would hang.
      async function* (_request, signal, onSent) {
        seen.push(count);
        onSent?.({ hash: 'a' });
        await scan(1);
        await set.clock.sleep(2000, signal);
        yield { type: 'tool_call_delta', index: 0, name: 'Bash', argumentsLength: 1 };
        await scan(2);
        yield* says('Never mind.');
      },
      async function* () {
        seen.push(count);
        // A client that does not report a sent request counts as having sent it once it streams something.
        yield { type: 'reasoning_delta', text: 'Hm.', field: 'reasoning' };
        await scan(3);
        yield* says('Done.');
      },
    ],
  });
  await set.ask('One');
  await set.ask('Two');
  expect(seen, 'no scan before a request').toEqual([0, 2]);
});

test('changes of a stopped command are recorded and can be rewound', async () => {
  const set = await startRewindTest({ answers: [bash('c1', 'echo half > half.txt; echo ready; sleep 60')] });
  set.when(
    (event) => event.type === 'tool_output' && event.text.includes('ready'),
    () => set.agent.submit({ type: 'interrupt' }),
  );
  await set.ask('work');
  expect(await set.tree()).toEqual({ 'half.txt': '644 half\n' });
  const [turn] = await set.agent.turns(1);
  expect(await set.agent.planRewind(turn?.uuid ?? '')).toMatchObject({
    plan: { steps: [{ path: set.at('half.txt'), action: 'delete' }] },
  });
  expect((await set.agent.turns(1))[0]?.files).toBe(1);
  await set.back('work', 'both');
  expect(await set.tree()).toEqual({});
});

test('rewinding during a turn is not possible', async () => {
  const set = await startRewindTest({
    answers: [
      says('One.'),
      async function* (_request, signal) {
        set.agent.submit({ type: 'rewind', to: set.prompt('one'), scope: 'both' });
        set.agent.submit({ type: 'undo_rewind' });
        signal.throwIfAborted();
        yield* says('Two.');
      },
    ],
  });
  await set.ask('one');
  await set.ask('two');
  const reports = set.events.flatMap((event) => (event.type === 'rewind_ended' ? [event.report] : []));
  expect(reports.map(({ type, outcome }) => [type, outcome])).toEqual([
    ['rewind', 'refused'],
    ['undo', 'refused'],
  ]);
  expect(set.conversation()).toHaveLength(5);
});

test('a failing checkpoint is reported once and does not fail any call', async () => {
  const set = await startRewindTest({
    answers: [bash('c1', 'echo 1 > a'), write('c2', 'b', '2'), says('Done.')],
    wrap: (files) => ({
      ...files,
      baseline: () => Promise.reject(new Error('no disk')),
      keep: () => Promise.reject(new Error('no disk')),
      capture: () => Promise.reject(new Error('no disk')),
    }),
  });
  await set.ask('work');
  expect(set.lines().filter((line) => line.includes('no disk'))).toHaveLength(1);
  const results = set.agent.entries().flatMap(({ toolResult }) => toolResult?.status ?? []);
  expect(results).toEqual(['ok', 'ok']);
});

test('an edit that would run unasked asks if the earlier content could not be restored', async () => {
  const reason = 'a cannot be restored: the disk with the copies is full (ENOSPC)';
  const set: RewindTest = await startRewindTest({
    answers: [write('c1', 'a', '1'), says('Done.')],
    decide: async () => ({
      ...{ behavior: 'allow', reason: 'Mode acceptEdits.', basis: 'mode', replaces: [set.at('a')] },
    }),
    wrap: (files) => ({ ...files, keep: async () => ({ changes: [], notes: [reason] }) }),
  });
  const asked: string[] = [];
  set.when(
    (event) => event.type === 'permission_question',
    (event) => {
      if (event.type !== 'permission_question') return;
      asked.push(event.question.reason);
      set.agent.submit({ type: 'answer', id: event.question.id, answer: { behavior: 'deny' } });
    },
  );
  await set.ask('work');
  expect(asked).toEqual([`/rewind could not undo this: ${reason}.`]);
  expect(await set.tree()).toEqual({});
});

test('a rewind does not touch git’s own files in a git repository', { tags: 'long' }, async () => {
  const set = await startRewindTest({
    answers: [bash('c1', 'echo 2 > tracked; git mv moved elsewhere; echo n > new'), says('Done.')],
  });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=T', '-c', 'user.email=t@example.invalid', ...args], {
      cwd: set.root,
      encoding: 'utf8',
    });
  git('init', '-q');
  await set.put('tracked', '1\n');
  await set.put('moved', 'm\n');
  git('add', '-A');
  git('commit', '-qm', 'first');
  await set.put('staged', 's\n');
  git('add', 'staged');
  await set.put('tracked', '1 and mine\n');
  git('stash', 'list');
  const before = await set.tree();
  await set.ask('work');
  const status = git('status', '--porcelain');
  await set.back('work', 'both');
  expect(await set.tree()).toEqual(before);
  expect(git('stash', 'list')).toBe('');
  await set.undo();
  expect(git('status', '--porcelain')).toBe(status);
});

describe('after the program was killed', () => {
  test('during edits, the resumed session can rewind them, and records them once', async () => {
    const killed = () => Promise.reject(new Error('killed'));
    const set = await startRewindTest({
      answers: [
        write('c1', 'sub/new.txt', 'new\n'),
        calls(['c2', 'Read', { file_path: 'mine.txt' }]),
        write('c3', 'mine.txt', 'overwritten\n'),
        bash('c4', 'rm gone.bin'),
        says('Done.'),
      ],
      decide: async (_, access) => ({
        ...{ behavior: 'allow', reason: 'It may.', basis: 'mode' },
        ...(access.type === 'command' && { replaces: [join(set.root, 'gone.bin')] }),
      }),
      wrap: (files) => ({ ...files, capture: killed }),
    });
    await set.put('mine.txt', 'mine\n', 0o600);
    await set.put('gone.bin', 'a\0b');
    const before = await set.tree();
    await set.ask('work');
    const after = await set.tree();
    expect(after).toEqual({ 'mine.txt': '600 overwritten\n', 'sub/': '755', 'sub/new.txt': '644 new\n' });
    const sessionId = set.agent.state().sessionId;
    await set.agent.close();

    const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
    const [turn] = await again.agent.turns(1);
    expect(turn).toMatchObject({ files: 3, lines: { added: 2, removed: 1 } });
    await again.agent.close();
    await set.put('mine.txt', 'one more line of the user\noverwritten\n', 0o600);

    const later = await startRewindTest({ resume: { folder: set.folder, sessionId } });
    expect(await later.agent.turns(1)).toEqual([turn]);
    await set.put('mine.txt', 'overwritten\n', 0o600);
    expect((await later.back('work', 'files')).outcome).toBe('done');
    expect(await later.tree()).toEqual(before);
    await later.undoShown();
    expect(await later.tree()).toEqual(after);
  });

  test('files that a call named, but did not change, are the user’s own from then on', async () => {
    const set: RewindTest = await startRewindTest({
      answers: [calls(['c1', 'Write']), says('It failed.')],
      tools: () => [
        smallTool('Write', {
          access: { type: 'write', paths: [set.at('a')] },
          run: async () => ({ ...ok('failed'), status: 'error' }),
        }),
      ],
    });
    await set.ask('work');
    const sessionId = set.agent.state().sessionId;
    await set.agent.close();
    await set.put('a', 'mine\n');
    const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
    expect((await again.agent.turns(1))[0]).toMatchObject({ files: 0 });
  });

  test.each(['Bash', 'mcp__notes__add', 'Read', 'own'] as const)(
    'during a command (%s), rewinds say that what it changed may be lost',
    async (name) => {
      const set = await startRewindTest({ answers: [says('Hello.')] });
      await set.ask('work');
      if (name === 'own')
        await set.context.append({
          ...{ type: 'system', subtype: 'shell_start', message: { role: 'system', content: '' } },
          data: { command: 'make' },
        });
      else await set.context.appendReply(ask([call('c1', name)]));
      const sessionId = set.agent.state().sessionId;
      await set.agent.close();
      for (let start = 0; start < 2; start++) {
        const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
        const planned = await again.agent.planRewind(again.prompt('work'));
        expect(planned?.notes).toEqual(
          name === 'Read'
            ? []
            : ['a command was cut short when the program stopped: files that it changed cannot be restored'],
        );
        expect(again.context.entries().filter(({ subtype }) => subtype === 'checkpoint')).toHaveLength(
          name === 'Read' ? 0 : 1,
        );
        await again.agent.close();
      }
    },
  );

  const cases = (['rewind', 'undo'] as const).flatMap((op) => [0, 1, 2].map((paths) => ({ op, paths })));

  test.each(cases)(
    'during the $op, after $paths of two paths, all of it can be undone',
    { tags: 'long' },
    async ({ op, paths }) => {
      let left = Number.POSITIVE_INFINITY;
      const set = await startRewindTest({
        answers: [
          bash('c1', 'echo 1 > a; printf "\\000" > b; echo 1 > c'),
          says('Done.'),
          bash('c2', 'echo 2 > a; printf "\\001" > b'),
          says('Done.'),
        ],
        // Once `left` is set, this many steps are applied; then the program dies without writing more.
        wrap: (files) => ({
          ...files,
          async apply({ steps }) {
            if (left === Number.POSITIVE_INFINITY) return files.apply({ steps });
            await files.apply({ steps: steps.slice(0, left) });
            throw new Error('killed');
          },
        }),
      });
      await set.ask('one');
      await set.ask('two');
      const [after, said] = [await set.tree(), set.conversation()];
      if (op === 'undo') await set.back('two', 'both');
      left = paths;
      await set.run(
        op === 'undo' ? { type: 'undo_rewind' } : { type: 'rewind', to: set.prompt('two'), scope: 'both' },
      );
      expect(set.bugs.splice(0)).toHaveLength(1);
      const sessionId = set.agent.state().sessionId;
      await set.agent.close();

      const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
      const cut = () => interruptedRewind(liveEntries(again.context.entries()))?.subtype;
      expect(cut()).toBe(op);
      expect((await again.undoShown()).outcome).toBe('done');
      expect(await again.tree()).toEqual(after);
      expect(again.conversation()).toEqual(said);
      expect(cut()).toBeUndefined();
      // The log matches the files: more rewinds and undos work from here.
      expect((await again.back('one', 'both')).outcome).toBe('done');
      expect(await again.tree()).toEqual({});
      expect((await again.undoShown()).outcome).toBe('done');
      expect(await again.tree()).toEqual(after);
    },
  );

  test.each([0, 1, 2])(
    'during a rewind, after %d of two paths, the rewind can be repeated',
    { tags: 'long' },
    async (paths) => {
      let left = Number.POSITIVE_INFINITY;
      const set = await startRewindTest({
        answers: [
          bash('c1', 'echo 1 > a; echo 1 > b'),
          says('Done.'),
          bash('c2', 'echo 2 > a; rm b'),
          says('Done.'),
        ],
        wrap: (files) => ({
          ...files,
          async apply({ steps }) {
            await files.apply({ steps: steps.slice(0, left) });
            throw new Error('killed');
          },
        }),
      });
      await set.ask('one');
      const before = await set.tree();
      await set.ask('two');
      left = paths;
      await set.run({ type: 'rewind', to: set.prompt('two'), scope: 'files' });
      expect(set.bugs.splice(0)).toHaveLength(1);
      const sessionId = set.agent.state().sessionId;
      await set.agent.close();

      const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
      await again.back('two', 'files');
      expect(await again.tree()).toEqual(before);
    },
  );
});

test("a rewind and its undo restore the shell's directory", { tags: 'long' }, async () => {
  const set = await startRewindTest({
    answers: [
      says('One.'),
      bash('c1', 'mkdir sub && cd sub'),
      says('Two.'),
      bash('c2', 'pwd'),
      says('Three.'),
      bash('c3', 'pwd'),
      says('Four.'),
    ],
  });
  const output = (id: string): unknown =>
    set.agent.entries().find(({ toolResult }) => toolResult?.id === id)?.toolResult?.output;
  await set.ask('one');
  await set.ask('two');
  await set.back('two', 'conversation');
  await set.undo();
  await set.ask('three');
  expect(output('c2')).toBe(set.at('sub'));
  await set.back('two', 'conversation');
  await set.ask('four');
  expect(output('c3')).toBe(set.root);
});

test('after the session moves to another folder, a rewind leaves the shell there and the note says so', {
  tags: 'long',
}, async () => {
  const set = await startRewindTest({
    answers: [
      says('One.'),
      bash('c1', 'mkdir -p sub/deep && cd sub'),
      says('Two.'),
      bash('c3', 'cd deep'),
      says('Three.'),
      bash('c2', 'pwd'),
      says('Four.'),
    ],
  });
  const moveTo = async (directory: string): Promise<void> => {
    const block = `# Environment\nWorking directory: ${directory}\nDate: 2026-01-02`;
    const content = `The session goes on.\n\n${block}`;
    await set.context.append({
      type: 'user',
      subtype: 'environment',
      message: { role: 'user', content },
      data: { block },
    });
  };
  await set.ask('one');
  await set.ask('two');
  await moveTo(set.at('sub'));
  await set.ask('three');
  await set.back('two', 'conversation');
  expect(set.context.lastEnvironment()).toContain(`Working directory: ${set.at('sub')}\n`);
  const note = set.conversation().at(-1);
  expect(note).toMatch(/On rewinding \(\d{4}-\d\d-\d\d \d\d:\d\d\) the environment was:\n\n# Environment\n/);
  expect(note).toContain(`Working directory: ${set.at('sub')}\n`);
  expect(note).toContain(`The shell was in ${set.at('sub/deep')}, where tools resolve relative paths.`);
  await set.ask('four');
  const { toolResult } = set.agent.entries().find((one) => one.toolResult?.id === 'c2') ?? {};
  expect(toolResult?.output).toBe(set.at('sub/deep'));
});

test('a session closed right after a rewind resumes with the shell in the rewound directory', async () => {
  const set = await startRewindTest({
    answers: [says('One.'), bash('c1', 'mkdir sub && cd sub'), says('Two.')],
  });
  await set.ask('one');
  await set.ask('two');
  await set.back('two', 'conversation');
  const { sessionId } = set.agent.state();
  await set.agent.close();
  const again = await startRewindTest({
    resume: { folder: set.folder, sessionId },
    answers: [bash('c2', 'pwd'), says('Three.')],
  });
  await again.ask('three');
  const { toolResult } = again.agent.entries().find((one) => one.toolResult?.id === 'c2') ?? {};
  expect(toolResult?.output).toBe(again.root);
});

test('undoing a rewind of files adds a note for the model', async () => {
  const set = await startRewindTest({
    answers: [write('c1', 'a', 'a'), says('One.'), says('I see.'), says('Again.')],
  });
  await set.ask('one');
  await set.back('one', 'files');
  await set.ask('and now?');
  expect(set.conversation().at(-3)).toContain('restored files to');
  await set.undo();
  expect(set.conversation().at(-1)).toContain('undid that');
  expect(set.conversation().at(-1)).toContain(`${set.at('a')} (restored)`);
  await set.ask('so?');
  expect(set.model.requests.at(-1)?.messages.at(-2)?.content).toContain('undid that');
});

test('an undo does not restore what a later compaction has summarized', async () => {
  const set = await startRewindTest({
    windowTokens: 20_000,
    answers: [
      says('The answer is 42. '.repeat(900)),
      says('Two.'),
      says('The answer is 43. '.repeat(900)),
      says('## Primary Request and Intent\n- three'),
    ],
  });
  await set.ask('one');
  await set.ask('two');
  await set.back('two', 'conversation');
  await set.ask('three');
  await set.run({ type: 'compact' });
  expect(set.agent.entries().some(({ subtype }) => subtype === 'compact_boundary')).toBe(true);
  const said = set.conversation();
  const report = await set.undo();
  expect(report).toMatchObject({ outcome: 'refused' });
  expect(report.message).toContain('/uncompact');
  expect(set.conversation()).toEqual(said);
  await set.run({ type: 'uncompact' });
  expect((await set.undo()).outcome).toBe('done');
  expect(set.conversation().filter((line) => /^user: (?!<system-note>)/.test(line))).toEqual([
    'user: one',
    'user: two',
    'user: three',
  ]);
});

test("a rewind keeps the user's mode, but restores the todo list and the record of reads", async () => {
  const set = await startRewindTest({
    answers: [
      calls(['c1', 'TodoWrite', { todos: [{ content: 'first', status: 'pending' }] }]),
      says('Listed.'),
      calls(['c2', 'TodoWrite', { todos: [{ content: 'second', status: 'pending' }] }]),
      write('c3', 'a', 'a'),
      says('Listed.'),
    ],
  });
  await set.ask('one');
  await set.run({ type: 'set_mode', mode: 'acceptEdits' });
  await set.ask('two');
  expect(set.agent.state().todos).toMatchObject([{ content: 'second' }]);
  await set.back('one', 'conversation');
  expect(set.agent.state()).toMatchObject({ mode: 'acceptEdits', todos: [] });
  expect(set.context.fileReads(set.at('a'))).toBeUndefined();
  expect(set.conversation().at(-1)).toContain('Edits inside the project are accepted');
  await set.undo();
  expect(set.agent.state().todos).toMatchObject([{ content: 'second' }]);
  expect(set.context.fileReads(set.at('a'))).toBeDefined();
});

test('undoing a rewind from an earlier run first shows every change', async () => {
  const set = await startRewindTest({
    answers: [calls(['w', 'Write', { file_path: 'new.txt', content: 'a line\n' }]), says('Done.')],
  });
  await set.ask('one');
  await set.back('one', 'files');
  const { sessionId } = set.agent.state();
  await set.agent.close();
  expect(await set.tree()).not.toHaveProperty('new.txt');
  const again = await startRewindTest({ resume: { folder: set.folder, sessionId } });
  const shown = await again.undo();
  expect(shown).toMatchObject({ type: 'undo', outcome: 'refused' });
  expect(shown.message).toMatch(/- creates .*new\.txt"? \(\+1 −0\)/);
  expect(shown.message).toContain('    +a line');
  expect(shown.message).toMatch(/Run \/rewind undo again to do that\.$/);
  expect(await again.tree()).not.toHaveProperty('new.txt');
  expect(await again.undo()).toMatchObject({ outcome: 'done' });
  expect(await again.tree()).toHaveProperty('new.txt');
});

/** Changes a file outside the project in two turns, rewinds the second, and closes the session. */
async function workOutside(): Promise<Pick<RewindTest, 'folder'> & { readonly sessionId: string }> {
  const set = await startRewindTest({
    answers: [
      write('w', '../outside.txt', 'a line\n'),
      says('Done.'),
      write('x', '../own.txt', 'x\n'),
      says('Done.'),
    ],
  });
  await set.ask('one');
  await set.ask('two');
  expect(await set.back('two', 'files')).toMatchObject({ outcome: 'done' });
  expect(await textsIn(set.folder)).toEqual(['outside.txt']);
  const { sessionId } = set.agent.state();
  await set.agent.close();
  return { folder: set.folder, sessionId };
}

const textsIn = async (folder: string): Promise<readonly string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.txt')).sort();

test('a resumed session restores a file outside the project, and undo works across sessions', async () => {
  const { folder, sessionId } = await workOutside();
  const second = await startRewindTest({ resume: { folder, sessionId } });
  expect(await second.undoShown()).toMatchObject({ type: 'undo', outcome: 'done' });
  expect(await textsIn(folder)).toEqual(['outside.txt', 'own.txt']);
  expect(await second.back('one', 'files')).toMatchObject({ outcome: 'done' });
  expect(await textsIn(folder)).toEqual([]);
  await second.agent.close();
  const third = await startRewindTest({ resume: { folder, sessionId } });
  expect(await third.undoShown()).toMatchObject({ type: 'undo', outcome: 'done' });
  expect(await textsIn(folder)).toEqual(['outside.txt', 'own.txt']);
});

test('without proof that this program recorded the change, a file outside the project is not restored', async () => {
  const { folder, sessionId } = await workOutside();
  await rm(join(folder, 'data/checkpoints.key'));
  const again = await startRewindTest({ resume: { folder, sessionId } });
  for (let time = 0; time < 2; time++) {
    const planned = await again.agent.planRewind(again.prompt('one'));
    expect(planned?.plan.steps.filter(({ action }) => action !== 'refuse')).toEqual([]);
    expect((await again.back('one', 'files')).message).toMatch(
      /It is outside the project\. .*\/diff shows it/,
    );
    expect(await textsIn(folder)).toEqual(['outside.txt']);
  }
  // The conversation can still be rewound, and the undo leaves the files alone as well.
  expect(await again.back('one', 'both')).toMatchObject({ outcome: 'partly', conversation: true });
  expect(await again.undo()).toMatchObject({ conversation: true });
  expect(await textsIn(folder)).toEqual(['outside.txt']);
});

test('undo ignores a forged rewind entry outside the project', async () => {
  const { folder, sessionId } = await workOutside();
  const set = await startRewindTest({ resume: { folder, sessionId } });
  const log = set.context.filePath() ?? '';
  await set.agent.close();
  const lines = (await readFile(log, 'utf8')).trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as JSONLEntry);
  const at = entries.findIndex((entry) => entry.subtype === 'checkpoint' && entry.data?.cause === 'rewind');
  const genuine = entries[at];
  if (genuine?.subtype !== 'checkpoint') throw new Error('There is no record of the rewind.');
  const [change] = genuine.data?.changes ?? [];
  const changes = [{ ...change, path: join(folder, 'planted.txt') }];
  const forged = seal(JSON.stringify({ ...genuine, data: { ...genuine.data, changes } }));
  await writeFile(log, [...lines.with(at, forged), ''].join('\n'));
  const again = await startRewindTest({ resume: { folder, sessionId } });
  expect((await again.undoShown()).message).toContain('It is outside the project.');
  expect(await textsIn(folder)).toEqual(['outside.txt']);
});
