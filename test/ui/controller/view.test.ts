import { describe, expect, test } from 'vitest';
import type { JSONLEntry } from '../../../src/protocol/entries.ts';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import { emptyView, flushTail, type Print, reduce, type View } from '../../../src/ui/controller/view.ts';
import { madeUpEntry } from '../../madeUpEntry.ts';

/** Folds events into a view, collecting what is printed. */
function play(events: readonly AgentEvent[], from: View = emptyView): { view: View; prints: Print[] } {
  let view = from;
  const prints: Print[] = [];
  for (const [index, event] of events.entries()) {
    const step = reduce(view, event, 1000 + index);
    view = step.view;
    prints.push(...step.prints);
  }
  return { view, prints };
}

const entry = (type: JSONLEntry['type'], content: string): JSONLEntry =>
  madeUpEntry({ type, message: { role: type === 'assistant' ? 'assistant' : 'user', content } });

describe('printing a reply to the scrollback', () => {
  const half = play([{ type: 'turn_started' }, { type: 'text_delta', text: 'one\n\ntwo' }]).view;

  test('an entry replaces the live text and is printed in full if nothing was printed before', () => {
    const { view, prints } = play([{ type: 'entry', entry: entry('assistant', 'one\n\ntwo') }], half);
    expect(view.tail).toBe('');
    expect(prints.map((print) => print.type)).toEqual(['entry']);
  });

  test('at the end of a reply that outgrew the live area, only the rest is printed', () => {
    const split = (text: string) => ({ finished: text.slice(0, 5), rest: text.slice(5) });
    const flushed = flushTail(half, split, () => true);
    expect(flushed.prints).toEqual([{ type: 'markdown', text: 'one\n\n', first: true }]);
    const { view, prints } = play([{ type: 'entry', entry: entry('assistant', 'one\n\ntwo') }], flushed.view);
    expect(prints).toEqual([{ type: 'markdown', text: 'two', first: false }]);
    expect(view.tailPrinted).toBe(false);
  });

  test('a short reply is not flushed, and a reply without a finished block waits', () => {
    expect(
      flushTail(
        half,
        () => ({ finished: 'x', rest: '' }),
        () => false,
      ).prints,
    ).toEqual([]);
    expect(
      flushTail(
        half,
        (text) => ({ finished: '', rest: text }),
        () => true,
      ).view,
    ).toBe(half);
  });

  test('a discarded reply leaves no text, and a message says so only if a part was printed', () => {
    expect(play([{ type: 'reply_discarded' }], half)).toMatchObject({ view: { tail: '' }, prints: [] });
    const printed = { ...half, tailPrinted: true };
    expect(play([{ type: 'reply_discarded' }], printed).prints).toMatchObject([
      { type: 'notice', level: 'warning' },
    ]);
  });
});

describe('busy', () => {
  const tool: AgentEvent = { type: 'tool_started', callId: 'c', tool: 'Bash', title: 'ls' };

  test('a shell command outside a turn is busy until it ends', () => {
    expect(play([tool]).view).toMatchObject({ busy: true, inTurn: false });
    expect(play([tool, { type: 'tool_ended', callId: 'c' }]).view).toMatchObject({
      busy: false,
      startedAt: undefined,
    });
  });

  test('a call inside a turn ends without ending the turn', () => {
    const { view } = play([{ type: 'turn_started' }, tool, { type: 'tool_ended', callId: 'c' }]);
    expect(view).toMatchObject({ busy: true, startedAt: 1000, tools: [] });
    expect(play([{ type: 'turn_ended', outcome: 'done', steps: 1 }], view).view).toEqual({
      ...emptyView,
      finished: 1,
    });
  });

  test.each([
    ['during a turn, the turn continues', [{ type: 'turn_started' }] as AgentEvent[], true],
    ['requested by the user, the work is over', [] as AgentEvent[], false],
  ])('after a compaction %s', (_name, before, busy) => {
    const report = {
      outcome: 'done',
      trigger: 'auto',
      preTokens: 2,
      postTokens: 1,
      files: [],
      durationMs: 1,
    } as const;
    const started: AgentEvent = { type: 'compaction_started', trigger: 'auto', preTokens: 2 };
    const { view } = play([...before, started, { type: 'compaction_ended', report }]);
    expect(view).toMatchObject({ busy, compacting: undefined });
  });

  test('a call’s live output keeps only its end', () => {
    const { view } = play([tool, { type: 'tool_output', callId: 'c', text: `${'x'.repeat(5000)}end` }]);
    expect(view.tools[0]?.output).toHaveLength(2000);
    expect(view.tools[0]?.output.endsWith('end')).toBe(true);
  });
});

