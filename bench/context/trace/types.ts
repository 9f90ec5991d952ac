/** A trace: what happens in a session, whatever policy decides what is sent. Sizes are tokens. */

export type ToolKind = 'read' | 'edit' | 'bash' | 'grep';

/** What a text is made of; decides how it is written where its words matter. */
export type Prose = 'english' | 'chinese' | 'log';

export interface TraceCall {
  readonly tool: ToolKind;
  /** The path or command: one line. */
  readonly title: string;
  /** Tokens of the arguments beyond the title: what an edit writes. */
  readonly argumentTokens: number;
  readonly resultTokens: number;
  readonly failed: boolean;
  /** Given by a recorded session or a planted fact; written from the seed where absent. */
  readonly argumentText?: string;
  readonly resultText?: string;
}

export type TraceEvent =
  | { readonly type: 'prompt'; readonly tokens: number; readonly text?: string }
  | {
      readonly type: 'step';
      /** Words of the reply, without its calls. */
      readonly proseTokens: number;
      readonly proseText?: string;
      readonly calls: readonly TraceCall[];
    }
  /** Nobody does anything: a cache may go cold. */
  | { readonly type: 'idle'; readonly minutes: number };

export interface Trace {
  readonly name: string;
  readonly seed: number;
  /** Tokens of system prompt and tools. */
  readonly fixedTokens: number;
  readonly windowTokens: number;
  readonly prose: Prose;
  readonly events: readonly TraceEvent[];
}

/** Tokens that the session itself produced: prompts, replies, results. What a policy's cost is divided by. */
export function workTokens({ events }: Trace): number {
  return events.reduce((sum, event) => {
    if (event.type === 'prompt') return sum + event.tokens;
    return event.type === 'idle' ? sum : sum + replyTokens(event) + resultTokens(event);
  }, 0);
}

type Step = Extract<TraceEvent, { type: 'step' }>;

export const CALL_TOKENS = 15;

export function replyTokens({ proseTokens, calls }: Step): number {
  return calls.reduce((sum, call) => sum + CALL_TOKENS + call.argumentTokens, proseTokens);
}

export function resultTokens({ calls }: Step): number {
  return calls.reduce((sum, call) => sum + call.resultTokens, 0);
}
