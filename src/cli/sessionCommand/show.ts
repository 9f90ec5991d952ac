/**
 * `clawdcode session show <session>`: prints a transcript or a part of it, even while another program writes the
 * session.
 */
import { join } from 'node:path';
import { folderOfLog } from '../../context/index.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { type JSONLEntry, originalOf } from '../../protocol/entries.ts';
import type { SessionRecord } from '../../protocol/sessions.ts';
import { displayText } from '../../ui/print/content.ts';
import { promptText, renderEntry } from '../../ui/print/entry.ts';
import { loadMarkdown, type MarkdownRenderer } from '../../ui/print/markdown.ts';
import { sanitize, sanitizeLine } from '../../ui/print/sanitize.ts';
import { padStart } from '../../ui/print/width.ts';
import type { Theme } from '../../ui/theme/theme.ts';
import { jsonLine, type Output } from './output.ts';
import { type Part, readEntries } from './readEntries.ts';
import type { SessionPorts } from './withSession.ts';

interface ShowOptions {
  /** First entry to show. */
  readonly from: number | undefined;
  /** Number of entries to show from the end. */
  readonly tail: number | undefined;
  /** A single entry to show in full. */
  readonly seq: number | undefined;
  /** Print the entries themselves, one per line. */
  readonly json: boolean;
  readonly reasoning: boolean;
}

/** Prints while reading, so memory does not grow with the session. */
export async function show(
  { output }: SessionPorts,
  session: SessionRecord,
  options: ShowOptions,
): Promise<number> {
  let entries = 0;
  let loss: string | undefined;
  const onLoss = (problem: string): void => {
    loss = problem;
  };
  const counted = async function* (): AsyncGenerator<JSONLEntry> {
    for await (const entry of readEntries(session, partOf(options), onLoss)) {
      entries += 1;
      yield entry;
    }
  };
  let isBlank = true;
  for await (const piece of piecesOf(counted(), session, options, output)) {
    isBlank = false;
    if (!(await output.write(piece))) return EXIT.ok;
  }
  if (loss !== undefined) {
    output.say(`Session ${sanitizeLine(session.id)}: ${sanitizeLine(loss)}`);
    return EXIT.failed;
  }
  if (entries > 0) {
    if (isBlank) output.hint('There is nothing readable here; --json prints the entries.');
    return EXIT.ok;
  }
  const { from = 0, seq } = options;
  const what = seq === undefined ? `no entry from #${from} on` : `no entry #${seq}`;
  output.say(`Session ${sanitizeLine(session.id)} has ${what}; its last is #${session.messageCount - 1}.`);
  return EXIT.badInput;
}

function partOf({ from, tail, seq }: ShowOptions): Part {
  if (seq !== undefined) return { type: 'from', seq, to: seq };
  return tail === undefined ? { type: 'from', seq: from ?? 0 } : { type: 'tail', count: tail };
}

async function* piecesOf(
  log: AsyncIterable<JSONLEntry>,
  session: SessionRecord,
  { json, seq, reasoning }: ShowOptions,
  { width, theme }: Output,
): AsyncGenerator<string> {
  if (json) for await (const entry of log) yield jsonLine(entry);
  else if (seq !== undefined)
    for await (const entry of log) yield fullEntry(entry, theme, (hash) => blobPath(session, hash));
  else yield* transcript(log, { width, theme, markdown: await loadMarkdown(), showReasoning: reasoning });
}

function blobPath({ file }: SessionRecord, hash: string): string {
  return join(folderOfLog(file), 'blobs', hash.slice(0, 2), hash);
}

