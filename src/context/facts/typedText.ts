/** Separates the text that the user typed from pasted text. When in doubt it counts as pasted. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { promptText } from './entryText.ts';

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
