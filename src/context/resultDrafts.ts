/** Drafts of what came out of a tool or of the user's own command, as admitted. */
import type { ToolDisplay } from '../protocol/entries/fields.ts';
import type { EntryDraft } from '../protocol/entries.ts';
import type { ToolCall } from '../protocol/messages.ts';
import type { ToolOutcome } from '../protocol/tools.ts';
import type { Admitted } from './results/admit.ts';
import { toolResultDraft } from './storage/index.ts';
import { headOf } from './tokens/wellFormed.ts';
import type { ToolResultInput } from './types.ts';

/** The one result of a call; `partial` where the model sees only a part of a good one. */
export function resultDraft(
  call: ToolCall,
  outcome: ToolResultInput['outcome'],
  { text, original, partial, fullOutputPath, truncation }: Admitted,
  { durationMs, permission }: Omit<ToolResultInput, 'call' | 'outcome' | 'behind'>,
): EntryDraft {
  const failed = outcome.status !== 'ok' && outcome.status !== 'partial';
  const facts = 'kind' in outcome ? outcome : undefined;
  return toolResultDraft({
    id: call.id,
    name: call.name,
    output: text,
    status: outcome.status === 'ok' && partial ? 'partial' : outcome.status,
    display: partial && facts?.kind === 'file' ? withShownLines(outcome.display, text) : outcome.display,
    ...(failed ? { error: headOf(outcome.text, 200) } : {}),
    ...(facts === undefined ? {} : { kind: facts.kind }),
    ...(original === undefined ? {} : { original }),
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    ...(truncation === undefined ? {} : { truncation: { ...truncation } }),
    ...(facts?.filesChanged === undefined ? {} : { filesChanged: [...facts.filesChanged] }),
    ...(facts?.filesRead === undefined ? {} : { filesRead: [...facts.filesRead] }),
    ...(facts?.todos === undefined ? {} : { todos: [...facts.todos] }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(permission === undefined ? {} : { permission }),
    ...(facts?.sandbox === undefined ? {} : { sandbox: facts.sandbox }),
  });
}

/** A file that was cut says which of its lines are left: "lines 1-144 of 669", not how many were read. */
function withShownLines(display: ToolDisplay, text: string): ToolDisplay {
  const numbers = Array.from(text.matchAll(NUMBERED_LINE), ([, number]) => Number(number));
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return display;
  const of = display.totalLines === undefined ? '' : ` of ${display.totalLines}`;
  const hasGap = last - first >= numbers.length;
  const summary = hasGap ? `${numbers.length}${of} lines` : `lines ${first}-${last}${of}`;
  return { ...display, summary };
}

/** As Read shows the lines of a file. */
const NUMBERED_LINE = /^ *(\d+)\t/gm;

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
  return { type: 'user', subtype: 'shell', message: { role: 'user', content }, data };
}
