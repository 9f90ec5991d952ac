/** Converts entries to readable items: each call with its result, turns numbered, bookkeeping left out. */

import { displayOf, shellCommand, withoutModelNotes } from '../protocol/entries/readEntry.ts';
import { displayLineOf, type JSONLEntry } from '../protocol/entries.ts';
import type { ContentPart } from '../protocol/messages.ts';
import { withoutEscapes } from '../protocol/text/escapes.ts';
import { reveal, revealHidden } from '../protocol/text/reveal.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { ExportItem, ExportOptions } from './types.ts';

type Choice = Pick<ExportOptions, 'toolOutputs' | 'reasoning'>;

/** Holds each call until its result arrives; at most the calls of one reply. */
export async function* itemsOf(
  entries: AsyncIterable<JSONLEntry>,
  { toolOutputs = true, reasoning = true }: Choice,
): AsyncGenerator<ExportItem> {
  let turns = 0;
  let waiting: JSONLEntry[] = [];
  for await (const entry of entries) {
    if (entry.type === 'tool_use') {
      waiting.push(entry);
      continue;
    }
    if (entry.type === 'tool_result') {
      const at = waiting.findIndex(({ tool }) => tool?.id === entry.toolResult?.id);
      yield callOf(at === -1 ? undefined : waiting[at], entry, toolOutputs);
      if (at !== -1) waiting.splice(at, 1);
      continue;
    }
    if (waiting.length > 0 && endsStep(entry)) {
      for (const call of waiting) yield callOf(call, undefined, toolOutputs);
      waiting = [];
    }
    const item = itemOf(entry, turns + 1, { toolOutputs, reasoning });
    if (item === undefined) continue;
    if (item.type === 'turn') turns++;
    yield item;
  }
  for (const call of waiting) yield callOf(call, undefined, toolOutputs);
}

/** True if no result can follow after this entry. */
function endsStep({ type, subtype }: JSONLEntry): boolean {
  return type === 'assistant' || subtype === 'prompt' || subtype === 'turn_end';
}

function itemOf(entry: JSONLEntry, number: number, choice: Required<Choice>): ExportItem | undefined {
  const { seq, timestamp, message } = entry;
  if (entry.type === 'assistant') return replyOf(entry, choice.reasoning);
  if (entry.isCompactSummary === true) {
    const text = 'The conversation so far was summarized.';
    return { type: 'note', kind: 'summary', text, body: exportText(message.content), seq };
  }
  switch (entry.subtype) {
    case 'prompt': {
      const text = displayOf(entry) ?? exportText(message.content);
      return { type: 'turn', number, text, images: imagesOf(message.content), timestamp, seq };
    }
    case 'shell': {
      const content = exportText(message.content);
      const { outputAt = content.length } = entry.data ?? {};
      const output = content.slice(outputAt);
      const shown = choice.toolOutputs && output !== '' ? { output } : {};
      return { type: 'shell', command: shellCommand(entry) ?? content, ...shown, timestamp, seq };
    }
    case 'turn_end': {
      const { outcome = 'done', steps = 0 } = entry.data ?? {};
      return { type: 'end', outcome, steps, seq };
    }
    default:
      return noteItem(entry);
  }
}

function noteItem(entry: JSONLEntry): ExportItem | undefined {
  const line = displayLineOf(entry, { seqOf: () => undefined });
  if (line === undefined || line.only === 'screen') return undefined;
  const { text, body } = line;
  const kind = entry.subtype ?? entry.type;
  return { type: 'note', kind, text, ...(body === undefined ? {} : { body }), seq: entry.seq };
}

function replyOf({ message, seq, timestamp }: JSONLEntry, withReasoning: boolean): ExportItem | undefined {
  const text = exportText(message.content);
  const reasoning = withReasoning ? (message.reasoning?.text ?? '') : '';
  const cut = message.interrupted === true ? 'interrupted' : message.failed === true ? 'failed' : undefined;
  if (text.trim() === '' && reasoning.trim() === '' && cut === undefined) return undefined;
  return {
    type: 'reply',
    text,
    ...(reasoning.trim() === '' ? {} : { reasoning }),
    ...(message.model === undefined ? {} : { model: message.model }),
    ...(cut === undefined ? {} : { cut }),
    timestamp,
    seq,
  };
}

