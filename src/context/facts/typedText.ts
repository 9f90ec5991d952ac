/** What of a prompt the user typed, and what was pasted into it. Errs towards pasted. */
import type { JSONLEntry } from '../../protocol/entries.ts';
import { promptText } from './entryText.ts';

/** Longer than what people type, or in several lines. */
export function isPasted(text: string): boolean {
  return text.length > 2000 || text.split('\n', 4).length > 3;
}

/** Characters, newest first: more says nothing more about a language. */
const MAX_TYPED = 20_000;
/** More than people type without a line end. */
const MAX_LINE = 500;

/**
 * What the user typed in their last so many prompts, oldest first, one to a line. Fences, quotes, log lines and very
 * long lines are left out; of a prompt that begins with such a line its first sentence is taken. Of one that is a
 * longer text even without them, only a first line that announces it ("why this:").
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

/** After the first sentence of a very long line, pasted text may follow. */
function typedIn(line: string, isFirst: boolean): string {
  if (line.length <= MAX_LINE) return line;
  if (!isFirst) return '';
  return /^.{1,200}?(?:[.!?:](?=\s)|[。！？：])/.exec(line)?.[0] ?? '';
}

/** Characters of one prompt that are looked at. */
const MAX_PROMPT = 100_000;

/** A quote, a line that begins with a time, a date, a level or a bracket, or a line of a stack. */
const PASTED_LINE =
  /^(?:>|[[({<]|\d{1,4}[-:./]\d{1,2}[-:./]|\w{3} +\d{1,2} \d{2}:|(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL)\b|at .+[:)]\d*\)?$|File "|Traceback|\w*(?:Error|Exception):)/;
