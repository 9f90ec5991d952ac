import type { Access, PermissionDecision, PermissionMode, RuleSuggestion } from '../protocol/permissions.ts';
import type { Modes } from './modes.ts';
import type { Questions } from './questions.ts';
import type { ToolCallPorts } from './toolCalls.ts';

/** What the rules say, and where an "always" goes. */
export interface PermissionRules {
  readonly decide: (tool: string, access: Access, mode: PermissionMode) => Promise<PermissionDecision>;
  /** Saves an "always" and says in a sentence what was saved where. */
  readonly remember: (suggestion: RuleSuggestion) => Promise<string>;
  /** Commands in the sandbox need no question from now on. */
  readonly autoAllow?: () => void;
}

export interface PermissionParts {
  readonly rules: PermissionRules;
  readonly modes: Modes;
  readonly questions: Questions;
  readonly notice: (level: 'info', text: string) => void;
}

/** How a call gets its permission: rules under the current mode, the user's answer, and what "always" does. */
export function createPermissionPorts({
  rules,
  modes,
  questions,
  notice,
}: PermissionParts): Pick<ToolCallPorts, 'decide' | 'ask' | 'onAllowed'> {
  return {
    decide: async (tool, access): Promise<PermissionDecision> =>
      access.type === 'plan' && modes.current() !== 'plan'
        ? { behavior: 'deny', reason: 'plan mode is not on; just do the work' }
        : rules.decide(tool, access, modes.current()),
    // Not every question is about a permission: whether to go on with a model that repeats itself is one.
    ask: (question, signal) =>
      modes.current() === 'dontAsk'
        ? Promise.resolve({ behavior: 'deny', comment: 'This session does not ask (mode dontAsk).' })
        : questions.ask(question, signal),
    async onAllowed({ suggestion }, access, answer) {
      if (access.type === 'plan') await modes.leavePlan();
      if (answer.behavior === 'allow' && answer.autoAllow === true) {
        rules.autoAllow?.();
        notice('info', 'Commands in the sandbox run without a question for the rest of this session.');
      }
      if (answer.behavior !== 'allow' || answer.remember !== true || suggestion === undefined) return;
      if (suggestion.destination === 'mode') await modes.set('acceptEdits');
      else notice('info', await rules.remember(suggestion));
    },
  };
}
