/** Streamed Markdown: which part can be printed for good, and what to show of the rest. Pure. */

export interface SplitText {
  /** Complete blocks; later text cannot change how they are rendered. */
  readonly finished: string;
  readonly rest: string;
}

/** Maximum characters of an unfinished block; longer ones are cut. A page of code has 5000. */
const MAX_BLOCK = 60_000;

/**
 * Splits at the last empty line that ends a block regardless of what follows; cuts a block that never seems to end.
 * `finished + rest` is the text, and rendering the two separated by an empty line gives the same as rendering the
 * whole. (Exceptions: a link whose definition comes later is printed as written, and so is the remainder of a cut
 * block.)
 */
export function splitFinished(markdown: string): SplitText {
  const state: Scan = { open: 'none', fence: undefined, html: false, afterBlank: false };
  let at = 0;
  for (let start = 0; start < markdown.length; ) {
    const newline = markdown.indexOf('\n', start);
    const end = newline === -1 ? markdown.length : newline;
    if (scanLine(state, markdown.slice(start, end), newline !== -1)) at = start;
    start = end + 1;
  }
  if (at === 0) {
    while (markdown.length - at > MAX_BLOCK) at += cutWithin(markdown.slice(at, at + MAX_BLOCK));
  }
  return { finished: markdown.slice(0, at), rest: markdown.slice(at) };
}

interface Piece {
  readonly text: string;
  /** True for a block that is too long for layout; it is printed as written. */
  readonly isPlain: boolean;
}

/** Splits a text into pieces that are laid out separately; a text of normal length is a single piece. */
export function printablePieces(markdown: string): readonly Piece[] {
  const pieces: Piece[] = [];
  const add = (text: string): void => {
    const isPlain = text.length > MAX_BLOCK / 2 && splitFinished(text).finished === '';
    pieces.push({ text, isPlain });
  };
  let from = 0;
  while (markdown.length - from > MAX_BLOCK) {
    const { finished } = splitFinished(markdown.slice(from, from + MAX_BLOCK + 1));
    add(finished);
    from += finished.length;
  }
  add(markdown.slice(from));
  return pieces;
}

/** Position to cut in a text of `MAX_BLOCK` characters: after a line, else after a word, else anywhere but inside a surrogate pair. */
function cutWithin(text: string): number {
  for (const separator of ['\n', ' ']) {
    const at = text.lastIndexOf(separator) + 1;
    if (at > MAX_BLOCK / 2) return at;
  }
  const last = text.charCodeAt(MAX_BLOCK - 1);
  return last >= 0xd800 && last < 0xdc00 ? MAX_BLOCK - 1 : MAX_BLOCK;
}

interface Scan {
  open: Open;
  fence: Fence | undefined;
  /** Inside HTML that only a specific end mark closes. */
  html: boolean;
  afterBlank: boolean;
}

/** Processes one line; returns true if everything before it is finished. */
function scanLine(state: Scan, line: string, whole: boolean): boolean {
  if (line.trim() === '') {
    if (state.fence === undefined && !state.html && (state.open === 'text' || state.open === 'raw'))
      state.open = 'none';
    state.afterBlank = whole;
    return false;
  }
  const { afterBlank } = state;
  state.afterBlank = false;
  if (state.html) {
    state.html = !htmlEnd.test(line);
    return false;
  }
  if (state.fence !== undefined) {
    // An unindented line ends the list, together with a code block opened inside it.
    const left = afterBlank && state.open === 'list' && state.fence.indented && !/^[ \t]/.test(line);
    if (!left) {
      if (closes(line, state.fence)) state.fence = undefined;
      return false;
    }
  }
  state.fence = undefined;
  const fresh = afterBlank && begins(line, whole, state.open);
  if (fresh) state.open = 'none';
  // Unindented HTML ends a list even without an empty line.
  const interrupts = line.startsWith('<') && rawBlock.test(line);
  if (state.open === 'list' ? interrupts : state.open !== 'raw') state.open = opens(line);
  if (state.open === 'raw') return fresh;
  state.html = htmlStart.test(line) && !htmlEnd.test(line);
  if (!state.html) state.fence = fenceOf(line);
  return fresh;
}

