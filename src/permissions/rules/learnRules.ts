/**
 * Proposes rules based on past answers: those that answering "always" would have saved, with the calls that each would
 * have covered.
 */
import { decide } from '../decide.ts';
import { type PermissionInput, shownCall } from '../decideCall.ts';
import type { Policy } from '../policy.ts';
import type { SourcedRule } from './rules.ts';

/** A call that needed approval, and the user's answer. */
export interface AnsweredCall extends PermissionInput {
  readonly answer: 'allowed' | 'denied';
}

interface ProposedRule {
  readonly rule: string;
  /** The covered calls with their number of occurrences, most frequent first. */
  readonly covers: readonly { readonly call: string; readonly times: number }[];
  /** The number of approval prompts that it would have avoided, or helped to avoid if a command needs several rules. */
  readonly times: number;
}

export interface LearnedRules {
  readonly rules: readonly ProposedRule[];
  /** Rules that would have allowed a call that the user denied, with that call. */
  readonly refused: readonly { readonly rule: string; readonly call: string }[];
}

/**
 * Proposes rules for calls that would still ask, most useful first. `policy` has the rules in force and the mode;
 * `least` is the minimum number of prompts that a rule must have saved. Neither one of the rules nor all of them together
 * would have allowed a denied call.
 */
export function proposeRules(calls: readonly AnsweredCall[], policy: Policy, least: number): LearnedRules {
  const denied = distinct(calls.filter(({ answer }) => answer === 'denied')).filter(
    ({ call }) => decide(call, policy).behavior !== 'allow',
  );
  const usesByRule = new Map<string, { call: AnsweredCall; times: number }[]>();
  for (const { call, times } of distinct(calls.filter(({ answer }) => answer === 'allowed'))) {
    const { behavior, suggestion } = decide(call, policy);
    if (behavior !== 'ask' || suggestion?.destination !== 'local') continue;
    for (const rule of suggestion.rules)
      usesByRule.set(rule, [...(usesByRule.get(rule) ?? []), { call, times }]);
  }
  const rules: ProposedRule[] = [];
  const refused: { rule: string; call: string }[] = [];
  for (const [rule, uses] of usesByRule) {
    const times = uses.reduce((sum, use) => sum + use.times, 0);
    if (times < least) continue;
    const allowedDenial = denied.find(({ call }) =>
      runsWith(call, [...rules.map((one) => one.rule), rule], policy),
    );
    if (allowedDenial) refused.push({ rule, call: shownCall(allowedDenial.call) });
    else {
      const covers = uses.map((use) => ({ call: shownCall(use.call), times: use.times }));
      rules.push({ rule, times, covers: covers.sort((a, b) => b.times - a.times) });
    }
  }
  return { rules: rules.sort((a, b) => b.times - a.times), refused };
}

function runsWith(call: PermissionInput, texts: readonly string[], policy: Policy): boolean {
  const added = texts.map(
    (text): SourcedRule => ({ text, behavior: 'allow', source: 'proposed', base: policy.root }),
  );
  return decide(call, { ...policy, rules: [...policy.rules, ...added] }).behavior === 'allow';
}

function distinct(calls: readonly AnsweredCall[]): readonly { call: AnsweredCall; times: number }[] {
  const found = new Map<string, { call: AnsweredCall; times: number }>();
  for (const call of calls) {
    const key = JSON.stringify([call.tool, call.access]);
    const { times } = found.get(key) ?? { times: 0 };
    found.set(key, { call, times: times + 1 });
  }
  return [...found.values()];
}
