/** What a subagent does and has done, folded from its events. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { AgentEvent, TurnOutcome } from '../../protocol/events.ts';
import type { ModelError } from '../../protocol/model.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import { textOf } from '../prompts/promptQueue.ts';

export interface Progress {
  readonly step: number;
  /** The call that runs, or what it waits for. */
  readonly doing: string;
  /** Input and output tokens of all requests. */
  readonly tokens: number;
  /** A line for each call that has ended, oldest first. */
  readonly calls: readonly string[];
  /** Number of calls left out of `calls`. */
  readonly moreCalls: number;
  /** The last text that the model wrote. */
  readonly text: string;
  readonly outcome?: TurnOutcome;
  readonly error?: ModelError;
}

/** What its result keeps of what it did. */
const MAX_CALLS = 200;
const MAX_LINE = 160;

export const noProgress: Progress = {
  step: 0,
  doing: 'starting',
  tokens: 0,
  calls: [],
  moreCalls: 0,
  text: '',
};

/** Adds one event; returns the same object if nothing changed. */
export function addProgress(known: Progress, event: AgentEvent): Progress {
  if (event.type === 'entry') return addEntry(known, event.entry);
  if (event.type === 'turn_ended') {
    const { outcome, error } = event;
    return { ...known, outcome, ...(error === undefined ? {} : { error }) };
  }
  if (event.type === 'step_started') return { ...known, step: event.step, doing: 'thinking' };
  const doing = doingOf(event);
  return doing === undefined || doing === known.doing ? known : { ...known, doing };
}

function doingOf(event: AgentEvent): string | undefined {
  if (event.type === 'tool_started') return callLine(event.tool, event.title);
  if (event.type === 'tool_ended' || event.type === 'compaction_ended') return 'thinking';
  if (event.type === 'compaction_started') return 'compacting its conversation';
  if (event.type === 'retrying') return `trying again: ${visibleLine(event.error.message, MAX_LINE)}`;
  return undefined;
}

function addEntry(known: Progress, entry: JSONLEntry): Progress {
  const { usage } = entry.message;
  const tokens = known.tokens + (usage === undefined ? 0 : usage.input_tokens + usage.output_tokens);
  if (entry.type === 'assistant') {
    const said = textOf(entry.message.content).trim();
    return { ...known, tokens, text: said === '' ? known.text : said };
  }
  if (entry.toolResult !== undefined) return { ...withCall(known, resultLine(entry.toolResult)), tokens };
  return tokens === known.tokens ? known : { ...known, tokens };
}

function withCall(known: Progress, line: string): Progress {
  if (known.calls.length >= MAX_CALLS) return { ...known, moreCalls: known.moreCalls + 1 };
  return { ...known, calls: [...known.calls, line] };
}

/** E.g. `Read(src/a.ts)  120 lines`, `✗ Bash(npm test)  exit 1`. */
function resultLine(result: NonNullable<JSONLEntry['toolResult']>): string {
  const { name = 'Tool', display, status = 'ok' } = result;
  const summary = display?.summary ?? (status === 'ok' ? '' : status);
  const mark = status === 'error' || status === 'denied' ? '✗ ' : '';
  return visibleLine(
    `${mark}${callLine(name, display?.title ?? '')}${summary === '' ? '' : ` · ${summary}`}`,
    MAX_LINE,
  );
}

function callLine(tool: string, title: string): string {
  const shown = title === '' || title === tool ? tool : `${tool}(${title})`;
  return visibleLine(shown, MAX_LINE);
}