/** Maximum characters of unfinished Markdown to draw: more than a large screen holds, few enough for every frame. */
const MAX_TAIL = 20_000;

/**
 * The end of unfinished Markdown that is worth drawing in `rows` rows; reopens a code block that was cut. Of an
 * unfinished long line, only the end is drawn.
 */
export function liveTail(unfinished: string, rows: number): string {
  const rest = withoutHalfFence(unfinished);
  let from = rest.length;
  for (let line = 0; line < Math.max(1, rows) && from > 0; line += 1) from = rest.lastIndexOf('\n', from - 1);
  if (from <= 0) return endOf(rest);
  let fence: Fence | undefined;
  let opener = '';
  for (const line of rest.slice(0, from).split('\n')) {
    if (fence === undefined) {
      fence = fenceOf(line);
      opener = fence === undefined ? '' : line;
    } else if (closes(line, fence)) fence = undefined;
  }
  const tail = endOf(rest.slice(from + 1));
  return fence === undefined ? tail : `${opener}\n${tail}`;
}

/** Text that was cut within a fence, without the part of the mark. */
export function withoutHalfFence(text: string): string {
  return text.replace(/(?:^|\n)[ \t]*(?:`{1,2}|~{1,2})$/, '');
}

/** The last `MAX_TAIL` characters, starting at a word if possible. */
function endOf(text: string): string {
  if (text.length <= MAX_TAIL) return text;
  const end = text.slice(-MAX_TAIL);
  return end.slice(end.slice(0, 100).search(/\s/) + 1);
}

/** The type of block that the lines since the last split belong to; lists and similar blocks span empty lines. */
type Open = 'none' | 'text' | 'raw' | 'list' | 'indented';

interface Fence {
  readonly mark: string;
  readonly length: number;
  readonly indented: boolean;
}

const listMark = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)/;
const thematicBreak = /^ {0,3}(?:(?:\*[ \t]*){3,}|(?:-[ \t]*){3,}|(?:_[ \t]*){3,})$/;
const htmlStart = /^[ \t]*<(?:!|\?|pre\b|script\b|style\b|textarea\b)/i;
/** HTML up to the next empty line: nothing in it is Markdown, not even a fence. */
const rawBlock =
  /^ {0,3}<\/?(?:address|article|aside|blockquote|body|center|details|dialog|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|html|iframe|li|main|nav|ol|p|section|summary|table|tbody|td|tfoot|th|thead|tr|ul)(?:[\s/>]|$)/i;
const htmlEnd = /-->|\?>|\]\]>|<\/(?:pre|script|style|textarea)>/i;
/** A list mark is at most nine digits, a dot and a space; a longer prefix cannot become one. */
const undecided = 12;

function opens(line: string): Open {
  if (rawBlock.test(line)) return 'raw';
  if (listMark.test(line) && !thematicBreak.test(line)) return 'list';
  if (/^(?: {4}| {0,3}\t)/.test(line)) return 'indented';
  return 'text';
}

/** True if a line after an empty one starts a new block; for a line that is still being written, only if certain. */
function begins(line: string, whole: boolean, open: Open): boolean {
  if (open === 'none' || open === 'text' || open === 'raw') return true;
  if (/^[ \t]/.test(line)) return false;
  if (open === 'indented') return true;
  if (!whole && line.length < undecided && /^(?:\d+[.)]?|[-*+_ ]+)$/.test(line)) return false;
  return !listMark.test(line);
}

function fenceOf(line: string): Fence | undefined {
  const mark = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];
  if (mark === undefined) return undefined;
  return { mark: mark.charAt(0), length: mark.length, indented: !line.startsWith(mark) };
}

function closes(line: string, fence: Fence): boolean {
  const text = line.trim();
  return text.length >= fence.length && text === fence.mark.repeat(text.length);
}
