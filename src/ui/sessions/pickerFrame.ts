/** The picker's rows around its list (title, footer, help), and how the available rows are divided. Pure. */

import { grouped } from '../../protocol/text/numbers.ts';
import type { DialogActionName } from '../keys/dialogActions.ts';
import { type KeyHints, keyHints, keysIn } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
import { isText, showKeys } from '../keys/strokes.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { padEnd, textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import {
  emptyFilterFocus,
  filterFocus,
  MAX_HITS,
  type PickerState,
  renameFocus,
  typed,
} from './pickerState.ts';
import { HIT_ROWS } from './sessionRows.ts';

interface PickerLayout {
  /** Visible items of the list. */
  readonly items: number;
  readonly previewRows: number;
  readonly hasFooter: boolean;
}

const SMALL_PREVIEW = 5;

/**
 * Divides `rows`: the list comes first, then the footer, then the preview. A longer message takes rows from the
 * preview.
 */
export function pickerLayout(state: PickerState, rows: number, footerRows: number): PickerLayout {
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

/** Rows per item of the list. */
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

/** A rule with the name of the list on the left and the position in it on the right. */
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

/** The label of the text field. */
export function textLabel({ isSearch }: PickerState): string {
  return isSearch ? 'Search: ' : 'Filter: ';
}

/** The text for an empty list. */
export function emptyListText(state: PickerState, keymap: Keymap): string {
  const { scope, isSearch, isSearching, isLoading, list, searched } = state;
  const where = scope === 'project' ? 'in this project' : 'in any project';
  if (isSearch) {
    if (typed(state) === '') return 'Type words from a message, a file or an output.';
    if (isSearching || searched !== typed(state)) return 'Searching…';
    return `No match ${where}.`;
  }
  if (list.items.length > 0) {
    const search = keyHints(keymap, filterFocus).does('sessions:search', 'searches all content.');
    return search === undefined ? 'No matching title.' : `No matching title. ${search}`;
  }
  return isLoading ? 'Looking for sessions…' : `No sessions ${where} yet.`;
}

/** The bottom rows: the message, wrapped, or else one row with as many keys as fit. */
export function footer(state: FooterState, width: number, theme: Theme, keymap: Keymap): readonly string[] {
  const { message } = state;
  if (message === undefined) return [theme.dim(keysLine(state, width, keymap))];
  const paint = message.level === 'error' ? theme.error : theme.success;
  return wrapText(sanitizeLine(message.text), width, paint).slice(0, MESSAGE_ROWS);
}

/** `currentId`: the session that Esc returns to. */
type FooterState = PickerState & { readonly currentId?: string | undefined };

const MESSAGE_ROWS = 4;

function keysLine(state: FooterState, width: number, keymap: Keymap): string {
  const { dialog, isSearch, isPreviewLarge, isSearching } = state;
  if (dialog?.type === 'rename') {
    const renames = keyHints(keymap, renameFocus).does('select:accept', 'renames it');
    return truncate([...(renames === undefined ? [] : [renames]), 'Esc cancels'].join(' · '), width);
  }
  const hints = keyHints(keymap, filterFocus);
  const leads = isPreviewLarge
    ? 'Esc closes it'
    : typed(state) === '' && !isSearch
      ? state.currentId === undefined
        ? 'Esc new session'
        : 'Esc closes'
      : 'Esc back';
  const opens = hints.does('select:accept', 'opens');
  const moving = hints.keys('select:previous', 'select:next');
  const paging = hints.keys('select:pageUp', 'select:pageDown');
  const help = shortest(keymap, 'sessions:help');
  const keys = isPreviewLarge
    ? [moving && `${moving} other sessions`, paging && `${paging} scroll`, opens, leads]
    : [
        isSearching ? 'searching…' : undefined,
        opens,
        hints.does('sessions:scope', state.scope === 'project' ? 'all projects' : 'this project'),
        searchKey(state, keymap, hints),
        hints.does('sessions:preview', 'preview'),
        hints.does('sessions:rename', 'rename'),
        help && `${help} more keys`,
        leads,
      ];
  const short = [
    hints.key('select:accept'),
    hints.key('sessions:scope'),
    shortest(keymap, 'sessions:search'),
    help,
    'Esc',
  ];
  return fitting(named(keys), width) ?? truncate(named(short).join(' '), width);
}

function searchKey({ isSearch }: PickerState, keymap: Keymap, hints: KeyHints): string | undefined {
  if (isSearch) return hints.does('sessions:search', 'titles');
  const key = shortest(keymap, 'sessions:search');
  return key && `${key} search`;
}

/** Prefers a plain character to a key with Control, if both work on an empty line. */
function shortest(keymap: Keymap, action: DialogActionName): string | undefined {
  const keys = keysIn(keymap, emptyFilterFocus, action);
  const key = keys.find(isText) ?? keys[0];
  return key && showKeys(key);
}

/** The first and the last two keys, with as many of the others as fit; undefined if even those do not fit. */
function fitting(keys: readonly string[], width: number): string | undefined {
  for (let between = Math.max(0, keys.length - 3); between >= 0; between -= 1) {
    const line = [...keys.slice(0, 1 + between), ...keys.slice(1 + between).slice(-2)].join(' · ');
    if (textWidth(line) <= width) return line;
  }
  return undefined;
}

function named(keys: readonly (string | undefined)[]): readonly string[] {
  return keys.filter((key) => key !== undefined && key !== '') as string[];
}

/** Keys and their descriptions, without actions that have no key. */
function helpRows(keymap: Keymap): readonly (readonly [string, string])[] {
  const hints = keyHints(keymap, emptyFilterFocus);
  const all = (action: DialogActionName): string =>
    keysIn(keymap, emptyFilterFocus, action)
      .toSorted((a, b) => Number(isText(b)) - Number(isText(a)))
      .slice(0, 2)
      .map(showKeys)
      .join(' or ');
  const one = (action: DialogActionName): string => hints.key(action) ?? '';
  const paging = hints.keys('select:pageUp', 'select:pageDown');
  const rows: readonly (readonly [string, string])[] = [
    [one('select:accept'), 'open the session; with a search hit, at that point'],
    ['letters', 'filter by title, branch, project or id'],
    [all('sessions:search'), 'search all content; again: titles'],
    [one('sessions:scope'), 'this project, all projects'],
    [one('sessions:preview'), `larger preview${paging === undefined ? '' : `; ${paging} scroll it`}`],
    [one('sessions:rename'), 'rename'],
    [one('sessions:fork'), 'fork: continue in a copy; of a hit, up to that point'],
    [one('sessions:archive'), 'archive or unarchive'],
    [one('sessions:delete'), 'delete, with confirmation'],
    [one('sessions:undo'), 'undo the last rename or archive'],
    [hints.keys('select:first', 'select:last') ?? '', 'first and last'],
    ['Esc', 'back, then close; Ctrl+C closes at once'],
  ];
  return rows.filter(([keys]) => keys !== '');
}

/** At most `rows` lines. */
export function helpLines(width: number, rows: number, theme: Theme, keymap: Keymap): string[] {
  const help = helpRows(keymap);
  const keyWidth = Math.max(KEY_WIDTH, ...help.map(([keys]) => textWidth(keys) + 1));
  const wide = width >= keyWidth + 27;
  const full = help.flatMap(([key, does]) =>
    wide
      ? prefixLines(
          wrapText(does, width - keyWidth),
          theme.accent(padEnd(key, keyWidth)),
          ' '.repeat(keyWidth),
        )
      : [
          theme.accent(truncate(key, width)),
          ...wrapText(does, width - 2).map((line) => `  ${theme.dim(line)}`),
        ],
  );
  if (full.length <= rows) return full;
  return help
    .map(([key, does]) => {
      const name = wide ? padEnd(key, keyWidth) : `${truncate(key, width - 1)} `;
      return theme.accent(name) + theme.dim(truncate(does, width - textWidth(name)));
    })
    .slice(0, Math.max(1, rows));
}

/** Minimum width of the key column. */
const KEY_WIDTH = 13;
