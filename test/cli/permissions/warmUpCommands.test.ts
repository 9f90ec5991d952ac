import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { warmUpCommands } from '../../../src/cli/permissions/warmUpCommands.ts';
import type { AgentEvent, IdentifiedEvent } from '../../../src/protocol/events.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function warmUp() {
  const prepare = vi.fn();
  let emit = (_: IdentifiedEvent): void => {};
  warmUpCommands(
    {
      subscribe: (listener) => {
        emit = listener;
        return () => {};
      },
    },
    prepare,
  );
  return { prepare, emit: (event: AgentEvent) => emit({ ...event, agentId: 'main' }) };
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
  const { prepare, emit } = warmUp();
  emit(step);
  expect(prepare).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
  emit(writes('Bash'));
  emit(end);
  emit(step);
  vi.runAllTimers();
  expect(prepare).toHaveBeenCalledOnce();
});

test('a model that answers at once has them prepared only when it writes a command', () => {
  const { prepare, emit } = warmUp();
  emit(step);
  emit(writes('Read'));
  emit(end);
  vi.runAllTimers();
  expect(prepare).not.toHaveBeenCalled();
  emit(step);
  emit(writes('Bash'));
  expect(prepare).toHaveBeenCalledOnce();
});
