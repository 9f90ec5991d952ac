/**
 * Makes room without a model: shortens steps to one line each or single results to a stub, and removes messages. Each
 * reduction is an entry of the log and can be undone. ContextReducer.ts decides when to do which.
 */
import type { ContextMeasure } from '../../protocol/contextReport.ts';
import type { Replacement } from '../../protocol/entries/kinds/compaction.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { dataText } from '../facts/entryText.ts';
import type { Atom } from '../history/atoms.ts';
import { turnStart } from '../history/liveEntries.ts';
import { reductionEntry } from '../history/reductions.ts';
import type { View } from '../history/view.ts';
import { firstErrorLine } from '../results/errorLines.ts';
import type { Session } from '../session.ts';
import { planAtomRemoval, removalEntry } from '../strategies/applyWindow.ts';
import { isRemovalStrategy, removalPolicyFor } from '../strategies/strategyForModel.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { truncateToTokens, wellFormed } from '../tokens/truncate.ts';
import type { RequestOptions } from '../types.ts';
import { type LedgerPlan, ledgerEntry, oldAtoms, planLedger } from './ledger.ts';
import type { SummaryDrafter } from './SummaryDrafter.ts';

/** Minimum share of the window that shortening must free while the request can still be sent. */
const LEAST_GAIN = 0.01;
/** Removal goes down to this share of the trigger, so that the next result does not trigger another one. */
const REMOVAL_TARGET = 0.8;
/** Upper bound for the tokens of the note that replaces removed messages. */
const NOTE_TOKENS = 100;

/** Target size of the request in tokens, and the reason, which is recorded. */
interface PruneGoal {
  readonly reason: string;
  readonly goal: number;
  /** Largest request that can be sent; by default the model's limit. */
  readonly limit?: number;
}

export class ContextPruner {
  readonly #session: Session;
  readonly #drafts: SummaryDrafter;

  constructor(session: Session, drafts: SummaryDrafter) {
    this.#session = session;
    this.#drafts = drafts;
  }

