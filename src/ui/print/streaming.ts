/** Streamed Markdown: which part of it can be printed for good, and what to show of the rest. Pure. */

export interface SplitText {
  /** Whole blocks: nothing that may still come changes how they print. */
  readonly finished: string;
  readonly rest: string;
}

/**
 * Splits at the last empty line that ends a block whatever follows. `finished + rest` is the text, and
 * printing the two with an empty line between gives what printing the whole gives. (A link whose address is
 * defined further down is the exception: it prints as written.)
 */
export function splitFinished(markdown: string): SplitText {
  let at = 0;
  let open: Open = 'none';
  let fence: Fence | undefined;
  let afterBlank = false;
  let start = 0;
  while (start < markdown.length) {
    const newline = markdown.indexOf('\n', start);
    const whole = newline !== -1;
    const line = markdown.slice(start, whole ? newline : undefined);
    if (fence !== undefined) {
      if (closes(line, fence)) fence = undefined;
      afterBlank = false;
    } else if (line.trim() === '') {
      afterBlank = whole;
      if (open === 'text') open = 'none';
    } else {
      if (afterBlank && begins(line, whole, open)) {
        at = start;
        open = 'none';
      }
      if (open === 'none' || open === 'text') open = opens(line);
      else if (open === 'html' && htmlEnd.test(line)) open = 'text';
      fence = open === 'html' ? undefined : fenceOf(line);
      afterBlank = false;
    }
    if (!whole) break;
    start = newline + 1;
  }
  return { finished: markdown.slice(0, at), rest: markdown.slice(at) };
}

/** The end of unfinished Markdown that is worth drawing on `rows` rows; a cut code block is opened again. */
export function liveTail(rest: string, rows: number): string {
  let from = rest.length;
  for (let line = 0; line < Math.max(1, rows) && from > 0; line += 1) from = rest.lastIndexOf('\n', from - 1);
  if (from <= 0) return rest;
  let fence: Fence | undefined;
  let opener = '';
  for (const line of rest.slice(0, from).split('\n')) {
    if (fence === undefined) {
      fence = fenceOf(line);
      opener = fence === undefined ? '' : line;
    } else if (closes(line, fence)) fence = undefined;
  }
  const tail = rest.slice(from + 1);
  return fence === undefined ? tail : `${opener}\n${tail}`;
}

/** What kind of block the lines since the last split belong to: lists and their like run over empty lines. */
type Open = 'none' | 'text' | 'list' | 'indented' | 'html';

interface Fence {
  readonly mark: string;
  readonly length: number;
}

const listMark = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const thematicBreak = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const htmlStart = /^ {0,3}<(?:!|\?|pre\b|script\b|style\b|textarea\b)/i;
const htmlEnd = /-->|\?>|\]\]>|<\/(?:pre|script|style|textarea)>/i;
/** A list mark is at most nine digits, a dot and a space: a longer beginning cannot become one. */
const undecided = 12;

function opens(line: string): Open {
  if (htmlStart.test(line)) return htmlEnd.test(line) ? 'text' : 'html';
  if (listMark.test(line) && !thematicBreak.test(line)) return 'list';
  if (/^(?: {4}| {0,3}\t)/.test(line)) return 'indented';
  return 'text';
}

/** Whether a line after an empty one starts a block of its own; a line still being written must be certain. */
function begins(line: string, whole: boolean, open: Open): boolean {
  if (open === 'html') return false;
  if (open === 'none' || open === 'text') return true;
  if (/^[ \t]/.test(line)) return false;
  if (open === 'indented') return true;
  if (!whole && line.length < undecided && /^(?:\d+[.)]?|[-*+_ ]+)$/.test(line)) return false;
  return !listMark.test(line);
}

function fenceOf(line: string): Fence | undefined {
  const found = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  return found === undefined ? undefined : { mark: found.charAt(0), length: found.length };
}

function closes(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.mark.repeat(text.length);
}
