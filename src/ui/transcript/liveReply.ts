/** The running reply as parts: what is finished of it is laid out once. */
import { splitFinished } from '../print/streaming.ts';
import { block, markdownParts, type Part, textParts } from './parts.ts';

export interface LiveReply {
  readonly reasoning: string;
  readonly text: string;
}

/** Parts of a growing reply: what is finished of it is cut once and stays the same part. */
export function createReplyParts(): (reply: LiveReply) => Part[] {
  let finished: Part[] = [];
  let done = '';
  return ({ reasoning, text }) => {
    if (!text.startsWith(done)) {
      finished = [];
      done = '';
    }
    const split = splitFinished(text.slice(done.length));
    if (split.finished !== '') {
      finished = [...finished, ...markdownParts(split.finished)];
      done += split.finished;
    }
    const { rest } = split;
    return [
      ...textParts(reasoning, { mark: '✻ ', paint: 'dim', isProse: true }),
      ...finished,
      ...(rest.trim() === ''
        ? []
        : [block(({ markdown, width, theme }) => markdown(rest, { width, theme }))]),
    ];
  };
}
