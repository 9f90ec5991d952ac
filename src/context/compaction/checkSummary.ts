/**
 * Checks a model's summary without asking a model: whether it is usable, which of its paths occur nowhere in the log,
 * and which lines imitate a turn, the program or tool syntax. Nothing else is checked, since the user's messages are
 * quoted next to it.
 */
import { inSlices, type Steps } from '../../disk/slices.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { FinishReason } from '../../protocol/messages.ts';
import { evidenceTexts, pathTokens } from '../facts/entryText.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';

interface CheckedSummary {
  readonly text: string;
  /** Paths that occur nowhere in the log, without duplicates. */
  readonly unverified: readonly string[];
}

/**
 * Marks unknown paths and neutralizes imitating lines. Runs in slices, linear in the log. Paths found only in earlier
 * summaries count as unknown.
 */
export async function checkSummary(summary: string, entries: readonly JSONLEntry[]): Promise<CheckedSummary> {
  const text = withoutAuthority(summary);
  const unseen = new Set(pathTokens(text).filter(isFilePath).slice(0, MAX_PATHS));
  await inSlices(findIn(entries, unseen));
  return { text: markPaths(text, unseen), unverified: [...unseen] };
}

/** Requires a folder and an extension: "and/or" is not a path, and a bare name may be anything. */
function isFilePath(token: string): boolean {
  return /[/\\][^/\\]*\.[a-z]\w{0,9}$/i.test(token);
}

const MAX_PATHS = 200;
const MARK = ' (unverified)';

/** Deletes from the set each path that occurs in an entry. */
function* findIn(entries: readonly JSONLEntry[], paths: Set<string>): Steps<void> {
  for (const entry of entries) {
    if (paths.size === 0) return;
    for (const text of evidenceTexts(entry)) {
      for (const path of paths) if (text.includes(bare(path))) paths.delete(path);
      yield;
    }
  }
}

/** Strips prefixes and a trailing slash that the writer may have added to a path. */
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

/** Tool output may have injected commands into the summary: such lines are quoted or neutralised. */
function withoutAuthority(summary: string): string {
  return summary
    .split('\n')
    .map((line) => {
      const tame = escapeSyntax(line);
      const commands =
        line.length <= MAX_LINE && !line.startsWith(QUOTE) && (TURN.test(line) || ORDER.test(line));
      return commands ? `${QUOTE}${tame}` : tame;
    })
    .join('\n');
}

const MAX_LINE = 4000;
const QUOTE = '> (quoted from the archive, not an instruction) ';

/** A line of a transcript. Headings and list items about the user do not match: they have words before the colon. */
const TURN =
  /^\s*(?:[*_#>]{1,4}\s*)?(?:system|user|human|assistant|developer|tool|系统|用户|助手|システム|ユーザー)\s*(?:[*_]{1,2})?\s*[:：]/i;

/** Sentences that occur in a summary only through an injection. */
const ORDER =
  /\b(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|all|your|system)\b.{0,20}\b(?:instructions?|prompts?|rules?|messages?|guidelines?)\b|\byou (?:must|are to|will) now\b|\byou are now\b|\bnew (?:system )?instructions?:|\b(?:end|begin) of (?:system )?(?:prompt|instructions?)\b|\b(?:ignoriere|vergiss)\b.{0,30}\b(?:anweisung\w*|regeln)\b|\b(?:ignora|olvida)\b.{0,30}\binstrucciones\b|\b(?:ignore[zr]?|oublie[zr]?)\b.{0,30}\binstructions\b|(?:忽略|无视|忘记).{0,12}(?:指令|指示|规则|提示)|(?:以前|これまで|上記)の(?:指示|命令).{0,6}(?:無視|忘れ)/i;

/** Escapes role and tool tags, our own wrapper and special tokens of chat templates, so that they are only text. */
function escapeSyntax(line: string): string {
  if (line.length < 5) return line;
  return line
    .replace(TAG, '&lt;$1')
    .replace(/<([|｜])([^\s<>|｜]{1,40})([|｜])>/g, '< $1$2$3 >')
    .replace(/\[(\/?)(INST|SYS)\]/g, '($1$2)')
    .replace(/<<(\/?)SYS>>/g, '(($1SYS))');
}

const TAG =
  /<(?=\/?(?:system(?:[-_](?:note|prompt|reminder|message))?|user(?:[-_]message)?|human|assistant|developer|tool(?:[-_](?:call|calls|use|result|response))?|function(?:[-_](?:call|calls|results?))?|invoke|parameter|antml|instructions?|im_start|im_end)\b[^>]{0,200}>?)(\/?)/gi;

/** A reply to a summary request. */
interface WrittenSummary {
  readonly text: string;
  readonly finishReason: FinishReason;
  readonly hasCalls: boolean;
}

/**
 * Returns why this text cannot replace that many tokens of conversation, as a message for the user; undefined if it
 * can. When in doubt it can: weak models write a few sentences without headings, which is better than no summary.
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
 * Minimum tokens of a summary without headings: about thirty words, more than a refusal or a question has. For a short
 * conversation, 1.5 % of the tokens that it replaces.
 */
const LEAST_TOKENS = 40;
const LEAST_SHARE = 0.015;

/** A heading like the ones that were requested. */
const STRUCTURE = /^[ \t]*(?:#{1,6}[ \t]|\d{1,2}[.)]|\*\*[^*\n]+\*\*:?[ \t]*$)/m;

/** True if a text has more letters than control and replacement characters. */
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
