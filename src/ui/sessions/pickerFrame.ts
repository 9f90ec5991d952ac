/** The picker's rows around its list: title, footer, help; and how many rows go to what. Pure. */
import { sanitizeLine } from '../print/sanitize.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import { HIT_ROWS } from './hitRows.ts';
import { MAX_HITS, type PickerState, typed } from './pickerState.ts';

export interface PickerLayout {
  /** Items of the list that are visible at once. */
  readonly items: number;
  readonly previewRows: number;
  readonly hasFooter: boolean;
}

const SMALL_PREVIEW = 5;

/** What fits into `rows`: the list first, then the footer, then the preview, which a longer message takes rows of. */
export function pickerLayout(state: PickerState, rows: number, footerRows = 1): PickerLayout {
  const layout = withShortFooter(state, rows);
  const more = layout.hasFooter ? footerRows - 1 : 0;
  if (layout.previewRows > more) return { ...layout, previewRows: layout.previewRows - more };
  const items = Math.max(1, layout.items - Math.ceil(more / rowsOfItem(state)));
  return { ...layout, items };
}

function withShortFooter(state: PickerState, rows: number): PickerLayout {
  const each = rowsOfItem(state);
  const hasFooter = rows >= 5;
  const left = Math.max(1, rows - 2 - (hasFooter ? 1 : 0));
  if (state.isPreviewLarge && left >= 3 + each) {
    const items = left >= 12 ? 3 : 1;
    return { items, previewRows: left - items * each, hasFooter };
  }
  const previewRows = left - SMALL_PREVIEW >= Math.max(3, 2 * each) ? SMALL_PREVIEW : 0;
  return { items: Math.max(1, Math.floor((left - previewRows) / each)), previewRows, hasFooter };
}

/** Rows that one item of the list takes. */
export function rowsOfItem({ isSearch }: Pick<PickerState, 'isSearch'>): number {
  return isSearch ? HIT_ROWS : 1;
}

const listNames = {
  project: ['Sessions of this project', 'Sessions'],
  all: ['Sessions of all projects', 'All sessions'],
} as const;
const searchNames = {
  project: ['Search this project', 'Search'],
  all: ['Search all projects', 'Search all'],
} as const;

/** A rule with the name of the list at its left, and the place in it at its right. */
export function pickerTitle(state: PickerState, width: number, theme: Theme): string {
  const { scope, isSearch, list, hits } = state;
  const shown = isSearch ? hits : list;
  const names = isSearch ? searchNames[scope] : listNames[scope];
  const name = names.find((one) => one.length + 5 <= width) ?? truncate(names[1], Math.max(1, width - 4));
  const of = shown.visible.length === shown.items.length ? '' : ` of ${grouped(shown.items.length)}`;
  const more = isSearch && hits.visible.length >= MAX_HITS ? '+' : '';
  const many = `${grouped(shown.visible.length)}${more}`;
  const place = shown.visible.length === 0 ? '' : ` ${grouped(shown.selected + 1)} / ${many}${of} ─`;
  const rule = width - 3 - textWidth(name) - textWidth(place);
  if (rule < 2) return `${theme.accent('─ ')}${theme.strong(name)}`;
  return `${theme.accent('─ ')}${theme.strong(name)} ${theme.accent('─'.repeat(rule))}${theme.dim(place)}`;
}

/** What the line of text is for. */
export function textLabel({ isSearch }: PickerState): string {
  return isSearch ? 'Search: ' : 'Filter: ';
}

/** What stands in the place of an empty list. */
export function nothingText(state: PickerState): string {
  const { scope, isSearch, isSearching, isLoading, list, searched } = state;
  const where = scope === 'project' ? 'in this project' : 'in any project';
  if (isSearch) {
    if (typed(state) === '') return 'Type words that were said, or seen in a file or an output.';
    if (isSearching || searched !== typed(state)) return 'Searching…';
    return `Nothing of that was said or seen ${where}.`;
  }
  if (list.items.length > 0) return 'No title matches. Ctrl+F searches everything that was said.';
  return isLoading ? 'Looking for sessions…' : `No sessions ${where} yet.`;
}

