/** Converts the history of a session to updates that show what the terminal shows of it. Pure. */
import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { messageText } from '../headless/tally.ts';
import { displayOf, shellCommand } from '../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../protocol/entries.ts';
import { pastLine } from './displayLines.ts';
import { withoutImages } from './images.ts';
import { textBlock } from './text.ts';
import { changedLocation, isPlanTool, planEntries, toolCallOf, toolResultOf } from './toolCalls.ts';

/** Maximum characters of one message; the full message is in the session's log. */
const MAX_TEXT = 200_000;

/** Turns entries into updates one after another; remembers which call of the model has which id. */
interface EntryReader {
  read(entry: JSONLEntry): SessionUpdate[];
  /** The id of the newest call to which the model gave this id. */
  idOf(callId: string): string | undefined;
}

export function createEntryReader(): EntryReader {
  /** The model's ids may repeat from turn to turn; the uuid of the call's entry never does. */
  const ids = new Map<string, string>();
  return {
    idOf: (callId) => ids.get(callId),
    read(entry) {
      const { tool, toolResult, cwd, uuid } = entry;
      if (entry.type === 'tool_use' && tool !== undefined) {
        ids.delete(tool.id);
        if (isPlanTool(tool.name)) return [];
        ids.set(tool.id, uuid);
        return [{ sessionUpdate: 'tool_call', ...toolCallOf(uuid, tool.name, tool.input, cwd) }];
      }
      if (entry.type === 'tool_result' && toolResult !== undefined) return resultUpdates(entry, ids);
      return [];
    },
  };
}

function resultUpdates(entry: JSONLEntry, ids: ReadonlyMap<string, string>): SessionUpdate[] {
  const { toolResult } = entry;
  const plan: SessionUpdate[] =
    toolResult?.todos === undefined
      ? []
      : [{ sessionUpdate: 'plan', entries: planEntries(toolResult.todos) }];
  const id = ids.get(toolResult?.id ?? '');
  const result = id === undefined ? undefined : toolResultOf(id, entry);
  if (result === undefined) return plan;
  const locations = changedLocation(entry);
  return [
    ...plan,
    { sessionUpdate: 'tool_call_update', ...result, ...(locations.length === 0 ? {} : { locations }) },
  ];
}

/** The user's own text stays unchanged. */
function shown(kind: SessionUpdate['sessionUpdate'], text: string): string {
  const cut = text.slice(0, MAX_TEXT).toWellFormed();
  return kind === 'user_message_chunk' ? cut : withoutImages(cut);
}

/** The updates of an old entry, with its message or display line. */
export function replayed(entry: JSONLEntry, reader: EntryReader): SessionUpdate[] {
  const { uuid: messageId, subtype, type, message } = entry;
  const chunk = (
    sessionUpdate: 'user_message_chunk' | 'agent_message_chunk' | 'agent_thought_chunk',
    text: string,
  ): SessionUpdate[] =>
    text.trim() === '' ? [] : [{ sessionUpdate, messageId, content: textBlock(shown(sessionUpdate, text)) }];
  if (subtype === 'prompt' || subtype === 'shell') return chunk('user_message_chunk', promptText(entry));
  const line = pastLine(entry);
  if (line !== undefined) return chunk('agent_message_chunk', line);
  if (type !== 'assistant') return reader.read(entry);
  return [
    ...chunk('agent_thought_chunk', message.reasoning?.text ?? ''),
    ...chunk('agent_message_chunk', messageText(entry)),
  ];
}

/** The prompt as the user wrote it, without what was included for the model; all of it if nothing was typed. */
function promptText(entry: JSONLEntry): string {
  if (entry.subtype === 'shell') return `!${shellCommand(entry) ?? ''}`;
  const typed = entry.subtype === 'prompt' ? entry.data?.typed : undefined;
  return displayOf(entry) ?? (typed || messageText(entry));
}
