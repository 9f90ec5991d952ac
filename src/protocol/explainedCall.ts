import type { PermissionExplanation } from './permissions.ts';
import type { SandboxState } from './sandbox.ts';

/** The explanation of a call on this machine. */
export interface ExplainedCall extends PermissionExplanation {
  /** With `hiding`: the sandbox on which it depends whether the call runs without approval. */
  readonly sandbox?: SandboxState;
}

/** What becomes of a call here: only a working sandbox can hide files from a command that would show them. */
export function explainedIn(explanation: PermissionExplanation, sandbox: SandboxState): ExplainedCall {
  if (explanation.hiding === undefined) return explanation;
  if (sandbox.type !== 'on') return { ...explanation, sandbox };
  return { ...explanation, sandbox, behavior: 'allow', reason: 'It only reads.', saves: [] };
}
