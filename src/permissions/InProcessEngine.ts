import type { PermissionDecision, PermissionExplanation } from '../protocol/permissions.ts';
import type { CommandStep, GitUse } from '../protocol/sandbox.ts';
import { type CommandEffect, effectsOf } from './command/commandEffects.ts';
import { commandStepsOf } from './command/commandSteps.ts';
import { gitUseOf } from './command/git/gitUse.ts';
import { installsListed, installsOnly } from './command/installUse.ts';
import { decide } from './decide.ts';
import type { PermissionInput } from './decideCall.ts';
import { explain } from './explain.ts';
import { diskLookups } from './lookups/diskLookups.ts';
import { lookupsOnce } from './lookups/lookupsOnce.ts';
import { notUnderstood, type PermissionEngine, unchecked } from './PermissionEngine.ts';
import type { DiskLookups, Policy, PolicyFacts } from './policy.ts';
import { coverage } from './rules/commandRule.ts';
import { type AnsweredCall, type LearnedRules, proposeRules } from './rules/learnRules.ts';
import { loadShellParser } from './shell/loadParser.ts';

/** The engine in the current thread, which it blocks. Loads the grammar from the folder `wasm` on first use. */
export class InProcessEngine implements PermissionEngine {
  readonly #wasm: string;
  readonly #lookups: DiskLookups;
  readonly #now: () => number;
  #parser: ReturnType<typeof loadShellParser> | undefined;
  #isSpent = false;

  /** `lookups`: default is the real disk and git, with the environment `env`. `now`: milliseconds. */
  constructor(
    wasm: string,
    env: Readonly<Record<string, string | undefined>>,
    lookups: DiskLookups = diskLookups(env),
    now: () => number = () => performance.now(),
  ) {
    this.#now = now;
    this.#wasm = wasm;
    this.#lookups = lookups;
  }

  /** True once a command has made the grammar fail: later ones may not be understood in this thread. */
  get isSpent(): boolean {
    return this.#isSpent;
  }

  async decide(input: PermissionInput, facts: PolicyFacts): Promise<PermissionDecision> {
    const { policy, isCut } = await this.#policy(facts);
    const decision = decide(input, policy);
    return isCut() ? unchecked(decision, facts) : decision;
  }

  async explain(input: PermissionInput, facts: PolicyFacts): Promise<PermissionExplanation> {
    const { policy, isCut } = await this.#policy(facts);
    const explanation = explain(input, policy);
    if (!isCut()) return explanation;
    const { hiding: _, ...rest } = explanation;
    const { behavior, reason } = unchecked(explanation, facts);
    return { ...rest, behavior, reason, saves: [] };
  }

  async matches(patterns: readonly string[], command: string, root: string): Promise<boolean> {
    const parsed = (await this.#parse())(command);
    if (!parsed.ok || parsed.parts.length === 0) return false;
    const allowed = patterns.map((pattern) => ({
      text: `Bash(${pattern})`,
      behavior: 'allow' as const,
      source: 'sandbox.excludedCommands',
      base: root,
    }));
    return parsed.parts.every((part) => allowed.some((rule) => coverage(rule, part) !== undefined));
  }

  async effects(
    command: string,
    cwd: string,
    facts: PolicyFacts,
  ): Promise<readonly CommandEffect[] | undefined> {
    const { policy, isCut } = await this.#policy(facts);
    const effects = effectsOf(command, cwd, policy);
    return isCut() ? undefined : effects;
  }

  async gitUse(command: string, cwd: string, facts: PolicyFacts): Promise<GitUse> {
    const { policy, isCut } = await this.#policy(facts);
    const use = gitUseOf(policy.parseCommand(command), cwd, policy);
    return isCut() ? { type: 'none' } : use;
  }

  async replacesPackages(command: string, cwd: string, facts: PolicyFacts): Promise<boolean> {
    const { policy, isCut } = await this.#policy(facts);
    return installsOnly(policy.parseCommand(command), cwd, policy) && !isCut();
  }

  async installs(command: string, cwd: string, facts: PolicyFacts): Promise<boolean> {
    const { policy, isCut } = await this.#policy(facts);
    return installsListed(policy.parseCommand(command), cwd, policy) && !isCut();
  }

  async steps(command: string, cwd: string, facts: PolicyFacts): Promise<readonly CommandStep[]> {
    const { policy, isCut } = await this.#policy(facts);
    const steps = commandStepsOf(command, cwd, policy);
    return isCut() ? [{ command, isConditional: false }] : steps;
  }

  async propose(calls: readonly AnsweredCall[], facts: PolicyFacts, least: number): Promise<LearnedRules> {
    return proposeRules(calls, { ...facts, ...this.#lookups, parseCommand: await this.#parse() }, least);
  }

  /** The policy for one decision. */
  async #policy(facts: PolicyFacts): Promise<{ readonly policy: Policy; readonly isCut: () => boolean }> {
    const parseCommand = await this.#parse();
    const { lookups, isCut } = lookupsOnce(this.#lookups, this.#now);
    return { policy: { ...facts, ...lookups, parseCommand }, isCut };
  }

  #parse(): Promise<Policy['parseCommand']> {
    this.#parser ??= loadShellParser(this.#wasm, () => {
      this.#isSpent = true;
    }).catch(() => notUnderstood);
    return this.#parser;
  }
}
