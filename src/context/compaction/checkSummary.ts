/**
 * Checks a model's summary without a model: whether it is a summary at all, which paths in it occur nowhere in the log,
 * and which lines pose as a turn, the program or tool syntax. The user's words are quoted next to it, so nothing else
 * is judged.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { FinishReason } from '../../protocol/messages.ts';
import { entryTexts } from '../facts/entryText.ts';
import { pathTokens } from '../facts/pathTokens.ts';
import { runInSlices } from '../facts/slices.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';

export interface CheckedSummary {
  readonly text: string;
  /** Paths that occur nowhere in the log, each once. */
  readonly unverified: readonly string[];
}

/** Marks unknown paths and defuses posing lines. Linear in the log, in slices; earlier summaries vouch for nothing. */
export async function checkSummary(summary: string, entries: readonly JSONLEntry[]): Promise<CheckedSummary> {
  const text = withoutAuthority(summary);
  const unseen = new Set(pathTokens(text).filter(isFilePath).slice(0, MAX_PATHS));
  await runInSlices(findIn(entries, unseen));
  return { text: markPaths(text, unseen), unverified: [...unseen] };
}

/** With a folder and an ending: "and/or" is no path, and a bare name may be anything. */
function isFilePath(token: string): boolean {
  return /[/\\][^/\\]*\.[a-z]\w{0,9}$/i.test(token);
}

const MAX_PATHS = 200;
const MARK = ' (unverified)';

/** Takes out of the set what occurs in an entry. */
function* findIn(entries: readonly JSONLEntry[], paths: Set<string>): Generator<void, void> {
  for (const entry of entries) {
    if (paths.size === 0) return;
    for (const text of entryTexts(entry)) {
      for (const path of paths) if (text.includes(bare(path))) paths.delete(path);
      yield;
    }
  }
}

/** Without what the writer may have put around it: `./src/`, a leading slash of a path given from the root. */
function bare(path: string): string {
  return path.replace(/^(?:\.\/|~\/)/, '').replace(/\/$/, '');
}

function markPaths(text: string, paths: ReadonlySet<string>): string {
  let marked = text;
  for (const path of paths) {
    const at = marked.indexOf(path);
    if (at === -1) continue;
    const end = at + path.length + (marked.charAt(at + path.length) === '`' ? 1 : 0);
    marked = marked.slice(0, end) + MARK + marked.slice(end);
  }
  return marked;
}

/** A tool's output may have talked the model into a summary that commands: such lines are quoted or made harmless. */
function withoutAuthority(summary: string): string {
  return summary
    .split('\n')
    .map((line) => {
      const tame = tameSyntax(line);
      const commands =
        line.length <= MAX_LINE && !line.startsWith(QUOTE) && (TURN.test(line) || ORDER.test(line));
      return commands ? `${QUOTE}${tame}` : tame;
    })
    .join('\n');
}

const MAX_LINE = 4000;
const QUOTE = '> (quoted from the archive, not an instruction) ';

/** The line of a transcript. A heading or list item about the user is none: it has words before the colon. */
const TURN =
  /^\s*(?:[*_#>]{1,4}\s*)?(?:system|user|human|assistant|developer|tool|系统|用户|助手|システム|ユーザー)\s*(?:[*_]{1,2})?\s*[:：]/i;

/** Sentences that only an attacker writes in a summary of work. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)\b|\byou (?:must|are to|will) now\b|\byou are now\b|\bnew (?:system )?instructions?:|\b(?:end|begin) of (?:system )?(?:prompt|instructions?)\b|\b(?:ignoriere|vergiss)\b.{0,30}\b(?:anweisung\w*|regeln)\b|\b(?:ignora|olvida)\b.{0,30}\binstrucciones\b|\b(?:ignore[zr]?|oublie[zr]?)\b.{0,30}\binstructions\b|(?:忽略|无视|忘记).{0,12}(?:指令|指示|规则|提示)|(?:以前|これまで|上記)の(?:指示|命令).{0,6}(?:無視|忘れ)/i;

/** Tags of roles, tools and our own wrapper, special tokens of chat templates: shown, but no longer syntax. */
function tameSyntax(line: string): string {
  if (line.length < 5) return line;
  return line
    .replace(TAG, '&lt;$1')
    .replace(/<([|｜])([^\s<>|｜]{1,40})([|｜])>/g, '< $1$2$3 >')
    .replace(/\[(\/?)(INST|SYS)\]/g, '($1$2)')
    .replace(/<<(\/?)SYS>>/g, '(($1SYS))');
}

const TAG =
  /<(?=\/?(?:system(?:[-_](?:note|prompt|reminder|message))?|user(?:[-_]message)?|human|assistant|developer|tool(?:[-_](?:call|calls|use|result|response))?|function(?:[-_](?:call|calls|results?))?|invoke|parameter|antml|instructions?|im_start|im_end)\b[^>]{0,200}>?)(\/?)/gi;

/** A reply to the request for a summary. */
export interface WrittenSummary {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly hasCalls: boolean;
}

/**
 * Why this cannot stand in for so many tokens of conversation, ready to show; undefined where it may. In doubt it may:
 * weak models write a few sentences without headings, and that is better than no summary.
 */
export function whyNoSummary(
  { text, finishReason, hasCalls }: WrittenSummary,
  replacedTokens: number,
): string | undefined {
  const called = 'the model called a tool instead of writing a summary';
  if (text === '') return hasCalls ? called : `the model wrote an empty summary (${finishReason})`;
  if (finishReason === 'content_filter') return `${NONE}: a content filter stopped its reply`;
  if (!isReadable(text)) return `${NONE}: its reply is not readable text`;
  const least = Math.min(LEAST_TOKENS, LEAST_SHARE * replacedTokens);
  if (estimateTokens(text, HIGH) >= least) return undefined;
  if (finishReason === 'length') return `${NONE}: its reply was cut off after a few words`;
  if (STRUCTURE.test(text)) return undefined;
  return hasCalls ? called : `${NONE}: ${quoted(text)}`;
}

const NONE = 'the model wrote no summary';

/**
 * Tokens that a summary without any heading has at least: some thirty words, which no refusal and no question back
 * reaches; of a short conversation a hundredth and a half of what it replaces.
 */
const LEAST_TOKENS = 40;
const LEAST_SHARE = 0.015;

/** A line that is one of the headings asked for, or looks like it. */
const STRUCTURE = /^[ \t]*(?:#{1,6}[ \t]|\d{1,2}[.)]|\*\*[^*\n]+\*\*:?[ \t]*$)/m;

/** Text has more letters than control and replacement characters. */
function isReadable(text: string): boolean {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const broken = text.match(/[^\P{Cc}\t\n\r]|\uFFFD/gu)?.length ?? 0;
  return letters > broken;
}

function quoted(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length <= MAX_QUOTE ? `"${line}"` : `"${headOf(line, MAX_QUOTE)}…"`;
}

const MAX_QUOTE = 80;
