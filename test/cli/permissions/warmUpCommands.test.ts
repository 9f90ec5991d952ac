import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { warmUpCommands } from '../../../src/cli/permissions/permissions.ts';
import type { AgentEvent } from '../../../src/protocol/events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function warmUp() {
  const prepare = vi.fn();
  return { prepare, ...warmUpCommands(prepare) };
}

const step: AgentEvent = { type: 'step_started', step: 1 };
const writes = (name: string): AgentEvent => ({
  type: 'tool_call_delta',
  index: 0,
  name,
  argumentsLength: 0,
});
const end: AgentEvent = { type: 'turn_ended', outcome: 'done', steps: 1 };

test('commands are prepared once, while the model thinks', () => {
  const { prepare, underway, hear } = warmUp();
  hear(step);
  // A large session takes a while to become a request.
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
  underway();
  expect(prepare).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
  hear(writes('Bash'));
  hear(end);
  underway();
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
});

test('if the model answers immediately, they are prepared only when it writes a command', () => {
  const { prepare, underway, hear } = warmUp();
  underway();
  hear(writes('Read'));
  hear(end);
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
  underway();
  hear(writes('Bash'));
  expect(prepare).toHaveBeenCalledOnce();
});
