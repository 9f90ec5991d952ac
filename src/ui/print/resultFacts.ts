/** What every telling of a finished call begins with, drawn or in words. Pure; nothing is sanitised. */

import type { JSONLEntry } from '../../protocol/entries.ts';
import { withoutModelNotes } from '../../protocol/shellOutput.ts';
import { textOf } from './content.ts';
import { type ToolStatus, titleOfInput } from './toolLine.ts';

export type ToolResult = NonNullable<JSONLEntry['toolResult']>;

export interface ResultFacts {
  readonly tool: string;
  /** What it worked on; empty where nobody says. */
  readonly title: string;
  readonly status: Exclude<ToolStatus, 'running'>;
}

/** `call`: the call that the result belongs to, where it is known. */
export function resultFacts(result: ToolResult, call: JSONLEntry['tool']): ResultFacts {
  const tool = result.name ?? call?.name ?? 'Tool';
  const title = result.display?.title;
  return {
    tool,
    // A call that a crash cut short was closed by somebody who knew its name only.
    title: title === undefined || title === tool ? titleOfInput(call?.input) : title,
    status: result.status ?? (result.error === undefined ? 'ok' : 'error'),
  };
}

/** Why a call failed: of a command what it printed, the end of it first; of the others the error, from its start. */
export function failureOf(result: ToolResult): { readonly text: string; readonly keep: 'start' | 'end' } {
  const whole = textOf(result.output);
  const output = withoutModelNotes(whole, result.display);
  // A call that the user declined: they know that it did not run.
  if (output === '' && whole !== '' && result.status === 'denied') {
    const { comment } = result.display ?? {};
    return { text: comment === undefined ? '' : `Your comment: ${comment}`, keep: 'start' };
  }
  const error = result.error ?? '';
  return result.kind === 'command'
    ? { text: output || error, keep: 'end' }
    : { text: result.error ?? output, keep: 'start' };
}
