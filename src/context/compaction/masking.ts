/**
 * Masks single results, for the strategies that remove single messages: replaces an old tool result with one line and a
 * pointer; its call and text stay. Other strategies use a ledger (ledger.ts).
 */
import type { Replacement } from '../../protocol/entries/kinds/compaction.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Atom } from '../history/atoms.ts';
import { reductionEntry } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import type { Session } from '../session.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { truncateToTokens, wellFormed } from '../tokens/truncate.ts';

interface MaskInput {
  readonly view: View;
  /** Tokens of the newest atoms whose results stay; the newest atom always stays. */
  readonly protectTokens: number;
  /** Minimum tokens to free; with less, nothing is masked. */
  readonly minGain: number;
  readonly sizeOf: (atom: Atom) => number;
  /** Tokens of the `index`-th result of an atom, as it is sent. */
  readonly sizeOfResult: (atom: Atom, index: number) => number;
  /** Calibrated tokens of a text. */
  readonly sizeOfText: (text: string) => number;
}

interface MaskPlan {
  readonly replacements: readonly Replacement[];
  /** Tokens freed. */
  readonly gain: number;
}

/** A result only slightly longer than its stub is not masked. */
const MIN_GAIN_EACH = 40;

/** Plans stubs for all old results; undefined if they free less than `minGain`. */
function planMask(input: MaskInput): MaskPlan | undefined {
  const candidates = candidatesIn(input);
  const most = candidates.reduce((sum, { tokens }) => sum + tokens, 0);
  if (most < input.minGain) return undefined;
  const replacements: Replacement[] = [];
  let gain = 0;
  for (const { call, result, tokens } of candidates) {
    const output = maskStub(result, call);
    const freed = tokens - input.sizeOfText(output);
    if (freed < MIN_GAIN_EACH) continue;
    gain += freed;
    replacements.push({ uuid: result.uuid, output });
  }
  return replacements.length === 0 || gain < input.minGain ? undefined : { replacements, gain };
}

interface Candidate {
  readonly call: JSONLEntry;
  readonly result: JSONLEntry;
  readonly tokens: number;
}

/** Results of old atoms that are still shown in full. */
function candidatesIn({ view, protectTokens, sizeOf, sizeOfResult }: MaskInput): Candidate[] {
  return oldAtoms(view.atoms, protectTokens, sizeOf)
    .filter((atom) => !view.pinned.has(atom.head.uuid))
    .flatMap((atom) =>
      atom.calls.flatMap(({ call, result }, index) => {
        if (result === undefined || view.replacements.has(result.uuid)) return [];
        const tokens = sizeOfResult(atom, index);
        return tokens > MIN_GAIN_EACH ? [{ call, result, tokens }] : [];
      }),
    );
}

function oldAtoms(
  atoms: readonly Atom[],
  protectTokens: number,
  sizeOf: MaskInput['sizeOf'],
): readonly Atom[] {
  let used = 0;
  let end = atoms.length;
  while (end > 0) {
    const atom = atoms[end - 1];
    if (atom === undefined) break;
    used += sizeOf(atom);
    if (used > protectTokens && end < atoms.length) break;
    end--;
  }
  return atoms.slice(0, end);
}

interface Masking {
  /** Tokens of the newest atoms that stay. */
  readonly protectTokens: number;
  readonly minGain: number;
  readonly reason: string;
  /** Tokens of the current request. */
  readonly preTokens: number;
}

/** Records stubs for old results in one entry; false if they would free less than `minGain`. */
export async function maskResults(session: Session, masking: Masking): Promise<boolean> {
  const { projection, append } = session;
  const { protectTokens, minGain, reason, preTokens } = masking;
  const plan = planMask({
    view: projection.view(),
    protectTokens,
    minGain,
    sizeOf: (atom) => projection.sizeOf(atom),
    sizeOfResult: (atom, index) => projection.sizeOfResult(atom, index),
    sizeOfText: (text) => projection.sizeOfText(text),
  });
  if (plan === undefined) return false;
  const postTokens = Math.ceil(preTokens - plan.gain);
  const replacements = [...plan.replacements];
  await append([
    reductionEntry({ kind: 'mask', strategy: 'stubs', reason, preTokens, postTokens, replacements }),
  ]);
  return true;
}

// The one-line stub for a masked tool result. Pure: the same entries give the same bytes.

/** Maximum tokens of a stub, by the higher estimate. */
export const MASK_STUB_TOKENS = 60;

/**
 * Builds a stub of at most `MASK_STUB_TOKENS`: the tool, its arguments, the outcome, the size, a pointer for Recall
 * and, for a failure, the first error line. The stub may be longer than a short output: the caller has to compare them.
 */
export function maskStub(result: JSONLEntry, call?: JSONLEntry): string {
  const { toolResult } = result;
  const output = textOf(toolResult?.output);
  const status = toolResult?.status ?? 'ok';
  const bytes = toolResult?.original?.bytes ?? Buffer.byteLength(output);
  const name = oneLine(toolResult?.name ?? call?.tool?.name ?? 'tool', 8);
  const title = oneLine(toolResult?.display?.title ?? '', MAX_TITLE_TOKENS);
  const end = oneLine(toolResult?.display?.summary ?? '', 8);
  const outcome = [status === 'ok' || status === 'partial' ? '' : status, end].filter((part) => part !== '');
  const head = [name, title, ...(outcome.length === 0 ? [] : [`→ ${outcome.join(', ')}`])]
    .filter((part) => part !== '')
    .join(' ');
  const body = `[${head}; ${bytes} bytes, masked: Recall("#${result.seq}")`;
  const error = status === 'error' ? firstErrorLine(output) : undefined;
  const room = MASK_STUB_TOKENS - estimateTokens(`${body}; ]`, HIGH) - 1;
  const shown = error === undefined || room < 4 ? '' : oneLine(error, room);
  return shown === '' ? `${body}]` : `${body}; ${shown}]`;
}

const MAX_TITLE_TOKENS = 16;
/** Characters read; more cannot matter for one line. */
const MAX_LOOKED_AT = 400;

function oneLine(text: string, maxTokens: number): string {
  const flat = wellFormed(text.slice(0, MAX_LOOKED_AT)).replace(/\s+/g, ' ').trim();
  return truncateToTokens(flat, maxTokens, '…', HIGH);
}

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
}
