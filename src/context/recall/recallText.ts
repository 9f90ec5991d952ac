/** Describes an entry and converts it to the text that Recall shows in full and searches. */
import * as z from 'zod';
import { type BlobRef, blobRefSchema } from '../../protocol/entries/fields.ts';
import { isHiddenFromModel, type JSONLEntry, originalOf } from '../../protocol/entries.ts';
import { dataText } from '../facts/entryText.ts';
import { headOf, wellFormed } from '../tokens/truncate.ts';

/**
 * The full text of an entry without texts of other entries; for a reply its reasoning, then its text. Empty for kinds
 * that the model never sees.
 */
export function recallText(entry: JSONLEntry): string {
  return isHiddenFromModel(entry) ? '' : wellFormed(rawText(entry));
}

/** The blob with the entry's full text, if it holds only part of it and the model may see it. */
export function recallOriginal(entry: JSONLEntry): BlobRef | undefined {
  return isHiddenFromModel(entry) ? undefined : originalOf(entry);
}

function rawText({ type, subtype, message, tool, toolResult, data }: JSONLEntry): string {
  if (toolResult !== undefined) return dataText(toolResult.output);
  if (tool !== undefined) return `${tool.name} ${tool.arguments ?? dataText(tool.input)}`;
  const content = contentText(message.content);
  if (type === 'assistant') {
    const { reasoning } = message;
    return reasoning === undefined ? content : `<reasoning>\n${reasoning.text}\n</reasoning>\n${content}`;
  }
  if (subtype === 'session_start' && typeof data?.systemPrompt === 'string') return data.systemPrompt;
  return content === '' && data !== undefined ? dataText(data) : content;
}

/** The text of an entry followed by those of calls: the calls of a reply, or the call that a result answers. */
export function replyText([entry, ...calls]: readonly JSONLEntry[]): string {
  if (entry === undefined) return '';
  const parts = [recallText(entry), ...calls.map((call) => `[#${call.seq} call] ${recallText(call)}`)];
  return parts.filter((part) => part !== '').join('\n');
}

/** A short description for a header, on one line: `result of Bash "npm test" (exit 1)`, `prompt`, `reply`. */
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

/** All blobs that an entry refers to. */
export function blobsOf(entry: JSONLEntry): readonly BlobRef[] {
  const original = originalOf(entry);
  // Parsed loosely, so that it also works for entry kinds of newer versions.
  const { data } = pointersSchema.safeParse(entry.data);
  const replaced = data?.replacements.flatMap((one) => one.original ?? []) ?? [];
  const snippets = entry.isCompactSummary === true ? (entry.compactMetadata?.snippets ?? []) : [];
  return [...(original === undefined ? [] : [original]), ...replaced, ...snippets];
}

const pointersSchema = z.looseObject({
  replacements: z.array(z.looseObject({ original: blobRefSchema.optional() })),
});

/** The text of a message; images are replaced by their type. */
function contentText(content: unknown): string {
  const parts = partsSchema.safeParse(content);
  if (!parts.success) return dataText(content);
  return parts.data
    .map(({ type, text, mediaType }) => (type === 'text' ? (text ?? '') : `[${type} ${mediaType ?? ''}]`))
    .join('\n');
}

const partsSchema = z.array(
  z.looseObject({ type: z.string(), text: z.string().optional(), mediaType: z.string().optional() }),
);

const MAX_WORDS = 80;

function oneLine(text: string): string {
  const flat = text
    .slice(0, 4 * MAX_WORDS)
    .replace(/\s+/g, ' ')
    .trim();
  return wellFormed(flat.length <= MAX_WORDS ? flat : `${headOf(flat, MAX_WORDS)}…`);
}
