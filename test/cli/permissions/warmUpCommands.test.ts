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

test('commands are prepared once, while the model thinks after a call of another tool', () => {
  const { prepare, underway, handle } = warmUp();
  handle(step);
  underway();
  handle(writes('Read'));
  // Building the request of a large session takes a while.
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
  underway();
  expect(prepare).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
  handle(writes('Bash'));
  handle(end);
  underway();
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
});

test('commands are prepared when the model writes the first one', () => {
  const { prepare, underway, handle } = warmUp();
  underway();
  handle(writes('Bash'));
  expect(prepare).toHaveBeenCalledOnce();
});

test('commands are never prepared in a session in which the model only replies', () => {
  const { prepare, underway, handle } = warmUp();
  underway();
  vi.runAllTimers();
  handle(end);
  underway();
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
});

test('if the turn ends before the model has thought, commands are not prepared', () => {
  const { prepare, underway, handle } = warmUp();
  handle(writes('Read'));
  underway();
  handle(end);
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
});
