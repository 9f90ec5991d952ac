/** Lines of a tool's output that say what went wrong, and the places in files that they name. */

/** True for a line that reports a failure; false for a count of none, for what passed, and for a line of code. */
export function isErrorLine(line: string): boolean {
  const head = line.slice(0, MAX_WORDING_CHARACTERS);
  const names = ERROR_WORD.test(head) || ERROR_CLASS.test(head);
  return names && !PASSED.test(head) && !NONE_FAILED.test(head) && !isCode(line);
}

/** What is known of an output besides its text. */
export interface OutputFacts {
  /** Of the tool's result. */
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly display?: { readonly title?: string | undefined } | undefined;
}

/**
 * True for an output that only quotes what lies in files: of Read and Grep, and of a command such as `cat a.js` or
 * `git diff`. What looks like an error there is a line of them. A log is quoted for the errors in it.
 */
export function quotesFiles({ kind, status, display }: OutputFacts): boolean {
  if (kind !== 'command') return kind !== undefined && kind !== 'text';
  const command = (display?.title ?? '').replace(/'[^']*'|"[^"]*"/g, '""');
  if (status === 'error' || LOG_FILE.test(command)) return false;
  return command.split(/&&|\|\||[;|]/).every((part) => SHOWING.test(part.trim()));
}

/** True for a line of source code or of a comment in it, as a listing with line numbers or a diff shows it, too. */
function isCode(line: string): boolean {
  const code = line.slice(0, MAX_LINE_CHARACTERS).replace(LISTED, '').trimEnd();
  return COMMENT.test(code) || STATEMENT.test(code) || CODE_END.test(code);
}

/** True for a line that names a place in a file: `src/a.ts:12:5`, `src/a.ts(12,5)`, `File "a.py", line 12`. */
export function hasFileReference(line: string): boolean {
  return FILE_REFERENCE.test(line.slice(0, MAX_LINE_CHARACTERS));
}

/** Where in a line the place in a file is named; -1 where none is. */
export function referenceAt(line: string): number {
  return line.slice(0, MAX_LINE_CHARACTERS).search(FILE_REFERENCE);
}

/** True for a line about code that is not the project's own, such as a frame in an installed package. */
export function isForeign(line: string): boolean {
  return FOREIGN.test(line.slice(0, MAX_LINE_CHARACTERS));
}

/** True for a line that counts the outcome of a whole run: tests failed, errors found, the exit status. */
export function isSummaryLine(line: string): boolean {
  return SUMMARY.test(line.slice(0, MAX_WORDING_CHARACTERS));
}

/** The first line that reports a failure, trimmed; undefined when none does. Looks at the first 200,000 characters. */
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

/** What of a line is looked at: a line of a megabyte is data. */
const MAX_LINE_CHARACTERS = 1000;
/** Some patterns look ahead, which costs the square of the length. */
const MAX_WORDING_CHARACTERS = 300;
const MAX_FIRST_SEARCH = 200_000;

const ERROR_WORD =
  /(?:^|[^A-Za-z0-9_/\\.-])(?:errors?|ERR!|fatal|panic(?:ked)?|exception|traceback|abort(?:ed)?|segmentation fault|killed|denied|not ok|cannot|can't|could not|undefined reference|unresolved|assert(?:ion)?|fail(?:s|ed|ure|ures|ing)?)(?![A-Za-z0-9_/\\]|\.\w|-\w)|(?:^|\s)[✕✗✘×❌●]\s|\bE\d{3,5}\b|\berror\[E/i;
/** Thrown, not named: what follows is a message, a place or nothing. */
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
  /^(?:cat|bat|nl|head|tail|less|more|sed -n|grep|rg|ls|wc|cd|echo|git (?:-C \S+ |-\S+ )*(?:diff|show|blame|log|grep))\b(?!.*… \(\+)/;
const LOG_FILE = /\.(?:log|out|err|txt)\b|\blogs?\//i;
/** What a listing or a diff puts before a line. */
const LISTED = /^(?:\s*\d+[\t:]|[\w./-]+\.\w+[:-]\d+[:-]|[+-](?![+-]))/;
const COMMENT = /^\s*(?:\/[/*]|<!--)|^\s+\*(?:\s|$)/;
const STATEMENT =
  /^\s*(?:throw\s+(?:new\s+)?[\w.]+\s*(?:\(|;|$)|raise(?:\s+[\w.]+\s*(?:\(|$|from\b)|$)|(?:\}\s*)?catch\s*[({]|except\b.*:(?:\s*#.*)?$|assert\s+(?!.*\bfail)\S|(?:export|static|async|public|private|protected)\s.*[({;,=]$|(?:function|class|def|interface)\s+\w+.*[({:]$|(?:const|let|var)\s+[\w[{].*=|(?:if|while|for|switch|elif)\s*\(?.*(?:[{:;(]|\breturn\b.*)$|import\s.*['"];?$|#\s*(?:include|define|error)\b)/;
const CODE_END = /[\w)\]}'"`]\s*;$|[)>]\s*\{$|=>(?:\s*[({[])?$|(?:&&|\|\||\w\()$/;
