/** `/context items`: the conversation as a list of items to pin, drop and restore. Draws only visible rows. */

import { Box, usePaste } from 'ink';
import { useEffect, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';
import type { ContextItem, ItemEdit } from '../../protocol/contextReport.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import { fieldInput } from '../dialog/field.ts';
import { Lines, TextField } from '../dialog/Lines.tsx';
import { listKeys } from '../dialog/SelectList.tsx';
import { moveSelection, windowAround } from '../dialog/selection.ts';
import { useLatest } from '../dialog/useAnswers.ts';
import { applyEdit, createBuffer } from '../input/textBuffer.ts';
import { joinWithDots, type KeyHints, keyHints } from '../keys/keyHints.ts';
import type { DialogFocus, DialogFocusAction, DialogKey } from '../keys/keymap.ts';
import { useDialogKeys } from '../keys/useKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { titledRule } from '../print/spans.ts';
import { textWidth, truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import {
  createItemsState,
  doneText,
  type EditChoice,
  editFor,
  type ItemsState,
  itemDetail,
  itemRow,
  selectedItem,
  totalsRow,
  withFilter,
  withItems,
} from './items.ts';

interface ItemsDialogProps {
  readonly agent: Pick<Agent, 'items' | 'measure' | 'state' | 'subscribe' | 'submit'>;
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
  readonly onClose: () => void;
}

/** Rows around the list: title, totals, detail, message or filter, hint. */
const FRAME = 5;
const LEAST_LIST = 3;

export function ItemsDialog({ agent, width, rows, theme, onClose }: ItemsDialogProps) {
  const [state, latest, set] = useLatest<ItemsState>(() => createItemsState(agent.items()));
  const asked = useRef<{ readonly edit: ItemEdit; readonly item: ContextItem } | undefined>(undefined);
  const isRoomy = rows - FRAME >= LEAST_LIST;
  const showsFilter = state.isFiltering || state.selection.filter !== '';
  const listRows = Math.max(1, rows - (isRoomy ? FRAME : showsFilter ? 3 : 2));

  useEffect(() => void agent.measure().catch(() => undefined), [agent]);
  useItemChanges(
    agent,
    () => set(withItems(latest(), agent.items(), listRows)),
    (event) => {
      const { current } = asked;
      if (event.type === 'notice') set({ ...latest(), message: event.text });
      else if (event.type === 'entry' && current !== undefined && answers(event.entry.subtype)) {
        asked.current = undefined;
        set({ ...latest(), message: doneText(current.edit, current.item, hints.key('items:restore')) });
      }
    },
  );

  const move = (by: number): void => {
    const now = latest();
    set({ ...now, selection: moveSelection(now.selection, by, listRows) });
  };
  const editItem = (wanted: EditChoice): void => {
    const now = latest();
    const item = selectedItem(now);
    if (item === undefined) return;
    const edit = editFor(wanted, item);
    asked.current = { edit, item };
    set({ ...now, message: '' });
    agent.submit({ type: 'edit_item', edit });
  };
  const onEscape = (): void => {
    const now = latest();
    if (!now.isFiltering && now.selection.filter === '') onClose();
    else set({ ...withFilter(now, createBuffer()), isFiltering: false });
  };
  const handlers: Partial<Record<DialogFocusAction, () => void>> = {
    ...listKeys(move, Math.max(2, listRows)),
    'select:accept': () => set({ ...latest(), isFiltering: false }),
    'select:cancel': onEscape,
    'items:pin': () => editItem('pin'),
    'items:drop': () => editItem('drop'),
    'items:restore': () => editItem('restore'),
    'items:filter': () => set({ ...latest(), isFiltering: true, message: '' }),
    'app:interrupt': onClose,
  };
  const insert = (text: string): void => {
    const now = latest();
    if (now.isFiltering)
      set(withFilter(now, applyEdit(now.filter, { type: 'insert', text: fieldInput(text) })));
  };
  const onKey = (key: DialogKey): void => {
    const now = latest();
    if (key.type === 'action') handlers[key.name]?.();
    else if (key.type === 'text') insert(key.text);
    else if (key.type === 'edit') set(withFilter(now, applyEdit(now.filter, key.edit)));
  };
  const keymap = useDialogKeys(() => (latest().isFiltering ? filterPlace : listPlace), onKey);
  usePaste(insert);

  const { selection, isFiltering, filter, message } = state;
  const { visible, selected, top } = windowAround(selection, listRows);
  const lines = visible.slice(top, top + listRows).map((item, index) => {
    const isSelected = top + index === selected;
    return (isSelected ? theme.accent('❯ ') : '  ') + itemRow(item, width - 2, isSelected, theme);
  });
  const hints = keyHints(keymap, isFiltering ? filterPlace : listPlace);
  const nothing = selection.items.length === 0 ? 'Nothing here yet.' : 'Nothing matches.';
  return (
    <Box flexDirection="column">
      <Lines lines={[titledRule('Context items', width, theme)]} />
      {isRoomy && <Lines lines={[totalsRow(selection.items, agent.state().measure, width, theme)]} />}
      {showsFilter && (
        <TextField label="Filter: " buffer={filter} width={width} theme={theme} isActive={isFiltering} />
      )}
      <Lines lines={lines.length === 0 ? [theme.dim(truncate(`  ${nothing}`, width))] : lines} />
      {isRoomy && <Lines lines={[itemDetail(visible[selected], width, theme) || ' ']} />}
      {isRoomy && !showsFilter && (
        <Lines lines={[theme.warning(truncate(sanitizeLine(message), width)) || ' ']} />
      )}
      <Lines lines={[theme.dim(hintText(selected, visible.length, width, hints, isFiltering))]} />
    </Box>
  );
}

/** The kinds of entries that an edit creates. */
function answers(subtype: string | undefined): boolean {
  return subtype === 'pin' || subtype === 'reduction';
}

const listPlace: DialogFocus = { contexts: ['Items', 'Select'], typing: 'keys' };
/** Typed text goes to the filter, not to the keys of the items. */
const filterPlace: DialogFocus = { contexts: ['Select'], typing: 'text' };

function hintText(
  selected: number,
  many: number,
  width: number,
  hints: KeyHints,
  isFiltering: boolean,
): string {
  const place = many === 0 ? '' : `${selected + 1} of ${many}`;
  const long = isFiltering
    ? joinWithDots('type to filter', hints.does('select:accept', 'keeps it'), 'Esc clears it')
    : joinWithDots(
        hints.does('items:pin', 'pin'),
        hints.does('items:drop', 'drop'),
        hints.does('items:restore', 'restore'),
        hints.does('items:filter', 'filter'),
        'Esc closes',
      );
  const line = joinWithDots(place, long);
  if (textWidth(line) <= width) return line;
  if (isFiltering) return truncate(joinWithDots(hints.key('select:accept'), 'Esc'), width);
  const keys = hints.keys('items:pin', 'items:drop', 'items:restore', 'items:filter');
  return truncate([keys, 'Esc', place].filter(Boolean).join(' '), width);
}

/** Minimum milliseconds between updates of the items; more for long conversations. */
const PAUSE_MS = 100;
/** Maximum share of the time spent on updates. */
const SHARE = 0.1;

/** Calls `refresh` soon after anything that may have changed the items, and `onEvent` with every event. */
function useItemChanges(
  agent: Pick<Agent, 'subscribe'>,
  refresh: () => void,
  onEvent: (event: AgentEvent) => void,
): void {
  const latest = useRef({ refresh, onEvent });
  latest.current = { refresh, onEvent };
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let pause = PAUSE_MS;
    const update = (): void => {
      timer = undefined;
      const before = performance.now();
      latest.current.refresh();
      pause = Math.max(PAUSE_MS, (performance.now() - before) / SHARE);
    };
    const unsubscribe = agent.subscribe((event) => {
      latest.current.onEvent(event);
      if (event.type === 'entry' || event.type === 'context_measured') timer ??= setTimeout(update, pause);
    });
    return () => {
      unsubscribe();
      clearTimeout(timer);
    };
  }, [agent]);
}
