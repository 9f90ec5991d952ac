/** What a compaction leaves behind: the view it makes, and the record of what it cost. */
import type { CompactMetadata, EntryDraft, JSONLEntry } from '../../protocol/entries.ts';
import type { ModelInfo, Reply } from '../../protocol/model.ts';
import { pinnedInstructions } from '../history/instructionEntries.ts';
import type { Replacement } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { usageOf } from '../sessionDrafts.ts';
import type { Choice } from './choose.ts';

/** The view as it will be, to be measured before anything is written. */
export function viewAfter(
  view: View,
  { plan }: Choice,
  summary: string,
  metadata: CompactMetadata,
  replacements: readonly Replacement[],
): View {
  const riding = view.atoms.map(({ head }) => head).filter(({ subtype }) => subtype === 'instructions');
  return {
    systemPrompt: view.systemPrompt,
    instructions: pinnedInstructions([...view.instructions, ...riding]),
    pinned: view.pinned,
    summary: summaryEntry(summary, metadata),
    atoms: plan.kept,
    replacements: new Map([
      ...view.replacements,
      ...replacements.map((one) => [one.uuid, one.output] as const),
    ]),
  };
}

function summaryEntry(content: string, compactMetadata: CompactMetadata): JSONLEntry {
  const identity = {
    v: 1,
    seq: 0,
    uuid: '',
    parentUuid: null,
    sessionId: '',
    timestamp: '',
    cwd: '',
    version: '',
  };
  return {
    ...identity,
    type: 'user',
    message: { role: 'user', content },
    isCompactSummary: true,
    compactMetadata,
  };
}

/** What a summary cost, as an entry; undefined where the server reported nothing. */
export function usageEntry(model: ModelInfo, { usage, model: named }: Reply): EntryDraft | undefined {
  if (usage === undefined) return undefined;
  return {
    type: 'system',
    subtype: 'usage',
    message: {
      role: 'system',
      content: '',
      model: named ?? model.id,
      usage: usageOf(usage),
    },
    data: { purpose: 'summary' },
  };
}