/** Formats an entry in full; safe for a terminal. `pathOf` returns the path of a blob. */
export function fullEntry(entry: JSONLEntry, theme: Theme, pathOf: (hash: string) => string): string {
  const { seq, type, subtype, timestamp, cwd, gitBranch, message } = entry;
  const kind = entry.isCompactSummary === true ? 'summary' : (subtype ?? type);
  const facts = [timestamp, ...(message.model === undefined ? [] : [message.model]), cwd, gitBranch ?? ''];
  const head = `${theme.accent(`#${seq}`)} ${theme.strong(sanitizeLine(kind))}  ${theme.dim(
    sanitizeLine(facts.filter((fact) => fact !== '').join(' · ')),
  )}`;
  const original = originalOf(entry)?.hash;
  const parts = [
    head,
    ...(message.reasoning === undefined ? [] : [theme.dim(sanitize(message.reasoning.text))]),
    sanitize(bodyOf(entry)),
    ...(original === undefined ? [] : [theme.dim(`Full output: ${sanitizeLine(pathOf(original))}`)]),
  ];
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}

function bodyOf({ tool, toolResult, message, data }: JSONLEntry): string {
  if (toolResult !== undefined)
    return [
      ...(toolResult.display === undefined ? [] : [`${toolResult.name ?? ''} ${toolResult.display.title}`]),
      ...(toolResult.display?.steps === undefined ? [] : [toolResult.display.steps.join('\n')]),
      displayText(toolResult.output),
      ...(toolResult.display?.agent?.log === undefined
        ? []
        : [`The log of subagent ${toolResult.display.agent.id}: ${toolResult.display.agent.log}`]),
      ...(toolResult.display?.diff === undefined ? [] : [toolResult.display.diff]),
    ].join('\n\n');
  if (tool !== undefined) return `${tool.name} ${JSON.stringify(tool.input, null, 2)}`;
  const content = displayText(message.content);
  return content === '' && data !== undefined ? JSON.stringify(data, null, 2) : content;
}

// Formats entries as a readable text like on screen, with each entry's number in the margin.

interface TranscriptOptions {
  readonly width: number;
  readonly theme: Theme;
  readonly markdown: MarkdownRenderer;
  readonly showReasoning: boolean;
}

/**
 * Yields a piece of text for each visible entry. Holds only one entry, and calls waiting for their result, however long
 * the session is.
 */
export async function* transcript(
  entries: AsyncIterable<JSONLEntry>,
  options: TranscriptOptions,
): AsyncGenerator<string> {
  const calls = new Map<string, NonNullable<JSONLEntry['tool']>>();
  const width = Math.max(MIN_WIDTH, options.width - MARGIN);
  let seqs = new Map<string, number>();
  for await (const entry of entries) {
    if (entry.tool !== undefined) calls.set(entry.tool.id, entry.tool);
    if (seqs.size > REMEMBERED) seqs = new Map([...seqs].slice(-REMEMBERED / 2));
    seqs.set(entry.uuid, entry.seq);
    const text = renderEntry(entry, {
      ...options,
      width,
      tools: (id) => calls.get(id),
      seqOf: (uuid) => seqs.get(uuid),
    });
    if (entry.toolResult !== undefined) calls.delete(entry.toolResult.id);
    if (text === undefined) continue;
    yield `${isTurnStart(entry) ? '\n' : ''}${withMargin(text, entry.seq, options.theme)}\n\n`;
  }
}

/** Columns of the margin: `#12345 `. */
const MARGIN = 8;
/** Minimum text width: in an even narrower terminal, lines overflow instead. */
const MIN_WIDTH = 12;
/** Maximum number of entries whose numbers are kept for references from later entries. */
const REMEMBERED = 20_000;

function isTurnStart(entry: JSONLEntry): boolean {
  return entry.type === 'user' && entry.subtype === 'prompt' && promptText(entry) !== '';
}

function withMargin(text: string, seq: number, theme: Theme): string {
  const [first = '', ...rest] = text.split('\n');
  const number = padStart(`#${seq}`, MARGIN - 1);
  const empty = ' '.repeat(MARGIN);
  return [
    `${theme.dim(number)} ${first}`,
    ...rest.map((line) => (line === '' ? '' : `${empty}${line}`)),
  ].join('\n');
}
