/** A tool call on one line, several reads on one line, and the facts of a finished call. Pure. */

import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import { count } from '../../protocol/text/numbers.ts';
import { revealHidden } from '../../protocol/text/reveal.ts';
import { NO_MATCHES, toolNames, traitsOf } from '../../protocol/toolNames.ts';
import type { Theme } from '../theme/theme.ts';
import { displayText } from './content.ts';
import { sanitize, sanitizeLine, shownLine } from './sanitize.ts';
import { textWidth, truncate } from './width.ts';

type ToolStatus = 'running' | 'ok' | 'partial' | 'error' | 'denied' | 'interrupted';

interface ToolLine {
  readonly tool: string;
  readonly title: string;
  readonly summary?: string | undefined;
  readonly status: ToolStatus;
}

/** The name and title of a call on screen: of `mcp__github__search`, for example, `github · search`. */
export function callLabel(tool: string, title: string): { readonly tool: string; readonly title: string } {
  const label = traitsOf(tool)?.label;
  if (label !== undefined) return { tool: label, title: '' };
  // The name of a server contains no `__`.
  const [, server, own] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  return server === undefined ? { tool, title } : { tool: `${server} · ${own}`, title };
}

/**
 * Returns a line such as `● Read(src/a.ts:1-60) 60 lines`. On a narrow screen the title is cut first, then the last
 * facts of the outcome are dropped.
 */
export function renderToolLine(line: ToolLine, width: number, theme: Theme): string {
  const call = callLabel(line.tool, line.title);
  const tool = shownLine(call.tool);
  const title = shownLine(call.title, tool === toolNames.bash);
  const full = sanitizeLine(line.summary ?? '');
  const named = title === '' || title === tool ? '' : title;
  const mark = markOf(line.status);
  const bare = 2 + textWidth(tool) + (named === '' ? 0 : 2);
  const leastTitle = Math.min(textWidth(named), 16);
  const fits = (outcome: string): boolean => bare + leastTitle + textWidth(outcome) + 2 <= width;
  // As many facts as fit, the first ones first. A partial result is marked as such even if there is no room for any.
  const facts = full.split(' · ');
  const shortened = facts.map((_, at) => facts.slice(0, facts.length - at).join(' · ')).find(fits);
  const summary = shortened ?? (line.status === 'partial' ? 'partial' : full);
  const keepSummary = summary !== '' && fits(summary);
  const outcomeWidth = textWidth(summary) + 2;
  const room = width - bare - (keepSummary ? outcomeWidth : 0);
  if (room < (named === '' ? 0 : 4))
    return `${paintOf(line.status, theme)(mark)} ${truncate(`${tool} ${named}`.trim(), width - 2)}`;
  const inside = named === '' ? '' : theme.text(`(${truncate(named, room)})`);
  const outcome = keepSummary ? theme.dim(`  ${summary}`) : '';
  return `${paintOf(line.status, theme)(mark)} ${theme.strong(tool)}${inside}${outcome}`;
}

/** The file, pattern or command of a call without a display title. */
function titleOfInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  for (const key of ['file_path', 'path', 'command', 'pattern', 'query', 'url']) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** Marks that differ without color. */
function markOf(status: ToolStatus): string {
  if (status === 'error' || status === 'denied') return '✗';
  return status === 'partial' ? '◐' : '●';
}

function paintOf(status: ToolStatus, theme: Theme) {
  if (status === 'ok') return theme.success;
  if (status === 'error' || status === 'denied') return theme.error;
  return status === 'running' ? theme.accent : theme.warning;
}

// Several reads and searches on one line.

/**
 * Returns one line for several reads, such as `● Read 8 files, searched 1 pattern a.ts, b.ts, "TODO" in src…`; a single
 * result gets its normal line.
 */
export function renderReads(entries: readonly JSONLEntry[], width: number, theme: Theme): string {
  const results = entries.flatMap(({ toolResult }) => toolResult ?? []);
  const [only] = results;
  if (only !== undefined && results.length === 1) {
    const { name: tool = toolNames.read, status = 'ok', display } = only;
    return renderToolLine(
      { tool, title: display?.title ?? '', summary: display?.summary, status },
      width,
      theme,
    );
  }
  const isPartial = results.some(({ status }) => status === 'partial');
  const reads = results.filter(({ name }) => name === toolNames.read);
  const files = new Set(reads.map(({ display }) => display?.title)).size;
  const searches = results.length - reads.length;
  const unmatched = results.filter(({ display }) => display?.summary === NO_MATCHES).length;
  const counts = [
    ...(files === 0 ? [] : [`read ${count(files, 'file')}`]),
    ...(searches === 0 ? [] : [`searched ${count(searches, 'pattern')}`]),
    ...(unmatched === 0 ? [] : [unmatched === searches ? NO_MATCHES : `${unmatched} without matches`]),
    ...(isPartial ? ['partial'] : []),
  ].join(', ');
  const head = truncate(counts.charAt(0).toUpperCase() + counts.slice(1), width - 2);
  const room = width - 2 - textWidth(head) - 2;
  const names = [...new Set(results.map(nameOf).filter((name) => name !== ''))].join(', ');
  const tail = room < 8 || names === '' ? '' : theme.dim(`  ${truncate(names, room)}`);
  const mark = isPartial ? theme.warning('◐') : theme.success('●');
  return `${mark} ${theme.strong(head)}${tail}`;
}

/** The title of a read, with the range if it is partial: `a.ts (lines 1-200 of 900)`. */
function nameOf({ display, status }: NonNullable<JSONLEntry['toolResult']>): string {
  const part = status === 'partial' && display?.summary !== undefined ? ` (${display.summary})` : '';
  return shownLine(`${display?.title ?? ''}${part}`);
}

/** Facts of a finished call, shared by all renderers. Pure; not sanitized. */
export type ToolResult = NonNullable<JSONLEntry['toolResult']>;

export interface ResultFacts {
  readonly tool: string;
  /** The target of the call; empty if unknown. */
  readonly title: string;
  readonly status: Exclude<ToolStatus, 'running'>;
}

/** `call`: the call that the result belongs to, if known. */
export function resultFacts(result: ToolResult, call: JSONLEntry['tool']): ResultFacts {
  const tool = result.name ?? call?.name ?? 'Tool';
  const title = result.display?.title;
  return {
    tool,
    // A call that was closed after a crash has no title other than the tool's name.
    title: title === undefined || title === tool ? titleOfInput(call?.input) : title,
    status: result.status ?? (result.error === undefined ? 'ok' : 'error'),
  };
}

/** Why a call failed: for commands the output, keeping its end; for other tools the error, keeping its start. */
export function failureOf(result: ToolResult): { readonly text: string; readonly keep: 'start' | 'end' } {
  const whole = displayText(result.output);
  const output = withoutModelNotes(whole, result.display);
  // For a denied call only the user's comment is shown; the user knows that it did not run.
  if (output === '' && whole !== '' && result.status === 'denied') {
    const { comment } = result.display ?? {};
    return { text: comment === undefined ? '' : `Your comment: ${comment}`, keep: 'start' };
  }
  const error = result.error ?? '';
  if (result.kind === 'command') return { text: output || error, keep: 'end' };
  const text = revealHidden(sanitize(result.error ?? output));
  // The call's line already shows it.
  return { text: result.status === 'denied' ? text.replace(/^Not allowed: /, '') : text, keep: 'start' };
}
