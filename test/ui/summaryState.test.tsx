/** The screen while a turn waits for a summary, and when summaries fail. */
import { expect, test } from 'vitest';
import type { AgentEvent } from '../../src/protocol/events.ts';
import { attachSession } from '../../src/ui/controller/sessionStore.ts';
import type { Snapshot } from '../../src/ui/controller/types.ts';
import { emptyView, type Print, reduce, type View } from '../../src/ui/controller/view.ts';
import { LiveArea } from '../../src/ui/live/LiveArea.tsx';
import { plainMarkdown } from '../../src/ui/print/markdown.ts';
import { commandHost } from '../commands/commandHost.ts';
import { system } from '../headless/events.ts';
import { report, scriptedAgent } from '../headless/scriptedAgent.ts';
import { mount, plain } from './mount.tsx';

const play = (...events: readonly AgentEvent[]): View =>
  events.reduce((view, event) => reduce(view, event, 0).view, emptyView);

async function liveLine(view: View): Promise<string> {
  const snapshot: Snapshot = {
    phase: { type: 'session' },
    theme: plain,
    preferences: { reducedMotion: true, showReasoning: false, vim: false },
    session: undefined,
    view,
    hint: undefined,
    todoView: 'auto',
    markdown: plainMarkdown,
  };
  const { screen } = await mount(
    <LiveArea
      snapshot={snapshot}
      columns={100}
      rows={12}
      liveRows={6}
      onAnswer={() => undefined}
      now={() => 0}
    />,
    { columns: 100, rows: 14 },
  );
  return screen.text().join('\n');
}

const started = (trigger: 'auto' | 'manual'): AgentEvent => ({
  type: 'compaction_started',
  trigger,
  preTokens: 9,
});

test('while a turn waits for its summary, Esc offers to remove messages instead', async () => {
  const shown = await liveLine(play({ type: 'turn_started' }, started('auto')));
  expect(shown).toMatch(/Compacting the conversation… \(.*esc to shorten older steps instead\)/);
});

test('otherwise Esc stops the turn as usual', async () => {
  expect(await liveLine(play(started('manual')))).toMatch(
    /Compacting the conversation… \(.*esc to interrupt\)/,
  );
  expect(await liveLine(play({ type: 'turn_started' }))).toMatch(/Waiting for .*… \(.*esc to interrupt\)/);
  const progress: AgentEvent = { type: 'compaction_progress', characters: 3 };
  expect(await liveLine(play(progress))).toMatch(/Writing a summary for the preview… \(.*esc to interrupt\)/);
});

test.each([
  [false, 0],
  [true, 1],
])(
  'the failure that opens the circuit breaker (%s) is followed by the consequences',
  async (breakerIsOpen, times) => {
    const on = { type: 'prompt', text: 'go' } as const;
    const say = [system('summary_failed', { reason: 'it was empty' })];
    const agent = scriptedAgent([{ on, say }], {}, { report: { ...report, breakerIsOpen } });
    const prints: Print[] = [];
    const session = { agent, host: commandHost({ agent }), resumed: false, notices: [] };
    const store = attachSession(
      session,
      undefined,
      (...more) => prints.push(...more),
      Date.now,
      () => false,
      [],
    );
    agent.submit(on);
    await agent.idle();
    store.dispose();
    expect(prints.filter(({ type }) => type === 'entry')).toHaveLength(1);
    const said = prints.filter(
      (print) => print.type === 'notice' && print.text.includes('Summaries are paused'),
    );
    expect(said).toHaveLength(times);
  },
);
