/** One call on one line: the tool, what it worked on, how it went. */
import { toolNames } from '../../protocol/toolNames.ts';
import type { Theme } from '../theme.ts';
import { reveal, sanitizeLine } from './sanitize.ts';
import { textWidth, truncate } from './width.ts';

export type ToolStatus = 'running' | 'ok' | 'partial' | 'error' | 'denied' | 'interrupted';

export interface ToolLine {
  readonly tool: string;
  readonly title: string;
  readonly summary?: string | undefined;
  readonly status: ToolStatus;
}

/** Calls whose tool has a name for the model, and whose outcome says all: `Todos  1 of 3 done`, `Plan  accepted`. */
const shownAs: Readonly<Record<string, string>> = {
  [toolNames.todoWrite]: 'Todos',
  [toolNames.exitPlanMode]: 'Plan',
};

/** What a call is called on screen. */
export function shownCall(tool: string, title: string): { readonly tool: string; readonly title: string } {
  const name = Object.hasOwn(shownAs, tool) ? shownAs[tool] : undefined;
  return name === undefined ? { tool, title } : { tool: name, title: '' };
}

/** E.g. `● Read(src/a.ts:1-60)  60 lines`; on a narrow screen the title is cut first, then the outcome goes. */
export function renderToolLine(line: ToolLine, width: number, theme: Theme): string {
  const call = shownCall(line.tool, line.title);
  const tool = sanitizeLine(reveal(call.tool));
  const title = sanitizeLine(reveal(call.title, tool === toolNames.bash));
  const said = sanitizeLine(line.summary ?? '');
  const named = title === '' || title === tool ? '' : title;
  const mark = markOf(line.status);
  const bare = 2 + textWidth(tool) + (named === '' ? 0 : 2);
  const leastTitle = Math.min(textWidth(named), 16);
  const fits = (outcome: string): boolean => bare + leastTitle + textWidth(outcome) + 2 <= width;
  // That something is missing is said even where there is no room for what.
  const summary = line.status === 'partial' && !fits(said) ? 'partial' : said;
  const keepSummary = summary !== '' && fits(summary);
  const outcomeWidth = textWidth(summary) + 2;
  const room = width - bare - (keepSummary ? outcomeWidth : 0);
  if (room < (named === '' ? 0 : 4))
    return `${paintOf(line.status, theme)(mark)} ${truncate(`${tool} ${named}`.trim(), width - 2)}`;
  const inside = named === '' ? '' : theme.text(`(${truncate(named, room)})`);
  const outcome = keepSummary ? theme.dim(`  ${summary}`) : '';
  return `${paintOf(line.status, theme)(mark)} ${theme.strong(tool)}${inside}${outcome}`;
}

/** The file, pattern or command of a call that has no display of its own. */
export function titleOfInput(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  for (const key of ['file_path', 'path', 'command', 'pattern', 'query', 'url']) {
    const value = (input as Record<string, unknown>)[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return '';
}

/** Told apart without colour. */
function markOf(status: ToolStatus): string {
  if (status === 'error' || status === 'denied') return '✗';
  return status === 'partial' ? '◐' : '●';
}

function paintOf(status: ToolStatus, theme: Theme) {
  if (status === 'ok') return theme.success;
  if (status === 'error' || status === 'denied') return theme.error;
  return status === 'running' ? theme.accent : theme.warning;
}
