/** How a prompt's turn ended, in the protocol's terms. Pure. */
import type { StopReason } from '@agentclientprotocol/sdk';
import type { Outcome } from '../headless/outcome.ts';
import type { RunEnd } from '../headless/types.ts';

export type PromptEnd =
  /** `text`: what the client shows in addition to the reply. */
  | { readonly type: 'stopped'; readonly reason: StopReason; readonly text?: string }
  | { readonly type: 'failed'; readonly message: string };

/** `finishReason`: of the last reply. */
export function promptEnd(end: RunEnd, outcome: Outcome, finishReason: string | undefined): PromptEnd {
  const text = outcome.ok ? outcome.text : outcome.reason;
  if (end.type !== 'turn') return { type: 'stopped', reason: 'end_turn', text };
  switch (end.outcome) {
    case 'done':
      return { type: 'stopped', reason: finishReason === 'length' ? 'max_tokens' : 'end_turn' };
    case 'interrupted':
      return { type: 'stopped', reason: 'cancelled' };
    case 'max_turns':
      return { type: 'stopped', reason: 'max_turn_requests' };
    case 'loop':
      return { type: 'stopped', reason: 'end_turn', text };
    case 'failed':
      return { type: 'failed', message: text };
  }
}