test('questions are queued and removed one by one', () => {
  const question = (id: string): AgentEvent => ({
    type: 'permission_question',
    question: {
      id,
      agentId: 'main',
      callId: id,
      tool: 'Bash',
      title: '',
      input: {},
      preview: { type: 'text', text: '' },
      reason: '',
    },
  });
  const { view } = play([question('a'), question('b')]);
  expect(view.questions.map((one) => one.id)).toEqual(['a', 'b']);
  const answered = play([{ type: 'permission_answered', id: 'a', answer: { behavior: 'allow' } }], view);
  expect(answered.view.questions.map((one) => one.id)).toEqual(['b']);
});

describe('a preview of a compaction', () => {
  const preview = {
    outcome: 'refused',
    preTokens: 1,
    postTokens: 1,
    summary: '',
    files: [],
    kept: [],
    losses: [],
    unverified: [],
  } as const;
  const progress: AgentEvent = { type: 'compaction_progress', characters: 10 };

  test('is busy while its summary is written, and is printed', () => {
    const { view } = play([progress]);
    expect(view).toMatchObject({ busy: true, startedAt: 1000, compacting: { trigger: 'preview' } });
    const shown = play([{ type: 'compaction_previewed', preview }], view);
    expect(shown.view).toEqual({ ...emptyView, finished: 1 });
    expect(shown.prints.map(({ type }) => type)).toEqual(['page']);
  });

  test('the progress of a compaction does not turn it into a preview', () => {
    const started: AgentEvent = { type: 'compaction_started', trigger: 'auto', preTokens: 2 };
    expect(play([started, progress]).view.compacting).toEqual({ trigger: 'auto', characters: 10 });
  });
});

test('an undone compaction shows its sizes; a completed one has them in its entry', () => {
  const report = {
    outcome: 'done',
    trigger: 'manual',
    preTokens: 2000,
    postTokens: 8000,
    files: [],
    durationMs: 0,
    message: 'Back.',
  } as const;
  const ended: AgentEvent = { type: 'compaction_ended', report };
  const started: AgentEvent = { type: 'compaction_started', trigger: 'manual', preTokens: 2000 };
  expect(play([ended]).prints).toEqual([
    { type: 'notice', level: 'info', text: 'Back. (2,000 → 8,000 tokens)' },
  ]);
  expect(play([started, ended]).prints).toEqual([{ type: 'notice', level: 'info', text: 'Back.' }]);
  // The entry already says why the summary failed.
  const failed = { ...report, outcome: 'fallback', message: 'No summary: 500.' } as const;
  expect(play([started, { type: 'compaction_ended', report: failed }]).prints).toEqual([]);
  // A draft that did not fit was not requested by the user.
  const refused = { ...report, outcome: 'refused', message: 'Too little.' } as const;
  expect(
    play([started, { type: 'compaction_ended', report: { ...refused, trigger: 'auto' } }]).prints,
  ).toEqual([]);
  expect(
    play([started, { type: 'compaction_ended', report: { ...refused, trigger: 'manual' } }]).prints,
  ).toEqual([{ type: 'notice', level: 'warning', text: 'Too little.' }]);
});

test('the hint to undo a rewind comes after what was done and before what was left', () => {
  const said = (message: string, outcome: 'done' | 'partly') =>
    play([{ type: 'rewind_ended', report: { type: 'rewind', outcome, message, conversation: false } }])
      .prints;
  const way = 'Undo with Esc Esc u or /rewind undo.';
  expect(said('Done.', 'done')).toMatchObject([{ text: `Done. ${way}` }]);
  expect(said('Done.\nLeft unchanged:\n- a: why', 'partly')).toMatchObject([
    { text: `Done.\nLeft unchanged:\n- a: why\n${way}` },
  ]);
});
