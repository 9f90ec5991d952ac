/** Explains the decision about a call. Decides nothing itself: it calls the functions that decide. */
import type { ExplainedPart, ExplainedVerdict, PermissionExplanation } from '../protocol/permissions.ts';
import { type Judged, judgeCommand } from './command/commandDecision.ts';
import type { PartVerdict } from './command/partDecision.ts';
import { decide } from './decide.ts';
import { type PermissionInput, shownCall } from './decideCall.ts';
import { decideFile } from './files/fileDecision.ts';
import type { Policy } from './policy.ts';

/** Decides one call like `decide`, and explains the decision. */
export function explain(input: PermissionInput, policy: Policy): PermissionExplanation {
  const { tool, access } = input;
  const judged = access.type === 'command' ? judgeCommand(tool, access, policy) : undefined;
  const { behavior, reason, rule, suggestion, hiding } = decide(input, policy);
  const parts =
    judged?.parts().map((part) => explainedPart(part, judged.isByParts)) ?? fileParts(input, policy);
  return {
    tool,
    mode: policy.mode,
    call: shownCall(input),
    ...(access.type === 'command' && { cwd: access.cwd }),
    behavior,
    reason,
    ...(rule && { rule }),
    ...(hiding && { hiding }),
    saves: suggestion?.rules ?? [],
    isUnderstood: judged?.isUnderstood ?? true,
    parts,
  };
}

function explainedPart({ visit, file, verdict }: Judged, isByParts: boolean): ExplainedPart {
  const part = visit?.part;
  return {
    text: part?.text ?? file ?? '',
    words: part?.full.map((value, at) => ({ source: part.fullRaw[at] ?? '', value })) ?? [],
    folders: visit === undefined ? [] : visit.directories,
    ...(isByParts && { verdict: explainedVerdict(verdict) }),
  };
}

function explainedVerdict({
  behavior,
  reason,
  rule,
  row,
  stopped = [],
}: Pick<PartVerdict, 'behavior' | 'reason' | 'rule' | 'row' | 'stopped'>): ExplainedVerdict {
  return { behavior, reason, ...(rule && { rule }), ...(row !== undefined && { row }), stopped };
}

function fileParts({ tool, access }: PermissionInput, policy: Policy): readonly ExplainedPart[] {
  if (access.type !== 'read' && access.type !== 'write') return [];
  return access.paths.map((path) => ({
    text: path,
    words: [],
    folders: [],
    verdict: explainedVerdict(decideFile({ tool, verb: access.type, path }, policy)),
  }));
}
