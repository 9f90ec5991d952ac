import { expect, test } from 'vitest';
import type { AgentEvent } from '../../../src/protocol/events.ts';
import { createSessionName } from '../../../src/ui/terminal/terminalStatus.ts';
import type { UiSession } from '../../../src/ui/types.ts';

function session(title: string | undefined, root = '/home/you/project') {
  const listeners = new Set<(event: AgentEvent) => void>();
  const made = {
    title,
    asked: 0,
    emit: (event: unknown): void => {
      for (const hear of listeners) hear(event as AgentEvent);
    },
  };
  const agent = {
    state() {
      made.asked++;
      return { title: made.title, root };
    },
    subscribe(listener: (event: AgentEvent) => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { made, ui: { agent } as unknown as UiSession, listeners };
}

test('the name follows the session, and the log is read again only after it has grown', () => {
  const name = createSessionName();
  const one = session(undefined);
  expect(name.of(undefined)).toBe('ClawdCode');
  expect(name.of(one.ui)).toBe('ClawdCode · project');
  for (let frame = 0; frame < 100; frame++) {
    one.made.emit({ type: 'text_delta', text: 'x' });
    name.of(one.ui);
  }
  expect(one.made.asked).toBe(1);
  one.made.title = 'Fix it';
  one.made.emit({ type: 'entry' });
  expect(name.of(one.ui)).toBe('Fix it');
  expect(one.made.asked).toBe(2);

  const other = session('Another');
  expect(name.of(other.ui)).toBe('Another');
  expect(one.listeners.size).toBe(0);
  expect(name.of(session(undefined, '/a/b/').ui)).toBe('ClawdCode · b');
  expect(name.of(session(undefined, '/').ui)).toBe('ClawdCode');
  name.dispose();
  expect(other.listeners.size).toBe(0);
});