function callOf(
  use: JSONLEntry | undefined,
  result: JSONLEntry | undefined,
  withOutput: boolean,
): Extract<ExportItem, { type: 'call' }> {
  const { toolResult } = result ?? {};
  const tool = use?.tool?.name ?? toolResult?.name ?? 'tool';
  const { display } = toolResult ?? {};
  const steps = display?.steps === undefined ? '' : `${display.steps.join('\n')}\n\n`;
  const output =
    toolResult === undefined ? undefined : steps + withoutModelNotes(exportText(toolResult.output), display);
  return {
    type: 'call',
    tool,
    title: display?.title ?? tool,
    ...(display?.summary === undefined ? {} : { summary: display.summary }),
    input: use?.tool?.input ?? {},
    ...(output === undefined || !withOutput ? {} : { output }),
    ...(display?.diff === undefined ? {} : { diff: display.diff }),
    status: toolResult?.status ?? (toolResult === undefined ? 'unanswered' : 'ok'),
    seq: (use ?? result)?.seq ?? 0,
  };
}

function exportText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content))
    return content === undefined || content === null ? '' : JSON.stringify(content);
  return (content as readonly Partial<ContentPart>[])
    .map((part) => (part?.type === 'text' && typeof part.text === 'string' ? part.text : ''))
    .filter((text) => text !== '')
    .join('\n');
}

function imagesOf(content: unknown): Extract<ContentPart, { type: 'image' }>[] {
  if (!Array.isArray(content)) return [];
  return content.filter(
    (part): part is Extract<ContentPart, { type: 'image' }> =>
      part?.type === 'image' && typeof part.data === 'string' && typeof part.mediaType === 'string',
  );
}

/** The language of a file by its extension, as named in code fences and by highlighters; empty if unknown. */
export function languageOf(name: string): string {
  const [, ending = ''] = /\.([a-z0-9]{1,8})(?:[\s:,)"'’]|$)/i.exec(name) ?? [];
  return languages[ending.toLowerCase()] ?? '';
}

const languages: Readonly<Record<string, string>> = {
  c: 'c',
  cc: 'cpp',
  cpp: 'cpp',
  cs: 'csharp',
  css: 'css',
  go: 'go',
  h: 'c',
  html: 'xml',
  java: 'java',
  js: 'javascript',
  json: 'json',
  jsx: 'javascript',
  kt: 'kotlin',
  md: 'markdown',
  mjs: 'javascript',
  php: 'php',
  py: 'python',
  rb: 'ruby',
  rs: 'rust',
  sh: 'bash',
  sql: 'sql',
  svg: 'xml',
  swift: 'swift',
  ts: 'typescript',
  tsx: 'typescript',
  xml: 'xml',
  yaml: 'yaml',
  yml: 'yaml',
};

// Makes text from models, tools and files safe for a document: what a reader would not see is shown by number.

/** Keeps line feeds and tabs, removes escape sequences, and shows invisible characters as code points. */
export function plainText(text: string): string {
  const unified = text.replace(/\r\n?/g, '\n').replace(/[\u2028\u2029]/g, '\n');
  return revealHidden(withoutEscapes(unified).replace(controls, '')).toWellFormed();
}

/** The same, on one line. */
export function plainLine(text: string): string {
  return plainText(text).replace(/\s+/g, ' ').trim();
}

/** What a call did, on one line: nothing is removed, and look-alikes are marked too. */
export function callLine(text: string, tool: string): string {
  return plainLine(reveal(text, tool === toolNames.bash));
}

/** The first line of a text, cut to this many characters. */
export function firstLine(text: string, most: number): string {
  const line = plainLine(
    text
      .trimStart()
      .split('\n', 1)[0]
      ?.slice(0, 4 * most) ?? '',
  );
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}

const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/g;
