/** The texts of an entry, to search for what occurred in a session. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { isPrompt } from '../history/atoms.ts';

/** The text of a prompt; undefined for other entries. */
export function promptText(entry: JSONLEntry): string | undefined {
  return isPrompt(entry) ? contentText(entry.message.content) : undefined;
}

/** Message content as text, without images. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isTextPart(part) ? part.text : '')).join('\n');
}

/**
 * All texts of an entry, except summaries and drafts: claims of one summary must not confirm those of the next. Strings
 * are returned unescaped, not as JSON, to keep quotes and newlines.
 */
export function* entryTexts(entry: JSONLEntry): Generator<string> {
  if (entry.isCompactSummary === true || entry.subtype === 'summary_draft') return;
  yield entry.cwd;
  yield entry.timestamp;
  if (entry.gitBranch !== undefined) yield entry.gitBranch;
  yield* strings(entry.message.content);
  if (entry.message.reasoning !== undefined) yield entry.message.reasoning.text;
  if (entry.message.model !== undefined) yield entry.message.model;
  if (entry.tool !== undefined) {
    yield entry.tool.name;
    yield* strings(entry.tool.input);
  }
  if (entry.toolResult !== undefined) yield* resultTexts(entry.toolResult);
  if (entry.data !== undefined) yield* strings(entry.data);
}

function* resultTexts(result: NonNullable<JSONLEntry['toolResult']>): Generator<string> {
  yield* strings(result.output);
  if (result.error !== undefined) yield result.error;
  yield* strings(result.filesChanged);
  yield* strings(result.filesRead);
  yield* strings(result.todos);
  yield* strings(result.display);
  if (result.original !== undefined) yield result.original.hash;
}

const MAX_DEPTH = 8;

/** The strings, numbers and property names in any data. */
function* strings(value: unknown, depth = 0): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'number') yield String(value);
  else if (Array.isArray(value) && depth < MAX_DEPTH) {
    for (const one of value) yield* strings(one, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const [name, one] of Object.entries(value)) {
      yield name;
      yield* strings(one, depth + 1);
    }
  }
}

function isTextPart(part: unknown): part is { readonly text: string } {
  return typeof part === 'object' && part !== null && 'text' in part && typeof part.text === 'string';
}
