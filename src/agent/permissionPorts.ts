import { isDeepStrictEqual } from 'node:util';
import {
  type Access,
  modeLabels,
  type PermissionDecision,
  type PermissionMode,
  type RuleSuggestion,
} from '../protocol/permissions.ts';
import type { Judge } from './auto/judge.ts';
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
  readonly judge: Judge;
  readonly notice: (level: 'info', text: string) => void;
}

/** How a call gets its permission: rules under the current mode, the user's answer, and what "always" does. */
export function createPermissionPorts({
  rules,
  modes,
  questions,
  judge,
  notice,
}: PermissionParts): Pick<ToolCallPorts, 'decide' | 'ask' | 'onAllowed'> {
  return {
    async decide(tool, access, call): Promise<PermissionDecision> {
      const mode = modes.current();
      if (access.type === 'plan' && mode !== 'plan')
        return { behavior: 'deny', reason: 'plan mode is not on; just do the work' };
      const decision = await rules.decide(tool, access, mode);
      if (access.type === 'plan' && decision.behavior === 'ask') return { ...decision, ...planChoice(modes) };
      if (mode !== 'auto' || decision.behavior !== 'ask') return decision;
      const judged = await judge.judge({ ...call, tool, access, decision });
      if (judged.behavior !== 'allow') return judged;
      // A judge takes seconds, in which a link, a file or the mode may have become another.
      const now = await rules.decide(tool, access, modes.current());
      const isSame = modes.current() === 'auto' && isDeepStrictEqual(now, decision);
      return isSame ? judged : now;
    },
    ask: questions.ask,
    async onAllowed({ suggestion }, access, answer) {
      if (answer.behavior === 'allow') judge.userAllowed();
      if (answer.behavior === 'allow' && answer.autoAllow === true) {
        rules.autoAllow?.();
        notice('info', 'Commands in the sandbox run without a question for the rest of this session.');
      }
      const isAlways = answer.behavior === 'allow' && answer.remember === true && suggestion !== undefined;
      if (isAlways && suggestion.destination === 'mode') await modes.set('acceptEdits');
      else if (access.type === 'plan') await modes.set(modes.afterPlan());
      if (!isAlways || suggestion.destination === 'mode') return;
      notice('info', await rules.remember(suggestion));
    },
  };
}

/** A plan leads back to the mode from before; accepting edits from now on is a choice of its own. */
function planChoice(modes: Modes): Partial<PermissionDecision> {
  const next = modes.afterPlan();
  if (next === 'default' && modes.cycle.includes('acceptEdits'))
    return { suggestion: { rules: [], destination: 'mode', label: 'Yes, and accept edits' } };
  return next === 'default' ? {} : { reason: `The plan runs in ${modeLabels[next]} mode.` };
}
