/** Finds lines in tool output that describe an error, and the file locations that they name. */
import { headOf } from '../tokens/truncate.ts';

/** True for a line that reports a failure; false for a count of zero, for a passed test, and for source code. */
function isErrorLine(line: string): boolean {
  const head = line.slice(0, MAX_WORDING_CHARACTERS);
  const names = ERROR_WORD.test(head) || ERROR_CLASS.test(head);
  return names && !PASSED.test(head) && !NONE_FAILED.test(head) && !isCode(line);
}

/** Facts about an output besides its text. */
interface OutputFacts {
  /** Kind of the tool's result. */
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly display?: { readonly title?: string | undefined } | undefined;
}

/**
 * True for output that only quotes files: from Read and Grep, and from commands such as `cat a.js` or `git diff`. An
 * apparent error in it is a line of the file. A log file is an exception, since its errors are of interest.
 */
export function quotesFiles({ kind, status, display }: OutputFacts): boolean {
  if (kind !== 'command') return kind !== undefined && kind !== 'text';
  const command = (display?.title ?? '').replace(/'[^']*'|"[^"]*"/g, '""');
  if (status === 'error' || LOG_FILE.test(command)) return false;
  return command.split(/&&|\|\||[;|]/).every((part) => SHOWING.test(part.trim()));
}

/** True for a line of source code or a comment, also with a line number or diff marker before it. */
function isCode(line: string): boolean {
  const code = line.slice(0, MAX_LINE_CHARACTERS).replace(LISTED, '').trimEnd();
  return COMMENT.test(code) || STATEMENT.test(code) || CODE_END.test(code);
}

/** True for a line with a file location: `src/a.ts:12:5`, `src/a.ts(12,5)`, `File "a.py", line 12`. */
function hasFileReference(line: string): boolean {
  return FILE_REFERENCE.test(line.slice(0, MAX_LINE_CHARACTERS));
}

/** Index of the file location in a line; -1 if there is none. */
function referenceAt(line: string): number {
  return line.slice(0, MAX_LINE_CHARACTERS).search(FILE_REFERENCE);
}

/** True for a line about code outside the project, such as a stack frame in an installed package. */
function isOutsideProject(line: string): boolean {
  return FOREIGN.test(line.slice(0, MAX_LINE_CHARACTERS));
}

/** True for a line with the result of a whole run: tests failed, errors found, the exit status. */
function isSummaryLine(line: string): boolean {
  return SUMMARY.test(line.slice(0, MAX_WORDING_CHARACTERS));
}

/** The first line that reports a failure, trimmed; undefined if there is none in the first 200,000 characters. */
export function firstErrorLine(text: string): string | undefined {
  const end = Math.min(text.length, MAX_FIRST_SEARCH);
  for (let start = 0; start < end; ) {
    const newline = text.indexOf('\n', start);
    const stop = newline === -1 ? text.length : newline;
    const line = text.slice(start, Math.min(stop, start + MAX_LINE_CHARACTERS));
    if (isErrorLine(line)) return line.trim();
    start = stop + 1;
  }
  return undefined;
}

/** Characters examined per line: a line of a megabyte is data. */
const MAX_LINE_CHARACTERS = 1000;
/** Some patterns use lookahead and take quadratic time. */
const MAX_WORDING_CHARACTERS = 300;
const MAX_FIRST_SEARCH = 200_000;

