/** The texts of an entry, to search for what occurred in a session. */
import { isHiddenFromModel, type JSONLEntry } from '../../protocol/entries.ts';
import { contentText } from '../../protocol/messages.ts';
import { isPrompt } from '../history/atoms.ts';

/** The text of a prompt; undefined for other entries. */
function promptText(entry: JSONLEntry): string | undefined {
  return isPrompt(entry) ? contentText(entry.message.content) : undefined;
}

/** A tool's input or output as text: a string verbatim, anything else as JSON. */
export function dataText(data: unknown): string {
  return typeof data === 'string' ? data : (JSON.stringify(data) ?? '');
}

/**
 * All texts of an entry that can confirm what a summary says. None of summaries and of kinds that the model never sees,
 * such as drafts: claims of one summary must not confirm those of the next. Strings are returned unescaped, not as JSON,
 * to keep quotes and newlines.
 */
export function* evidenceTexts(entry: JSONLEntry): Generator<string> {
  if (entry.isCompactSummary === true || isHiddenFromModel(entry)) return;
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

// Separates the text that the user typed from pasted text. When in doubt it counts as pasted.

/** True for a text that is longer than people type, or has more than three lines. */
export function isPasted(text: string): boolean {
  return text.length > 2000 || text.split('\n', 4).length > 3;
}

/** Maximum characters, newest first; more text would not change the detected language. */
const MAX_TYPED = 20_000;
/** People rarely type longer lines. */
const MAX_LINE = 500;

/**
 * The text that the user typed in the last `prompts` prompts, oldest first. Skips fences, quotes, log lines and very
 * long lines; if a prompt begins with a very long line, keeps its first sentence. If the rest is still a long text,
 * keeps only a first line that introduces it ("why this:").
 */
export function typedText(entries: readonly JSONLEntry[], prompts = Number.POSITIVE_INFINITY): string {
  const typed: string[] = [];
  let seen = 0;
  let characters = 0;
  for (let index = entries.length - 1; index >= 0 && seen < prompts && characters < MAX_TYPED; index--) {
    const entry = entries[index];
    const text = entry === undefined ? undefined : promptText(entry);
    if (text === undefined) continue;
    seen++;
    const part = typedPart(text);
    characters += part.length;
    if (part !== '') typed.push(part);
  }
  return typed.reverse().join('\n');
}

function typedPart(prompt: string): string {
  const lines = prompt
    .slice(0, MAX_PROMPT)
    .replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1|$(?![\s\S]))/gm, '')
    .split('\n')
    .map((line, index) => typedIn(line.trim(), index === 0))
    .filter((line) => line !== '' && !PASTED_LINE.test(line));
  const all = lines.join('\n');
  if (!isPasted(all)) return all;
  const [first = ''] = lines;
  return /[:：]$/.test(first) ? first : '';
}

/** Pasted text may follow the first sentence of a very long line. */
function typedIn(line: string, isFirst: boolean): string {
  if (line.length <= MAX_LINE) return line;
  if (!isFirst) return '';
  return /^.{1,200}?(?:[.!?:](?=\s)|[。！？：])/.exec(line)?.[0] ?? '';
}

/** Maximum characters of one prompt that are read. */
const MAX_PROMPT = 100_000;

/** A quote, a line that begins with a time, date, level or bracket, or a line of a stack trace. */
const PASTED_LINE =
  /^(?:>|[[({<]|\d{1,4}[-:./]\d{1,2}[-:./]|\w{3} +\d{1,2} \d{2}:|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b|at .+[:)]\d*\)?$|File "|Traceback|\w*(?:Error|Exception):)/;

/**
 * Finds tokens that look like file paths in free text, in one linear pass without a regular expression over the whole
 * text. The caller has to check whether they exist.
 */

/** Maximum characters of a text that are searched, and of a path. */
const MAX_TEXT = 1_000_000;
const MAX_PATH = 400;
const MAX_TOKENS = 5000;
/** A path contains a slash or a dot, which most words do not. */
const SLASH = 0x2f;
const DOT = 0x2e;

/** Candidates in order of appearance, with repetitions. */
export function pathTokens(text: string): string[] {
  const tokens: string[] = [];
  const end = Math.min(text.length, MAX_TEXT);
  let start = 0;
  let isCandidate = false;
  for (let index = 0; index <= end && tokens.length < MAX_TOKENS; index++) {
    const code = text.charCodeAt(index);
    if (index < end && !isSeparator(code)) {
      isCandidate ||= code === SLASH || code === DOT;
      continue;
    }
    if (isCandidate && index - start > 2 && index - start <= MAX_PATH) {
      const token = toPath(text.slice(start, index));
      if (token !== undefined) tokens.push(token);
    }
    start = index + 1;
    isCandidate = false;
  }
  return tokens;
}

/** Spaces, quotes, brackets, commas and CJK punctuation; not `-._~/:@+#`. */
function isSeparator(code: number): boolean {
  if (code <= 32) return true;
  if (code < 128) return ASCII_SEPARATORS.has(code);
  return (
    (code >= 0x3000 && code <= 0x303f) ||
    (code >= 0xff00 && code <= 0xff0f) ||
    (code >= 0xff1a && code <= 0xff20) ||
    (code >= 0x2018 && code <= 0x201f)
  );
}

const ASCII_SEPARATORS = new Set(
  Array.from('"\'`()<>[]{},;|*?=!$&\\', (character) => character.charCodeAt(0)),
);

function toPath(token: string): string | undefined {
  // `file.ts:12:3` and "file.ts:" name the file; the full stop of a sentence is not part of it.
  const path = token
    .replace(/:\d+(?:[:-]\d+)*:?$/, '')
    .replace(/[.:]+$/, '')
    .replace(/^@/, '');
  if (path.includes('://') || path.startsWith('//')) return undefined;
  const isFilePath = path.includes('/') || /^[\w.-]+\.\w{1,10}$/.test(path);
  return isFilePath && /[\w]/.test(path) ? path : undefined;
}
