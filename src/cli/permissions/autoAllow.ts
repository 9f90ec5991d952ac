/**
 * Runs sandboxed commands without approval (`sandbox.autoAllow`): only if there is a sandbox and no rule requires
 * approval.
 */
import type { CommandSandbox } from '../../protocol/sandbox.ts';
import type { Permissions } from './permissions.ts';

export interface AutoAllow {
  decide: Permissions['decide'];
  /** Switches it on for this session, because the user chose that. */
  enable(): void;
}

interface AutoAllowParts {
  readonly permissions: Pick<Permissions, 'decide' | 'matches'>;
  readonly sandbox: Pick<CommandSandbox, 'state'>;
  /** Shared by all agents of a session. */
  readonly state: { isOn: boolean };
  /** Returns a word of a command, run in a folder, for which the sandbox alone is not enough protection. */
  readonly delicateWord: (command: string, cwd: string) => string | undefined;
  /** Commands that run outside the sandbox. */
  readonly excluded: readonly string[];
}

export function createAutoAllow({
  permissions,
  sandbox,
  state,
  delicateWord,
  excluded,
}: AutoAllowParts): AutoAllow {
  return {
    enable() {
      state.isOn = true;
    },
    async decide(tool, access, mode, allowedBy) {
      const decision = await permissions.decide(tool, access, mode, allowedBy);
      // An ask rule always asks.
      if (decision.behavior !== 'ask' || access.type !== 'command' || decision.rule !== undefined)
        return decision;
      // The sandbox lets programs read the project's secrets; whether the model may see them is the user's decision.
      if (decision.causes?.some((cause) => cause.type === 'limit' && cause.isSecret)) return decision;
      if (delicateWord(access.command, access.cwd) !== undefined) return decision;
      const [{ type }, isExcluded] = await Promise.all([
        sandbox.state(),
        permissions.matches(excluded, access.command),
      ]);
      if (type !== 'on' || isExcluded) return decision;
      if (!state.isOn) return { ...decision, canAutoAllow: true };
      return { behavior: 'allow', basis: 'sandbox', reason: 'Runs in the sandbox (sandbox.autoAllow).' };
    },
  };
}
