import { reductionDraft } from '../history/reductions.ts';
import type { SessionParts } from '../sessionParts.ts';
import { planMask } from './masking.ts';

interface Masking {
  /** Tokens of the newest atoms that stay as they are. */
  readonly protectTokens: number;
  readonly minGain: number;
  readonly reason: string;
  /** Of the request as it is. */
  readonly preTokens: number;
}

/** Records stubs for old results, all at once; nothing where they would not free `minGain`. */
export async function maskResults(parts: SessionParts, masking: Masking): Promise<void> {
  const { projection, append } = parts;
  const { protectTokens, minGain, reason, preTokens } = masking;
  const plan = planMask({
    view: projection.view(),
    protectTokens,
    minGain,
    sizeOf: (atom) => projection.sizeOf(atom),
    sizeOfResult: (atom, index) => projection.sizeOfResult(atom, index),
    sizeOfText: (text) => projection.sizeOfText(text),
  });
  if (plan === undefined) return;
  const postTokens = Math.ceil(preTokens - plan.gain);
  const replacements = [...plan.replacements];
  await append([
    reductionDraft({ kind: 'mask', strategy: 'stubs', reason, preTokens, postTokens, replacements }),
  ]);
}
