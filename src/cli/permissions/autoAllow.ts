/** Commands in the sandbox without a question (`sandbox.autoAllow`): only where there is one, and no rule says otherwise. */
import type { Access, PermissionDecision, PermissionMode } from '../../protocol/permissions.ts';
import type { CommandSandbox } from '../../protocol/sandbox.ts';
import type { Permissions } from './permissions.ts';

export interface AutoAllow {
  decide(tool: string, access: Access, mode: PermissionMode): Promise<PermissionDecision>;
  /** The user switched it on for this session. */
  enable(): void;
}

export interface AutoAllowParts {
  readonly permissions: Pick<Permissions, 'decide' | 'matches'>;
  readonly sandbox: Pick<CommandSandbox, 'state'>;
  readonly isOn: boolean;
  /** A word of a command, run in a folder, that the sandbox alone is not enough for. */
  readonly delicateWord: (command: string, cwd: string) => string | undefined;
  /** Commands that run outside the sandbox. */
  readonly excluded: readonly string[];
}

export function createAutoAllow({
  permissions,
  sandbox,
  isOn,
  delicateWord,
  excluded,
}: AutoAllowParts): AutoAllow {
  let on = isOn;
  return {
    enable() {
      on = true;
    },
    async decide(tool, access, mode) {
      const decision = await permissions.decide(tool, access, mode);
      // A rule that asks has its reasons.
      if (decision.behavior !== 'ask' || access.type !== 'command' || decision.rule !== undefined)
        return decision;
      // The sandbox lets programs read the project's secrets; what is shown to the model is the user's to say.
      if (decision.causes?.some((cause) => cause.type === 'limit' && cause.isSecret)) return decision;
      if (delicateWord(access.command, access.cwd) !== undefined) return decision;
      const [state, isExcluded] = await Promise.all([
        sandbox.state(),
        permissions.matches(excluded, access.command),
      ]);
      if (state.type !== 'on' || isExcluded) return decision;
      if (!on) return { ...decision, canAutoAllow: true };
      return { behavior: 'allow', basis: 'sandbox', reason: 'Runs in the sandbox (sandbox.autoAllow).' };
    },
  };
}