const ERROR_WORD =
  /(?:^|[^A-Za-z0-9_/\\.-])(?:errors?|ERR!|fatal|panic(?:ked)?|exception|traceback|abort(?:ed)?|segmentation fault|killed|denied|not ok|cannot|can't|could not|undefined reference|unresolved|assert(?:ion)?|fail(?:s|ed|ure|ures|ing)?)(?![A-Za-z0-9_/\\]|\.\w|-\w)|(?:^|\s)[✕✗✘×❌●]\s|\bE\d{3,5}\b|\berror\[E/i;
/** An error that was thrown rather than mentioned: a message, a location or nothing follows. */
const ERROR_CLASS = /[A-Za-z](?:Error|Exception|Failure)(?=:|\s*$|\s+at\b|\s*\()/;
const PASSED = /^\s*(?:[✓✔√]|ok\s+\d|ok\s+\S+\s+[\d(]|PASS(?:ED)?\b|--- PASS)|\.{3} ok$|\bPASSED\b/;
const NONE_FAILED =
  /\b(?:0|no|without) (?:errors?|failed|failures?|failing|problems?)\b(?!.*\b[1-9]\d* (?:errors?|fail))/i;
const FILE_REFERENCE =
  /[\w@)\]-]\.[A-Za-z]\w{0,9}(?::\d+|\(\d+(?:,\d+)*\)(?=:| ?[:-] | (?:[Ff]atal|[Ee]rror|[Ww]arning)\b)|: \(\d+|:\[\d+)|", line \d+\b|Dockerfile[\w.-]*:\d+|\bMakefile:\d+/;
const FOREIGN =
  /node_modules|site-packages|dist-packages|\.cargo[/\\]registry|\/rustc\/|node:internal|[/\\]lib[/\\]python|\/usr\/(?:lib|local\/(?:lib|go))|\bjava\.base\/|org\.junit\.|org\.gradle\.|jdk\.internal|\/go\/pkg\/mod\//;
const SUMMARY =
  /^\s*(?:Tests?(?: Files| Suites)?:?\s+.*\d+ (?:failed|passed)|Found \d+ errors?|test result:|\d+ (?:errors?|tests? completed|problems?)\b|=+ .*(?:failed|passed|error).* =+|FAILED?\b|FAILURES!|BUILD FAILED|ERROR: |exit (?:code|status)|error: could not compile|error: aborting)|\bexit(?:ed with)?(?: code| status):? \d+|✖ \d+ problems/;
const SHOWING =
  /^(?:cat|bat|nl|head|tail|less|more|sed -n|grep|rg|ls|wc|cd|echo|git (?:-C \S+ |-(?!C )\S+ )*(?:diff|show|blame|log|grep))\b(?!.*… \(\+)/;
const LOG_FILE = /\.(?:log|out|err|txt)\b|\blogs?\//i;
/** Prefix of a line in a listing or a diff. */
const LISTED = /^(?:\s*\d+[\t:]|[\w./-]+\.\w+[:-]\d+[:-]|[+-](?![+-]))/;
const COMMENT = /^\s*(?:\/[/*]|<!--)|^\s+\*(?:\s|$)/;
const STATEMENT =
  /^\s*(?:throw\s+(?:new\s+)?[\w.]+\s*(?:\(|;|$)|raise(?:\s+[\w.]+\s*(?:\(|$|from\b)|$)|(?:\}\s*)?catch\s*[({]|except\b.*:(?:\s*#.*)?$|assert\s+(?!.*\bfail)\S|(?:export|static|async|public|private|protected)\s.*[({;,=]$|(?:function|class|def|interface)\s+\w+.*[({:]$|(?:const|let|var)\s+[\w[{].*=|(?:if|while|for|switch|elif)\s*\(?.*(?:[{:;(]|\breturn\b.*)$|import\s.*['"];?$|#\s*(?:include|define|error)\b)/;
const CODE_END = /[\w)\]}'"`]\s*;$|[)>]\s*\{$|=>(?:\s*[({[])?$|(?:&&|\|\||\w\()$/;

// Finds the lines of an output that matter most for the next step, with a rank each. The work is bounded.

export interface DecisiveLine {
  /** Offsets in the whole text in UTF-16 units; `end` is the end of the line. */
  readonly start: number;
  readonly end: number;
  /** At most 240 characters of the line, including its file location. */
  readonly text: string;
  /** A smaller rank is more relevant. */
  readonly rank: number;
}

/** Ranks of lines, the most relevant first. */
export const rank = { edge: 0, errorWithPlace: 1, place: 2, summary: 3, error: 4, otherPlace: 5 } as const;

/**
 * Searches the lines between `from` and `to`, or only both ends of a long range. Yields regularly. A repeated line is
 * listed once.
 */
export function* findDecisiveLines(
  text: string,
  from: number,
  to: number,
): Generator<undefined, DecisiveLine[]> {
  const found = new FoundLines();
  const isShort = to - from <= 2 * MAX_SEARCHED;
  yield* search(text, from, isShort ? to : from + MAX_SEARCHED, found);
  if (!isShort) yield* search(text, to - MAX_SEARCHED, to, found);
  const all = found.all();
  const first = all.findIndex((line) => line.isError);
  const last = all.findLastIndex((line) => line.isError);
  const seen = new Set<string>();
  const lines: DecisiveLine[] = [];
  for (const [index, { isError, ...line }] of all.entries()) {
    const isEdge = isError && (index === first || index === last);
    const key = line.text.trim();
    if (seen.has(key) && !isEdge) continue;
    seen.add(key);
    lines.push(isEdge ? { ...line, rank: rank.edge } : line);
  }
  return lines;
}

/** Characters searched from each end: as much as is kept of each end of a command's output. */
const MAX_SEARCHED = 512 * 1024;
/** Characters between two yields: a few milliseconds. */
const STEP_CHARACTERS = 16 * 1024;
/** Lines after an error in which a file location belongs to it: a stack trace or a code excerpt. */
const NEAR = 25;
const LINE_CHARACTERS = 240;

type FoundLine = DecisiveLine & { readonly isError: boolean };

/**
 * Collects the first 2,000 and the last 2,000 lines, so that the last error is always included. File locations without
 * an error may be on every line, so only the first 200 are kept.
 */
class FoundLines {
  readonly #first: FoundLine[] = [];
  #last: FoundLine[] = [];
  readonly #others: FoundLine[] = [];

  add(line: FoundLine): void {
    if (line.rank === rank.otherPlace) {
      if (this.#others.length < MAX_OTHERS) this.#others.push(line);
    } else if (this.#first.length < MAX_FOUND) this.#first.push(line);
    else if (this.#last.push(line) > 2 * MAX_FOUND) this.#last = this.#last.slice(-MAX_FOUND);
  }

  /** In text order. */
  all(): readonly FoundLine[] {
    const found = [...this.#first, ...this.#last.slice(-MAX_FOUND), ...this.#others];
    return found.sort((a, b) => a.start - b.start);
  }
}

const MAX_OTHERS = 200;
const MAX_FOUND = 2000;

function* search(text: string, from: number, to: number, found: FoundLines): Generator<undefined, void> {
  let sinceError = Number.POSITIVE_INFINITY;
  let pause = from + STEP_CHARACTERS;
  for (let start = lineBegin(text, from); start < to; ) {
    const newline = text.indexOf('\n', start);
    const end = newline === -1 ? text.length : newline;
    if (end > start) {
      const line = text.slice(start, Math.min(end, start + MAX_LOOKED_AT));
      const isError = isErrorLine(line);
      sinceError = isError ? 0 : sinceError + 1;
      const its = rankOf(line, isError, sinceError);
      if (its !== undefined) found.add({ start, end, text: quoted(line), rank: its, isError });
    }
    start = end + 1;
    if (start < pause) continue;
    pause = start + STEP_CHARACTERS;
    yield;
  }
}

/** Characters examined per line. */
const MAX_LOOKED_AT = 1000;

function rankOf(line: string, isError: boolean, sinceError: number): number | undefined {
  const hasPlace = hasFileReference(line) && !isOutsideProject(line);
  if (isError && hasPlace) return rank.errorWithPlace;
  if (hasPlace && sinceError <= NEAR) return rank.place;
  if (isSummaryLine(line)) return rank.summary;
  if (isError) return isOutsideProject(line) ? rank.otherPlace : rank.error;
  return hasPlace ? rank.otherPlace : undefined;
}

/** The line; if it is longer than `max`, the part with its file location. */
export function quoted(line: string, max: number = LINE_CHARACTERS): string {
  if (line.length <= max) return line;
  const at = referenceAt(line);
  if (at < max * 0.75) return `${headOf(line, max - 1)}…`;
  const edge = Math.floor(max / 3);
  return `${headOf(line, edge)}…${headOf(line.slice(Math.max(edge, at - edge)), max - edge - 2)}`;
}

/** Start of the first line that begins at or after `index`; `index` itself if it is a newline. */
function lineBegin(text: string, index: number): number {
  if (index === 0 || text[index - 1] === '\n' || text[index] === '\n') return index;
  const feed = text.indexOf('\n', index);
  return feed === -1 ? text.length : feed + 1;
}
