/**
 * Decides about one tool call, commands included. Pure except for the policy's functions: the shell grammar and disk
 * lookups.
 *
 * Files are decided in `files/`, commands in `command/`: `shell/` parses a command, deny and ask rules apply to the
 * whole (`forbiddenCommand.ts`), then each part needs an allow rule that covers it (`rules/`, with the tables of
 * programs in `options/`) or must be read-only (`readOnly/`). Disk and git are accessed in `lookups/`.
 */
import type { PermissionDecision } from '../protocol/permissions.ts';
import { decideCommand } from './command/commandDecision.ts';
import { decideCall, type PermissionInput } from './decideCall.ts';
import type { Policy } from './policy.ts';

/** Decides one call; see `decideCall`. */
export function decide(input: PermissionInput, policy: Policy): PermissionDecision {
  return decideCall(input, policy, decideCommand);
}