/** The last line: what happened, on as many rows as it needs, or else what the keys do, as many as fit. */
export function footer(state: FooterState, width: number, theme: Theme): readonly string[] {
  const { message } = state;
  if (message === undefined) return [theme.dim(keysLine(state, width))];
  const paint = message.level === 'error' ? theme.error : theme.success;
  return wrapText(sanitizeLine(message.text), width, paint).slice(0, MESSAGE_ROWS);
}

/** `currentId`: the session to go back to. */
type FooterState = PickerState & { readonly currentId?: string | undefined };

const MESSAGE_ROWS = 4;

function keysLine(state: FooterState, width: number): string {
  const { dialog, isSearch, isPreviewLarge, isSearching } = state;
  if (dialog?.type === 'rename') return truncate('Enter renames it · Esc leaves it as it is', width);
  const leads = isPreviewLarge
    ? 'Esc closes it'
    : typed(state) === '' && !isSearch
      ? state.currentId === undefined
        ? 'Esc new session'
        : 'Esc leaves'
      : 'Esc back';
  const keys = isPreviewLarge
    ? ['↑↓ other sessions', 'PgUp PgDn scroll', 'Enter opens', leads]
    : [
        ...(isSearching ? ['searching…'] : []),
        'Enter opens',
        state.scope === 'project' ? 'Tab all projects' : 'Tab this project',
        isSearch ? 'Ctrl+F titles' : '/ search',
        'Ctrl+O preview',
        'Ctrl+R rename',
        '? more keys',
        leads,
      ];
  return fitting(keys, width);
}

/** The first of the keys and the last two, and of those between as many as fit. */
function fitting(keys: readonly string[], width: number): string {
  for (let between = keys.length - 3; between >= 0; between -= 1) {
    const line = [...keys.slice(0, 1 + between), ...keys.slice(-2)].join(' · ');
    if (textWidth(line) <= width) return line;
  }
  return truncate('Enter Tab / ? Esc', width);
}

const help: readonly (readonly [string, string])[] = [
  ['Enter', 'go on with the session; with a hit, at that place'],
  ['letters', 'filter by title, branch, project or id'],
  ['/ or Ctrl+F', 'search everything that was said or seen; again: titles'],
  ['Tab', 'this project, all projects'],
  ['Ctrl+O', 'larger preview; PgUp PgDn scroll it'],
  ['Ctrl+R', 'rename'],
  ['Ctrl+G', 'fork: go on in a copy; of a hit, up to that place'],
  ['Ctrl+T', 'archive, or take out of the archive'],
  ['Ctrl+X', 'delete, after a question'],
  ['Ctrl+Z', 'take back the last renaming or archiving'],
  ['Home End', 'first and last'],
  ['Esc', 'back, then leave; Ctrl+C leaves at once'],
];

/** At most `rows` lines; any key leads back. */
export function helpLines(width: number, rows: number, theme: Theme): string[] {
  const wide = width >= 40;
  const full = help.flatMap(([key, does]) =>
    wide
      ? prefixLines(
          wrapText(does, width - KEY_WIDTH),
          theme.accent(padEnd(key, KEY_WIDTH)),
          ' '.repeat(KEY_WIDTH),
        )
      : [
          theme.accent(truncate(key, width)),
          ...wrapText(does, width - 2).map((line) => `  ${theme.dim(line)}`),
        ],
  );
  if (full.length <= rows) return full;
  return help
    .map(([key, does]) => {
      const name = wide ? padEnd(key, KEY_WIDTH) : `${truncate(key, width - 1)} `;
      return theme.accent(name) + theme.dim(truncate(does, width - textWidth(name)));
    })
    .slice(0, Math.max(1, rows));
}

const KEY_WIDTH = 13;

function grouped(number: number): string {
  return String(number).replace(/\B(?=(\d{3})+$)/g, ',');
}
