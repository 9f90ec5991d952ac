/** `/context items`: the conversation as a list in which the user pins, drops and restores. Draws visible rows only. */
import { Box, type Key, useInput, usePaste } from 'ink';
import { useEffect, useRef } from 'react';
import type { Agent } from '../../agent/types.ts';
import type { ContextItem, Steering } from '../../protocol/contextReport.ts';
import { type Command, commandsOf } from '../input/keys.ts';
import { applyEdit, createBuffer } from '../input/textBuffer.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import { fieldInput } from './field.ts';
import { itemDetail, itemRow, totalsRow } from './itemRows.ts';
import {
  createItemsState,
  doneText,
  type ItemsState,
  selectedItem,
  steeringFor,
  withFilter,
  withItems,
} from './itemsState.ts';
import { Lines } from './Lines.tsx';
import { ruled } from './permissionLayout.ts';
import { moveSelection, windowAround } from './selection.ts';
import { TextField } from './TextField.tsx';
import { useItemChanges } from './useItems.ts';
import { useLatest } from './useLatest.ts';

export interface ItemsDialogProps {
  readonly agent: Pick<Agent, 'items' | 'measure' | 'state' | 'subscribe' | 'submit'>;
  readonly width: number;
  /** Rows that it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
  readonly onClose: () => void;
}

/** Rows around the list: title, totals, detail, message or filter, hint. */
const FRAME = 5;
const LEAST_LIST = 3;

export function ItemsDialog({ agent, width, rows, theme, onClose }: ItemsDialogProps) {
  const [state, latest, set] = useLatest<ItemsState>(() => createItemsState(agent.items()));
  const asked = useRef<{ readonly steering: Steering; readonly item: ContextItem } | undefined>(undefined);
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
        set({ ...latest(), message: doneText(current.steering, current.item) });
      }
    },
  );

  const move = (by: number): void => {
    const now = latest();
    set({ ...now, selection: moveSelection(now.selection, by, listRows) });
  };
  const jump = (to: number): void => {
    const { selection } = latest();
    move(to - selection.selected || 0);
  };
  const letter = (text: string): void => {
    const now = latest();
    if (text === '/') {
      set({ ...now, isFiltering: true, message: '' });
      return;
    }
    const item = selectedItem(now);
    const steering = item === undefined ? undefined : steeringFor(text.toLowerCase(), item);
    if (item === undefined || steering === undefined) return;
    asked.current = { steering, item };
    set({ ...now, message: '' });
    agent.submit({ type: 'steer', steering });
  };
  const onEscape = (): void => {
    const now = latest();
    if (!now.isFiltering && now.selection.filter === '') onClose();
    else set({ ...withFilter(now, createBuffer()), isFiltering: false });
  };
  /** One chunk of input may hold the `/` and what comes behind it. */
  const character = (text: string): void => {
    const now = latest();
    if (now.isFiltering)
      set(withFilter(now, applyEdit(now.filter, { type: 'insert', text: fieldInput(text) })));
    else letter(text);
  };
  const onCommand = (command: Command): void => {
    const now = latest();
    if (command.type === 'escape') onEscape();
    else if (command.type === 'intent') onClose();
    else if (command.type === 'enter') set({ ...now, isFiltering: false });
    else if (command.type === 'up' || command.type === 'down') move(command.type === 'up' ? -1 : 1);
    else if (command.type !== 'edit') return;
    else if (command.edit.type === 'insert') for (const one of command.edit.text) character(one);
    else if (now.isFiltering) set(withFilter(now, applyEdit(now.filter, command.edit)));
  };
  const onKey = (input: string, key: Key): void => {
    const page = Math.max(2, listRows);
    if (key.pageUp || key.pageDown) move(key.pageUp ? -page : page);
    else if (key.home) jump(0);
    else if (key.end) jump(latest().selection.visible.length - 1);
    else for (const command of commandsOf(input, key)) onCommand(command);
  };
  useInput(onKey);
  usePaste((text) => {
    const now = latest();
    if (now.isFiltering)
      set(withFilter(now, applyEdit(now.filter, { type: 'insert', text: fieldInput(text) })));
  });

  const { selection, isFiltering, filter, message } = state;
  const { visible, selected, top } = windowAround(selection, listRows);
  const lines = visible.slice(top, top + listRows).map((item, index) => {
    const isSelected = top + index === selected;
    return (isSelected ? theme.accent('❯ ') : '  ') + itemRow(item, width - 2, isSelected, theme);
  });
  const nothing = selection.items.length === 0 ? 'Nothing was said yet.' : 'Nothing matches.';
  return (
    <Box flexDirection="column">
      <Lines lines={[ruled('Context items', width, theme)]} />
      {isRoomy && <Lines lines={[totalsRow(selection.items, agent.state().measure, width, theme)]} />}
      {showsFilter && (
        <TextField label="Filter: " buffer={filter} width={width} theme={theme} isActive={isFiltering} />
      )}
      <Lines lines={lines.length === 0 ? [theme.dim(truncate(`  ${nothing}`, width))] : lines} />
      {isRoomy && <Lines lines={[itemDetail(visible[selected], width, theme) || ' ']} />}
      {isRoomy && !showsFilter && (
        <Lines lines={[theme.warning(truncate(sanitizeLine(message), width)) || ' ']} />
      )}
      <Lines lines={[theme.dim(hintText(selected, visible.length, width, isFiltering))]} />
    </Box>
  );
}

/** The entries that a steering leads to. */
function answers(subtype: string | undefined): boolean {
  return subtype === 'pin' || subtype === 'reduction';
}

function hintText(selected: number, many: number, width: number, isFiltering: boolean): string {
  const place = many === 0 ? '' : `${selected + 1} of ${many} · `;
  const keys = isFiltering
    ? 'type to filter · Enter keeps it · Esc clears it'
    : 'p pin · d drop · r restore · / filter · Esc leaves';
  if (place.length + keys.length <= width) return place + keys;
  return truncate(isFiltering ? 'Enter · Esc' : `p d r / Esc ${place}`.replace(/ · $/, ''), width);
}
