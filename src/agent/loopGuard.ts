/** Detects a model that repeats itself: the same calls with the same results, step after step. */
import type { ContextManager } from '../context/index.ts';
import type { PermissionAnswer } from '../protocol/permissions.ts';
import type { NewQuestion } from './authorise.ts';
import type { FinishedCall } from './toolCalls.ts';

/** Repetitions in a row after which the model is told. */
const TELL_AT = 3;
/** Repetitions after which the user is asked; a headless turn ends. */
export const ASK_AT = 4;

interface RepeatPorts {
  readonly context: Pick<ContextManager, 'addMessage'>;
  readonly ask: (question: NewQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  readonly newId: () => string;
  readonly signal: AbortSignal;
  /** False in headless runs, which cannot ask the user: the turn then ends. */
  readonly interactive: boolean;
}

/**
 * Watches one turn: takes the finished calls of each step, tells a model that repeats itself, and if that does not help
 * asks the user whether the turn may continue.
 */
export function watchRepeats({
  context,
  ask,
  newId,
  signal,
  interactive,
}: RepeatPorts): (calls: readonly FinishedCall[]) => Promise<'continue' | 'end_turn'> {
  const guard = createLoopGuard();
  return async (calls) => {
    const verdict = guard.record(calls);
    const names = calls.map((call) => call.name).join(', ');
    if (verdict === 'tell_model') {
      const content = `You have made the same call (${names}) ${TELL_AT} times in a row with the same result. Do not repeat it: try another way, or say what is missing.`;
      await context.addMessage('user', content, undefined, 'nudge');
    }
    if (verdict !== 'ask_user') return 'continue';
    if (!interactive || (await ask(question(newId(), names), signal)).behavior !== 'allow') return 'end_turn';
    guard.reset();
    return 'continue';
  };
}

function question(id: string, names: string): NewQuestion {
  return {
    id,
    title: 'The model repeats itself',
    headline: 'The model repeats itself. Continue?',
    preview: {
      type: 'text',
      text: `The same call (${names}) keeps giving the same result. Let it continue?`,
    },
    reason: 'the model was told, and repeated the call',
  };
}

interface LoopGuard {
  /** Takes the calls and results of one finished step; returns what to do about them. */
  record(
    step: readonly { name: string; arguments: string; output: string }[],
  ): 'go_on' | 'tell_model' | 'ask_user';
  /** Restarts counting after the user chose to continue. */
  reset(): void;
}

export function createLoopGuard(): LoopGuard {
  let last = '';
  let count = 0;
  return {
    record(step) {
      const signature = JSON.stringify(step.map((call) => [call.name, call.arguments, call.output]));
      count = signature === last ? count + 1 : 1;
      last = signature;
      if (count >= ASK_AT) return 'ask_user';
      return count === TELL_AT ? 'tell_model' : 'go_on';
    },
    reset() {
      count = 0;
      last = '';
    },
  };
}
