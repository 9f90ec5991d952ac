/** Incremental search in earlier prompts, newest first, as in shells. Pure. */
import { type ComposerTheme, layOut, markedRows } from './layout.ts';
import { applyEdit, createBuffer, type Edit, type TextBuffer } from './textBuffer.ts';
import { clean, expand, type Unit, unitsOf } from './units.ts';

/** The prompts to search: of this run, of this project, or of all projects. */
export type SearchScope = 'session' | 'project' | 'all';

export interface HistorySearch {
  readonly query: TextBuffer;
  readonly scope: SearchScope;
  /** Unique matches, newest first. */
  readonly matches: readonly string[];
  /** Index into `matches`. */
  readonly selected: number;
}

/** Prompts by scope, oldest first; undefined while they are loading or if they cannot be loaded. */
export type SearchSources = Readonly<Record<SearchScope, readonly string[] | undefined>>;

/** Maximum number of matches kept; more than a user steps through. */
const MAX_MATCHES = 500;

/** Starts with all prompts of the project, newest first. */
export function startSearch(sources: SearchSources): HistorySearch {
  const empty = { query: createBuffer(), scope: 'project', matches: [], selected: 0 } as const;
  return { ...empty, matches: find(sources.project ?? [], '') };
}

/** Changes the query and restarts the search at the newest match. */
export function editQuery(search: HistorySearch, edit: Edit, sources: SearchSources): HistorySearch {
  const oneLine = edit.type === 'insert' ? { ...edit, text: clean(edit.text).replace(/\s+/g, ' ') } : edit;
  return again({ ...search, query: applyEdit(search.query, oneLine) }, sources);
}

/** Moves one match older (1) or newer (-1); stops at either end. */
export function moveMatch(search: HistorySearch, by: 1 | -1): HistorySearch {
  const last = Math.max(search.matches.length - 1, 0);
  return { ...search, selected: Math.max(0, Math.min(last, search.selected + by)) };
}

/** Cycles through project, all projects (if they can be loaded) and this session. */
export function nextScope(search: HistorySearch, sources: SearchSources): HistorySearch {
  const circle: readonly SearchScope[] = ['project', 'all', 'session'];
  const scope = circle[(circle.indexOf(search.scope) + 1) % circle.length] ?? 'project';
  return again({ ...search, scope }, sources);
}

/** Repeats the search on the current sources. */
export function again(search: HistorySearch, sources: SearchSources): HistorySearch {
  const matches = find(sources[search.scope] ?? [], expand(search.query.units));
  return { ...search, matches, selected: 0 };
}

/** The range of units of the first occurrence of the query; undefined if there is none. */
function firstMatchRange(
  units: readonly Unit[],
  query: string,
): { readonly from: number; readonly to: number } | undefined {
  const wanted = folded(query, query);
  if (wanted === '') return undefined;
  const ends: number[] = [];
  let text = '';
  for (const unit of units) {
    text += folded(typeof unit === 'string' ? unit : unit.text, query);
    ends.push(text.length);
  }
  const at = text.indexOf(wanted);
  if (at === -1) return undefined;
  const from = ends.findIndex((end) => end > at);
  return { from, to: ends.findIndex((end) => end >= at + wanted.length) + 1 };
}

function find(entries: readonly string[], query: string): readonly string[] {
  const wanted = folded(query, query);
  const found = new Set<string>();
  for (let at = entries.length - 1; at >= 0 && found.size < MAX_MATCHES; at--) {
    const entry = entries[at] ?? '';
    if (folded(entry, query).includes(wanted)) found.add(entry);
  }
  return [...found];
}

/** Smart case: a query without capitals ignores case. */
const folded = (text: string, query: string): string =>
  query === query.toLowerCase() ? text.toLowerCase() : text;

/** Characters around the match that are laid out, because a prompt may contain a whole file. */
const AROUND = 4000;

/** At most `maxRows` rows of a prompt around the match, which is painted. */
export function searchExcerpt(
  prompt: string,
  query: string,
  {
    width,
    maxRows,
    theme,
  }: { readonly width: number; readonly maxRows: number; readonly theme: ComposerTheme },
): readonly string[] {
  const units = unitsOf(excerptOf(clean(prompt), query));
  const found = firstMatchRange(units, query);
  const layout = layOut(units, width);
  const rows = markedRows(units, layout, found, (text) => theme.underline(theme.warning(text)));
  const row = found === undefined ? 0 : (layout.rowOf[found.from] ?? 0);
  const top = Math.max(0, Math.min(row - 1, rows.length - maxRows));
  return rows.slice(top, top + maxRows);
}

/** The part of a long prompt around the match. */
function excerptOf(prompt: string, query: string): string {
  if (prompt.length <= 2 * AROUND) return prompt;
  const at = Math.max(0, prompt.toLowerCase().indexOf(query.toLowerCase()));
  return prompt.slice(Math.max(0, at - AROUND), at + AROUND).toWellFormed();
}
