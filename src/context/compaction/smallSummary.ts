/** A summary by the small model (`context.summaryModel`), if that can read the whole conversation. Pure. */
import type { ModelInfo } from '../../protocol/models/model.ts';
import type { CompactionJob } from './job.ts';

/** Share of its window that the conversation may fill: counts for another model are estimates. */
const MOST_FILLED = 0.85;

/** True if `model` writes the summary of a conversation of so many tokens instead of the session's model. */
export function writesSummary(
  model: ModelInfo | undefined,
  session: Pick<ModelInfo, 'id'>,
  tokens: number,
): model is ModelInfo {
  return model !== undefined && model.id !== session.id && tokens <= MOST_FILLED * model.windowTokens;
}

/**
 * The same job for another model; undefined if that is the session's own, or its window is too small. `tokens`: of the
 * conversation, with its fixed parts.
 */
export function smallSummaryJob(
  job: CompactionJob,
  model: ModelInfo | undefined,
  tokens: number,
): CompactionJob | undefined {
  if (!writesSummary(model, job.model, tokens)) return undefined;
  const { windowTokens, seesImages } = model;
  // The caches of messages belong to the policy of the session's model.
  const { memo: _, atomMemo: __, imagesHiddenThrough: hidden, ...policy } = job.policy;
  const returnsReasoning = model.returnsReasoning === true;
  const seq = job.entries.at(-1)?.seq ?? -1;
  const imagesHiddenThrough = seesImages === false ? seq : hidden;
  const images = imagesHiddenThrough === undefined ? {} : { imagesHiddenThrough };
  const { onAsked } = job;
  return {
    ...job,
    model,
    window: { ...job.window, window: windowTokens },
    policy: { ...policy, returnsReasoning, ...images },
    ...(onAsked && {
      onAsked: (asked) => onAsked({ ...asked, by: { model: model.id, returnsReasoning, ...images } }),
    }),
  };
}
