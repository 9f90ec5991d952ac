import type { PermissionDecision, PermissionExplanation } from '../protocol/permissions.ts';
import type { CommandStep, GitUse } from '../protocol/sandbox.ts';
import type { CommandEffect } from './command/commandEffects.ts';
import type { PermissionInput } from './decideCall.ts';
import type { PolicyFacts } from './policy.ts';
import type { AnsweredCall, LearnedRules } from './rules/learnRules.ts';

/** Decides about tool calls, in this thread or another. It loads the grammar, reads the disk, and runs git. */
export interface PermissionEngine {
  decide(input: PermissionInput, facts: PolicyFacts): Promise<PermissionDecision>;
  /** The same decision with an explanation. */
  explain(input: PermissionInput, facts: PolicyFacts): Promise<PermissionExplanation>;
  /** True if every part of a command matches one of the patterns, as in `Bash(pattern)`. */
  matches(patterns: readonly string[], command: string, root: string): Promise<boolean>;
  /** See `gitUseOf`; type `none` also if the lookups took too long. */
  gitUse(command: string, cwd: string, facts: PolicyFacts): Promise<GitUse>;
  /** See `installsOnly`; false also if the lookups took too long. */
  replacesPackages(command: string, cwd: string, facts: PolicyFacts): Promise<boolean>;
  /** See `installsListed`; false also if the lookups took too long. */
  installs(command: string, cwd: string, facts: PolicyFacts): Promise<boolean>;
  /** See `commandStepsOf`; one step also if the lookups took too long. */
  steps(command: string, cwd: string, facts: PolicyFacts): Promise<readonly CommandStep[]>;
  /** See `effectsOf`; undefined also if the lookups took too long. */
  effects(command: string, cwd: string, facts: PolicyFacts): Promise<readonly CommandEffect[] | undefined>;
  /** See `proposeRules`. */
  propose(calls: readonly AnsweredCall[], facts: PolicyFacts, least: number): Promise<LearnedRules>;
}

/** Used if the grammar cannot be loaded: no command is understood, so every command needs approval. */
export const notUnderstood = (): { readonly ok: false } => ({ ok: false });

const TOO_LONG = 'Checking what this command would access takes too long.';

/**
 * Adjusts a decision that was made without all of its lookups. Denials, ask rules and allows in bypassPermissions
 * stand; everything else asks, or is denied in a mode that does not ask. Offers no rule to save, and no files to hide
 * instead of asking: there may be more of them.
 */
export function unchecked<
  D extends Pick<PermissionDecision, 'behavior' | 'hiding'> & { readonly rule?: unknown },
>(
  { hiding: _, ...decision }: D,
  { mode }: Pick<PolicyFacts, 'mode'>,
): Omit<D, 'hiding'> | PermissionDecision {
  const { behavior, rule } = decision;
  if (behavior === 'deny' || (behavior === 'allow' && mode === 'bypassPermissions')) return decision;
  if (mode === 'dontAsk') return { behavior: 'deny', reason: TOO_LONG };
  if (behavior === 'ask' && rule !== undefined) return decision;
  // Secrets may be among what was not looked up: a sandbox alone does not justify running it without approval.
  return { behavior: 'ask', reason: TOO_LONG, causes: [{ type: 'limit', reason: TOO_LONG, isSecret: true }] };
}
