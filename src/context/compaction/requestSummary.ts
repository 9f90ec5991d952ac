import type { Reply, SentRequest } from '../../protocol/model.ts';
import type { RequestOutcome } from '../requestRecord.ts';
import type { CompactionBudget } from '../tokens/budgets.ts';
import type { SummaryReply } from '../types.ts';
import type { Choice } from './choose.ts';
import type { CompactionDeps, CompactionJob } from './job.ts';
import { buildSummaryRequest } from './summaryRequest.ts';

export type SummaryOutcome =
  | { readonly type: 'summary'; readonly text: string; readonly reply: Reply }
  | { readonly type: 'aborted' }
  /** No usable summary; `message` says why. */
  | { readonly type: 'failed'; readonly message: string; readonly reply?: Reply };

/** Asks the model, once more with a clipped request when the server finds the first too long. */
export async function requestSummary(
  job: CompactionJob,
  choice: Choice,
  { counter, settings, summarize }: CompactionDeps,
  budget: CompactionBudget,
): Promise<SummaryOutcome & { readonly reply?: Reply }> {
  const { window } = job.window;
  // Servers refuse a request that asks for a longer reply than the model can write.
  const longest = job.model.maxOutputTokens > 0 ? job.model.maxOutputTokens : window;
  const maxOutputTokens = Math.min(
    longest,
    Math.max(budget.summary, Math.min(job.window.replyReserve + budget.summary, window / 4)),
  );
  const build = (maxTokens: number, clip: boolean) =>
    buildSummaryRequest({
      model: job.model.id,
      view: { ...job.view, atoms: job.view.atoms.slice(0, choice.plan.cut) },
      tools: job.tools,
      policy: job.policy,
      counter,
      focus: job.focus,
      maxTokens: Math.floor(maxTokens),
      maxOutputTokens: Math.floor(maxOutputTokens),
      maxWords: Math.max(100, Math.floor((budget.summary * 0.6) / 50) * 50),
      maxMessageCharacters: settings.maxMessageCharacters,
      clip,
    });
  let maxTokens = window - maxOutputTokens;
  for (const clip of [false, true]) {
    const asked = build(maxTokens, clip);
    if (asked === undefined)
      return { type: 'failed', message: 'not even a shortened request for a summary fits' };
    const sent: SentRequest[] = [];
    const answer = await untilAborted(
      job.signal,
      summarize(asked.request, {
        signal: job.signal,
        onProgress: (characters) => job.emit({ type: 'compaction_progress', characters }),
        onSent: (one) => sent.push(one),
      }),
    );
    job.onAsked?.({ cut: asked.cut, outcome: outcomeOf(answer), sent });
    if (answer.type === 'aborted' || job.signal.aborted) return { type: 'aborted' };
    if (answer.type === 'done') return judge(answer.reply, job);
    if (answer.error.kind !== 'overflow' || clip) return { type: 'failed', message: answer.error.message };
    maxTokens = Math.min(maxTokens, answer.error.windowTokens ?? maxTokens) * 0.6;
  }
  return { type: 'failed', message: 'no summary came back' };
}

function outcomeOf(answer: SummaryReply): RequestOutcome {
  if (answer.type === 'failed') return answer.error.kind;
  return answer.type === 'done' ? 'done' : 'interrupted';
}

/** A connection that does not end when it is told to must not keep the user. */
async function untilAborted(signal: AbortSignal, answer: Promise<SummaryReply>): Promise<SummaryReply> {
  let stop = (): void => {};
  const aborted = new Promise<SummaryReply>((resolve) => {
    stop = () => resolve({ type: 'aborted' });
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function judge(reply: Reply, { blobs }: CompactionJob): SummaryOutcome {
  // As it will be stored: what is marked in it afterwards must not take a secret apart.
  const text = blobs.textOf(reply.message.content.trim());
  if (text !== '') return { type: 'summary', text, reply };
  const message =
    reply.message.toolCalls.length > 0
      ? 'the model called a tool instead of writing a summary'
      : `the model wrote an empty summary (${reply.finishReason})`;
  return { type: 'failed', message, reply };
}