  /**
   * Shortens the steps that a draft covers, so that the draft can still replace them, or earlier turns, if that reaches
   * the goal; otherwise also the current turn. If the request exceeds `limit`, it shortens even for a small gain.
   */
  async shorten(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: PruneGoal,
  ): Promise<ContextMeasure> {
    const { protect, batch } = this.#session.projection.maskBudget(options.tools);
    const used = now.usedTokens;
    // Strategies that remove single messages only mask results.
    if (this.removesMessages()) {
      const masking = { protectTokens: protect, minGain: batch, reason, preTokens: used };
      return (await maskResults(this.#session, masking)) ? this.#measure(options) : now;
    }
    if (used <= goal) return now;
    const minGain = used > limit ? 1 : LEAST_GAIN * this.#budget().window;
    const reach = this.#drafts.reach(options, now);
    const ends = [
      ...(reach === undefined ? [] : [reach + 1]),
      turnStart(this.#session.log.live().entries),
      Number.POSITIVE_INFINITY,
    ];
    for (const before of ends) {
      const plan = this.#planLedger(options, { minGain, before });
      const isEnough = plan !== undefined && used - plan.gain <= goal;
      if (isEnough || (plan !== undefined && before === ends.at(-1)))
        return this.#writeLedger(options, now, plan, reason);
    }
    return now;
  }

  /**
   * Shortens the steps before the entry with seq `before`, except the newest. Returns the same measure if that would
   * free less than `minGain` tokens.
   */
  async shortenBefore(
    options: RequestOptions,
    now: ContextMeasure,
    {
      minGain,
      before,
      reason,
    }: { readonly minGain: number; readonly before: number; readonly reason: string },
  ): Promise<ContextMeasure> {
    const plan = this.#planLedger(options, { minGain, before });
    return plan === undefined ? now : this.#writeLedger(options, now, plan, reason);
  }

  /** Removes messages. Both ends and a minimum stay, unless the request would then exceed `limit`. */
  async remove(
    options: RequestOptions,
    now: ContextMeasure,
    { reason, goal, limit = this.#budget().limit }: PruneGoal,
  ): Promise<ContextMeasure> {
    const { projection, log, append } = this.#session;
    const used = now.usedTokens;
    const excess = { tokens: used + NOTE_TOKENS - goal, overLimit: used + NOTE_TOKENS - limit };
    const plan = planAtomRemoval(projection.view(), excess, this.#policy(), {
      sizeOf: (atom) => projection.sizeOf(atom),
    });
    if (plan === undefined) return now;
    const facts = { preTokens: used, postTokens: Math.ceil(used - plan.freedTokens) };
    await append([removalEntry({ ...plan, reason: `${reason}; ${plan.reason}` }, log.live(), facts)]);
    return this.#measure(options);
  }

  /** Target tokens of a removal when the window fills up. */
  removalTarget(): number {
    const { window, trigger } = this.#budget();
    const { targetShare } = this.#policy();
    return Math.floor(Math.min(targetShare * window, REMOVAL_TARGET * trigger));
  }

  /** True for strategies that remove single messages. */
  removesMessages(): boolean {
    return isRemovalStrategy(this.#session.deps.settings.strategy);
  }

  /** Plans notes for the steps before the entry with seq `before`, except the newest. */
  #planLedger(
    options: RequestOptions,
    { minGain, before }: { readonly minGain: number; readonly before: number },
  ): LedgerPlan | undefined {
    const { projection } = this.#session;
    const sizeOf = projection.sizeOf.bind(projection);
    const view = projection.view();
    const protectTokens = projection.maskBudget(options.tools).protect;
    return planLedger({
      view,
      old: oldAtoms(view, { protectTokens, sizeOf, before }),
      minGain,
      sizeOf,
      sizeOfText: (text) => projection.sizeOfText(text),
    });
  }

  async #writeLedger(
    options: RequestOptions,
    { usedTokens: preTokens }: ContextMeasure,
    plan: LedgerPlan,
    reason: string,
  ): Promise<ContextMeasure> {
    const postTokens = Math.ceil(preTokens - plan.gain);
    await this.#session.append([ledgerEntry(plan, { reason, preTokens, postTokens })]);
    return this.#measure(options);
  }

  #policy(): ReturnType<typeof removalPolicyFor> {
    const { deps } = this.#session;
    const { id, provider } = deps.model();
    return removalPolicyFor(deps.settings, id, provider === undefined ? {} : { provider });
  }

  #budget(): ReturnType<Session['projection']['budget']> {
    return this.#session.projection.budget();
  }

  #measure({ tools }: RequestOptions): ContextMeasure {
    return this.#session.projection.measure(tools);
  }
}

// Masks single results, for the strategies that remove single messages: replaces an old tool result with one line and a
// pointer; its call and text stay. Other strategies use a ledger (ledger.ts).

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
  return atomsToMask(view.atoms, protectTokens, sizeOf)
    .filter((atom) => !view.pinned.has(atom.head.uuid))
    .flatMap((atom) =>
      atom.calls.flatMap(({ call, result }, index) => {
        if (result === undefined || view.replacements.has(result.uuid)) return [];
        const tokens = sizeOfResult(atom, index);
        return tokens > MIN_GAIN_EACH ? [{ call, result, tokens }] : [];
      }),
    );
}

function atomsToMask(
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
async function maskResults(session: Session, masking: Masking): Promise<boolean> {
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
const MASK_STUB_TOKENS = 60;

/**
 * Builds a stub of at most `MASK_STUB_TOKENS`: the tool, its arguments, the outcome, the size, a pointer for Recall
 * and, for a failure, the first error line. The stub may be longer than a short output: the caller has to compare them.
 */
export function maskStub(result: JSONLEntry, call?: JSONLEntry): string {
  const { toolResult } = result;
  const output = dataText(toolResult?.output);
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
