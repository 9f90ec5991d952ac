/** Drafts of what came out of a tool or of the user's own command, as admitted. */
import type { EntryDraft } from '../protocol/entries.ts';
import type { ToolCall } from '../protocol/messages.ts';
import type { ToolOutcome } from '../protocol/tools.ts';
import type { Admitted } from './results/admit.ts';
import { messageDraft, toolResultDraft } from './storage/index.ts';
import { headOf } from './tokens/wellFormed.ts';
import type { ToolResultInput } from './types.ts';

/** The one result of a call; `partial` where the model sees only a part of a good one. */
export function resultDraft(
  call: ToolCall,
  outcome: ToolResultInput['outcome'],
  { text, original, partial }: Admitted,
  durationMs: number | undefined,
): EntryDraft {
  const failed = outcome.status !== 'ok' && outcome.status !== 'partial';
  const facts = 'kind' in outcome ? outcome : undefined;
  return toolResultDraft({
    id: call.id,
    name: call.name,
    output: text,
    status: outcome.status === 'ok' && partial ? 'partial' : outcome.status,
    display: outcome.display,
    ...(failed ? { error: headOf(outcome.text, 200) } : {}),
    ...(facts === undefined ? {} : { kind: facts.kind }),
    ...(original === undefined ? {} : { original }),
    ...(facts?.filesChanged === undefined ? {} : { filesChanged: [...facts.filesChanged] }),
    ...(facts?.filesRead === undefined ? {} : { filesRead: [...facts.filesRead] }),
    ...(facts?.todos === undefined ? {} : { todos: [...facts.todos] }),
    ...(durationMs === undefined ? {} : { durationMs }),
  });
}

/** What the user ran with `!`; `data` says where in the content its output begins. */
export function shellDraft(command: string, outcome: ToolOutcome, { text, original }: Admitted): EntryDraft {
  const head = `The user ran a command in the shell:\n$ ${command}\n\n`;
  const content = head + text;
  const { status, display } = outcome;
  const data = {
    command,
    outputAt: head.length,
    status,
    display,
    ...(original === undefined ? {} : { original }),
  };
  return { ...messageDraft('user', content, {}, 'shell'), data };
}
