/** Which model answers while the chosen one is unavailable, and when the chosen one is tried again. */
import type { ContextMeasure } from '../protocol/contextReport.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ModelError, ModelInfo } from '../protocol/models/model.ts';
import type { AgentModel } from './agentDeps.ts';

/** The first prompt after this time tries the chosen model again. */
const RETRY_PRIMARY_MS = 5 * 60_000;

/** Attempts with one model before the next one is tried. */
const ATTEMPTS = 3;

export interface Fallback {
  /** Call at the start of a turn. */
  begin(): void;
  /** Attempts for the next request; undefined = the usual number. */
  maxAttempts(measure: () => ContextMeasure): number | undefined;
  /** Call after a reply. */
  answered(): void;
  /** After a failed request to `asked`: true if another model is now in use and the request must be rebuilt. */
  use(asked: string, error: ModelError, measure: () => ContextMeasure): boolean;
  /** The user has chosen a model: it is no longer replaced. */
  forget(): void;
  /** The chosen model while a fallback replaces it. */
  chosen(): ModelInfo | undefined;
}

interface FallbackDeps {
  readonly model: Pick<AgentModel, 'current' | 'select'>;
  readonly fallbacks: () => readonly ModelInfo[];
  readonly now: () => number;
  readonly emit: (event: AgentEvent) => void;
}

export function createFallback({ model, fallbacks, now, emit }: FallbackDeps): Fallback {
  /** The chosen model while a fallback replaces it, when that began, and the fallback that was reported to the user. */
  let replaced: { readonly chosen: ModelInfo; readonly since: number; readonly reported: string } | undefined;
  /** Models that failed in this turn. */
  const failed = new Set<string>();
  const select = (id: string): void => emit({ type: 'model_changed', model: model.select(id) });
  const notify = (level: 'info' | 'warning', text: string): void => emit({ type: 'notice', level, text });
  const isTrial = (): boolean => replaced?.chosen.id === model.current().id;
  const restore = (): void => {
    if (replaced !== undefined && !isTrial()) select(replaced.chosen.id);
    replaced = undefined;
  };
  return {
    begin() {
      failed.clear();
      if (replaced !== undefined && now() - replaced.since >= RETRY_PRIMARY_MS) select(replaced.chosen.id);
    },
    // The user should not have to wait for all retries while another model could answer.
    maxAttempts(measure) {
      if (isTrial()) return 1;
      const current = model.current();
      const models = [replaced?.chosen ?? current, ...fallbacks()];
      const left = models.filter(({ id }) => id !== current.id && !failed.has(id));
      return left.length > 0 && nextModel(left, failed, measure()) !== undefined ? ATTEMPTS : undefined;
    },
    answered() {
      if (replaced === undefined || !isTrial()) return;
      notify('info', `${replaced.chosen.id} is available again.`);
      replaced = undefined;
    },
    use(asked, error, measure) {
      const current = model.current();
      // The user has chosen another model in the meantime.
      if (current.id !== asked) return false;
      const chosen = replaced?.chosen ?? current;
      failed.add(current.id);
      const isSkipped = !isUnavailable(error) && current.id !== chosen.id && isUnusable(error);
      const mayMove = isUnavailable(error) || isSkipped;
      const next = mayMove ? nextModel([chosen, ...fallbacks()], failed, measure()) : undefined;
      if (next === undefined) {
        // The next prompt starts with the chosen model.
        restore();
        return false;
      }
      select(next.id);
      if (next.id === chosen.id) return true;
      if (isSkipped) notify('warning', `${current.id} is skipped: ${error.message} Using ${next.id}.`);
      else if (replaced?.reported !== next.id)
        notify('warning', `${current.id} is unavailable; using ${next.id}.`);
      replaced = { chosen, since: now(), reported: next.id };
      return true;
    },
    forget() {
      replaced = undefined;
    },
    chosen: () => replaced?.chosen,
  };
}

/** True if another model may succeed where the usual retries did not: nothing is wrong with the request itself. */
function isUnavailable({ kind, retryable }: ModelError): boolean {
  // A request to a server that was never reached is not retried, but the server may just be down.
  return retryable || kind === 'network';
}

/** True if only this model cannot be used. The user is told about the chosen model's mistakes at once. */
function isUnusable({ kind }: ModelError): boolean {
  return kind === 'auth' || kind === 'model_not_found' || kind === 'quota';
}

/** The first model that has not failed and whose context window fits the conversation. */
export function nextModel(
  models: readonly ModelInfo[],
  failed: ReadonlySet<string>,
  measure: Pick<ContextMeasure, 'usedTokens' | 'triggerTokens' | 'windowTokens' | 'replyReserveTokens'>,
): ModelInfo | undefined {
  return models.find(({ id, windowTokens }) => !failed.has(id) && fits(measure, windowTokens));
}

/** A fallback is temporary and must not cause a compaction, which is permanent. */
function fits(
  {
    usedTokens,
    triggerTokens,
    windowTokens,
    replyReserveTokens,
  }: Pick<ContextMeasure, 'usedTokens' | 'triggerTokens' | 'windowTokens' | 'replyReserveTokens'>,
  window: number,
): boolean {
  const share = Math.max(triggerTokens, usedTokens) / windowTokens;
  return usedTokens + replyReserveTokens <= window && usedTokens <= window * share;
}
