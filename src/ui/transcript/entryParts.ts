/** An entry with everything that is known of it: nothing folded, nothing cut. Pure. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { contentText, shellRun } from '../print/content.ts';
import { renderEntry } from '../print/entry.ts';
import { renderReply } from '../print/reply.ts';
import { block, markdownParts, type Part, textParts } from './parts.ts';
import { resultParts } from './resultParts.ts';

/** What an entry needs of others. */
export interface EntrySurroundings {
  /** The call that a result belongs to. */
  readonly call: JSONLEntry['tool'];
  /** The whole of what the entry shows a part of, once it was read. */
  readonly original: string | undefined;
  readonly seqOf: (uuid: string) => number | undefined;
}

/** No parts for bookkeeping that shows nothing. */
export function entryParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  switch (entry.type) {
    case 'assistant':
      return replyParts(entry, around);
    case 'tool_use':
      return [];
    case 'tool_result':
      return resultParts(entry, around.call, around.original);
    case 'user':
      return userParts(entry, around);
    case 'system':
      return [...printed(entry, around), ...detailParts(entry)];
  }
}

function replyParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  const text = contentText(entry);
  const reasoning = entry.message.reasoning?.text ?? '';
  return [
    ...textParts(reasoning, { mark: '✻ ', paint: 'dim', isProse: true }),
    ...markdownParts(text),
    // How it ended, when not well.
    block(({ width, theme, markdown }) =>
      renderReply(withoutText(entry), {
        width,
        theme,
        markdown,
        tools: () => around.call,
        seqOf: around.seqOf,
      }),
    ),
  ];
}

function withoutText(entry: JSONLEntry): JSONLEntry {
  const { reasoning: _, ...message } = entry.message;
  return { ...entry, message: { ...message, content: '' } };
}

function userParts(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  if (entry.isCompactSummary === true)
    return [line('Summary of everything before this point:'), ...markdownParts(contentText(entry))];
  switch (entry.subtype) {
    case undefined:
    case 'prompt':
      // What the model was given: a folded paste is written out.
      return textParts(around.original ?? contentText(entry), { mark: '> ', paint: 'user', isProse: true });
    case 'shell':
      return shellParts(entry, around.original);
    default:
      return [...printed(entry, around), ...detailParts(entry)];
  }
}

function shellParts(entry: JSONLEntry, original: string | undefined): Part[] {
  const { command, output } = shellRun(entry);
  return [
    ...textParts(command, { mark: '! ', paint: 'user' }),
    ...textParts(original ?? output, { mark: '  ⎿ ', paint: 'dim' }),
  ];
}

/** As it stands in the scrollback. */
function printed(entry: JSONLEntry, around: EntrySurroundings): Part[] {
  return [
    block(({ width, theme, markdown }) =>
      renderEntry(entry, {
        width,
        theme,
        markdown,
        tools: () => around.call,
        seqOf: around.seqOf,
        showReasoning: true,
      }),
    ),
  ];
}

/** The text of what the scrollback only names: instructions, memories, reminders, what the model is told. */
function detailParts(entry: JSONLEntry): Part[] {
  switch (entry.subtype) {
    case 'session_start': {
      const prompt = entry.data?.systemPrompt;
      return typeof prompt === 'string' ? [line('System prompt:'), ...dimText(prompt)] : [];
    }
    case 'instructions':
    case 'memory':
      return dimText(contentText(entry));
    case 'environment':
    case 'reminder':
      return [
        line(entry.subtype === 'reminder' ? 'Reminder to the model:' : 'Told to the model:'),
        ...dimText(contentText(entry)),
      ];
    default:
      return [];
  }
}

const dimText = (text: string): Part[] =>
  textParts(text, { indent: '  ', mark: '  ', paint: 'dim', isProse: true });

/** A heading: without an empty row below. */
function line(text: string): Part {
  return { rows: ({ theme, width }) => [theme.dim(`◇ ${text}`.slice(0, width))] };
}
