import type { PermissionExplanation } from '../protocol/explanation.ts';
import type { PermissionDecision } from '../protocol/permissions.ts';
import { coverage } from './commandRule.ts';
import { decide, type PermissionInput } from './decide.ts';
import { diskLookups } from './diskLookups.ts';
import { explain } from './explain.ts';
import { type AnsweredCall, type LearnedRules, proposeRules } from './learnRules.ts';
import type { DiskLookups, Policy, PolicyFacts } from './policy.ts';
import { loadShellParser } from './shell.ts';

/** What decides about commands, in this thread or in one of its own: it reads the grammar, the disk, and asks git. */
export interface PermissionEngine {
  decide(input: PermissionInput, facts: PolicyFacts): Promise<PermissionDecision>;
  /** The same decision with what led to it. */
  explain(input: PermissionInput, facts: PolicyFacts): Promise<PermissionExplanation>;
  /** Whether every part of a command matches one of the patterns, as in `Bash(pattern)`. */
  matches(patterns: readonly string[], command: string, root: string): Promise<boolean>;
  /** See `proposeRules`. */
  propose(calls: readonly AnsweredCall[], facts: PolicyFacts, least: number): Promise<LearnedRules>;
}

/** Without the grammar no command is understood, and what is not understood is asked about. */
export const notUnderstood = (): { readonly ok: false } => ({ ok: false });

/** The engine in this thread, which it blocks. The grammar is loaded on first need from the folder `wasm`. */
export class InProcessEngine implements PermissionEngine {
  readonly #wasm: string;
  readonly #lookups: DiskLookups;
  #parser: ReturnType<typeof loadShellParser> | undefined;

  constructor(wasm: string, env: Readonly<Record<string, string | undefined>>) {
    this.#wasm = wasm;
    this.#lookups = diskLookups(env);
  }

  async decide(input: PermissionInput, facts: PolicyFacts): Promise<PermissionDecision> {
    return decide(input, await this.#policy(facts));
  }

  async explain(input: PermissionInput, facts: PolicyFacts): Promise<PermissionExplanation> {
    return explain(input, await this.#policy(facts));
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

  async propose(calls: readonly AnsweredCall[], facts: PolicyFacts, least: number): Promise<LearnedRules> {
    return proposeRules(calls, await this.#policy(facts), least);
  }

  async #policy(facts: PolicyFacts): Promise<Policy> {
    return { ...facts, ...this.#lookups, parseCommand: await this.#parse() };
  }

  #parse(): Promise<Policy['parseCommand']> {
    this.#parser ??= loadShellParser(this.#wasm).catch(() => notUnderstood);
    return this.#parser;
  }
}
