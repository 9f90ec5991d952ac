/** What an entry is and what it says, as text: for showing it whole and for searching it. */
import * as z from 'zod';
import { type BlobRef, blobRefSchema } from '../../protocol/entries/fields.ts';
import { type JSONLEntry, originalOf } from '../../protocol/entries.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';

/** The full text of an entry without what other entries say; of a reply its reasoning, then its words. */
export function entryText(entry: JSONLEntry): string {
  return wellFormed(rawText(entry));
}

function rawText({ type, subtype, message, tool, toolResult, data }: JSONLEntry): string {
  // A draft was never shown. Once it is used, the summary says the same.
  if (subtype === 'summary_draft') return '';
  if (toolResult !== undefined) return textOf(toolResult.output);
  if (tool !== undefined) return `${tool.name} ${tool.arguments ?? textOf(tool.input)}`;
  const content = contentText(message.content);
  if (type === 'assistant') {
    const { reasoning } = message;
    return reasoning === undefined ? content : `<reasoning>\n${reasoning.text}\n</reasoning>\n${content}`;
  }
  if (subtype === 'session_start' && typeof data?.systemPrompt === 'string') return data.systemPrompt;
  return content === '' && data !== undefined ? textOf(data) : content;
}

/** The text of an entry and, behind it, of calls: those of a reply, or the one that a result answers. */
export function replyText([entry, ...calls]: readonly JSONLEntry[]): string {
  if (entry === undefined) return '';
  const parts = [entryText(entry), ...calls.map((call) => `[#${call.seq} call] ${entryText(call)}`)];
  return parts.filter((part) => part !== '').join('\n');
}

/** A few words for a header: `result of Bash "npm test" (exit 1)`, `prompt`, `reply`. One line. */
export function describeEntry({
  type,
  subtype,
  tool,
  toolResult,
  data,
  isCompactSummary,
}: JSONLEntry): string {
  if (toolResult !== undefined) {
    const { name = 'a tool', display, status } = toolResult;
    const end = [status === 'ok' ? '' : status, display?.summary].filter(
      (part) => part !== undefined && part !== '',
    );
    const title = display?.title === undefined ? '' : ` "${oneLine(display.title)}"`;
    return `result of ${oneLine(name)}${title}${end.length === 0 ? '' : ` (${oneLine(end.join(', '))})`}`;
  }
  if (tool !== undefined) return `call of ${oneLine(tool.name)}`;
  if (isCompactSummary === true) return 'summary';
  if (type === 'assistant') return 'reply';
  if (subtype === 'shell' && typeof data?.command === 'string')
    return `the user's command "${oneLine(data.command)}"`;
  return subtype ?? type;
}

/** Every content of the blob store that an entry points to. */
export function blobsOf(entry: JSONLEntry): readonly BlobRef[] {
  const original = originalOf(entry);
  // Also of kinds of a newer program.
  const { data } = pointersSchema.safeParse(entry.data);
  const replaced = data?.replacements.flatMap((one) => one.original ?? []) ?? [];
  const snippets = entry.isCompactSummary === true ? (entry.compactMetadata?.snippets ?? []) : [];
  return [...(original === undefined ? [] : [original]), ...replaced, ...snippets];
}

const pointersSchema = z.looseObject({
  replacements: z.array(z.looseObject({ original: blobRefSchema.optional() })),
});

/** Images are named, not shown: they cannot be read as text. */
function contentText(content: unknown): string {
  const parts = partsSchema.safeParse(content);
  if (!parts.success) return textOf(content);
  return parts.data
    .map(({ type, text, mediaType }) => (type === 'text' ? (text ?? '') : `[${type} ${mediaType ?? ''}]`))
    .join('\n');
}

const partsSchema = z.array(
  z.looseObject({ type: z.string(), text: z.string().optional(), mediaType: z.string().optional() }),
);

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

const MAX_WORDS = 80;

function oneLine(text: string): string {
  const flat = text
    .slice(0, 4 * MAX_WORDS)
    .replace(/\s+/g, ' ')
    .trim();
  return wellFormed(flat.length <= MAX_WORDS ? flat : `${headOf(flat, MAX_WORDS)}…`);
}
