/** Notices a model that goes in circles: the same calls with the same results, step after step. */

/** Repetitions in a row at which the model is told. */
export const TELL_AT = 3;
/** Repetitions at which the user is asked (headless: the turn ends): it was told, and did it again. */
export const ASK_AT = 4;

export interface LoopGuard {
  /** Takes the calls and results of one finished step; says what is to be done about them. */
  record(
    step: readonly { name: string; arguments: string; output: string }[],
  ): 'go_on' | 'tell_model' | 'ask_user';
  /** The user said to go on: count from one again. */
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
