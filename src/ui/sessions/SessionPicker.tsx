/** The picker on screen: draws a snapshot and passes keys on. Lays out only the visible rows. */

import { Box, usePaste } from 'ink';
import { useContext, useMemo, useRef, useSyncExternalStore } from 'react';
import { Lines, TextField } from '../dialog/Lines.tsx';
import { windowAround } from '../dialog/selection.ts';
import { keyHints } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { titledRule } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme/theme.ts';
import type { Picker, PickerSnapshot } from './picker.ts';
import {
  emptyListText,
  footer,
  helpLines,
  pickerLayout,
  pickerTitle,
  rowsOfItem,
  textLabel,
} from './pickerFrame.ts';
import { filterFocus, hitAtCursor, sessionAtCursor } from './pickerState.ts';
import { filled, lastLines, previewOf, previewWindow } from './sessionPreview.ts';
import { deleteLines, hitRows, sessionRow } from './sessionRows.ts';

interface SessionPickerProps {
  readonly picker: Picker;
  readonly width: number;
  /** Rows available. */
  readonly rows: number;
  readonly theme: Theme;
  readonly now?: () => Date;
}

export function SessionPicker({ picker, width, rows, theme, now = () => new Date() }: SessionPickerProps) {
  const snapshot = useSyncExternalStore(picker.subscribe, picker.snapshot);
  const keymap = useContext(KeymapContext);
  const foot = footer(snapshot, width, theme, keymap);
  const layout = pickerLayout(snapshot, rows, foot.length);
  useDialogKeys(picker.place, (key) => picker.press(key, layout.items));
  usePaste((text) => picker.paste(text));
  const { dialog } = snapshot;
  const room = { width, rows, theme, now: now() };
  if (dialog?.type === 'delete') {
    const archive = keyHints(keymap, filterFocus).key('sessions:archive');
    return <Lines lines={deleteLines(dialog.session, dialog.selected, room, archive)} />;
  }
  if (dialog?.type === 'help')
    return (
      <Lines
        lines={[
          titledRule('Keys', width, theme),
          ...helpLines(width, rows - 2, theme, keymap),
          theme.dim(truncate('Press any key to go back', width)),
        ]}
      />
    );
  return (
    <Box flexDirection="column">
      <Lines lines={[pickerTitle(snapshot, width, theme)]} />
      <TextField
        label={textLabel(snapshot)}
        buffer={snapshot.text}
        width={width}
        theme={theme}
        isActive={dialog === undefined}
      />
      <PickerRows snapshot={snapshot} items={layout.items} keymap={keymap} {...room} />
      {layout.previewRows > 0 && <Preview snapshot={snapshot} {...room} rows={layout.previewRows} />}
      {layout.hasFooter && <Lines lines={foot} />}
    </Box>
  );
}

interface PartProps {
  readonly snapshot: PickerSnapshot;
  readonly width: number;
  readonly theme: Theme;
  readonly now: Date;
}

interface RowsProps extends PartProps {
  readonly items: number;
  readonly keymap: Keymap;
}

/** Keeps the largest height so far if it fits, so that the rows below do not move while the user types. */
function PickerRows(props: RowsProps) {
  const { snapshot, items, width, theme } = props;
  const rows = snapshot.isSearch ? hitLines(props) : sessionLines(props);
  const tallest = useRef(0);
  tallest.current = Math.min(Math.max(tallest.current, rows.length), items * rowsOfItem(snapshot));
  const lines = filled(rows, tallest.current);
  const { dialog, list, hits, isSearch } = snapshot;
  if (dialog?.type !== 'rename') return <Lines lines={lines} />;
  const { selected, top } = windowAround<unknown>(isSearch ? hits : list, items);
  const at = (selected - top) * rowsOfItem(snapshot);
  return (
    <Box flexDirection="column">
      <Lines lines={lines.slice(0, at)} />
      <TextField label="❯ " buffer={dialog.buffer} width={width} theme={theme} isActive />
      <Lines lines={lines.slice(at + 1)} />
    </Box>
  );
}

function sessionLines({ snapshot, items, keymap, width, theme, now }: RowsProps) {
  const { scope, currentId } = snapshot;
  const { visible, selected, top } = windowAround(snapshot.list, items);
  const lines = visible.slice(top, top + items).map((session, index) => {
    const isSelected = top + index === selected;
    const isOpen = session.id === currentId;
    const row = sessionRow(session, width - 2, { scope, isSelected, isOpen, now, theme });
    return cursorMark(isSelected, theme) + row;
  });
  return lines.length === 0 ? [nothing(snapshot, keymap, width, theme)] : lines;
}

function hitLines({ snapshot, items, keymap, width, theme, now }: RowsProps) {
  const { scope } = snapshot;
  const { visible, selected, top } = windowAround(snapshot.hits, items);
  const lines = visible.slice(top, top + items).flatMap((hit, index) => {
    const isSelected = top + index === selected;
    const [head, words] = hitRows(hit, width - 2, { scope, isSelected, now, theme });
    return [cursorMark(isSelected, theme) + head, `  ${words}`];
  });
  return lines.length === 0 ? [nothing(snapshot, keymap, width, theme)] : lines;
}

function cursorMark(isSelected: boolean, theme: Theme): string {
  return isSelected ? theme.accent('❯ ') : '  ';
}

function Preview({ snapshot, width, rows, theme }: PartProps & { readonly rows: number }) {
  const { preview, previewTop, isPreviewLarge } = snapshot;
  const hit = hitAtCursor(snapshot);
  const seq = hit?.seq;
  const laidOut = useMemo(() => {
    const words = hit?.marks.map(([start, end]) => hit.snippet.slice(start, end)) ?? [];
    const place = hit && { seq: hit.seq, words };
    return preview && previewOf(preview, place, { width, theme });
  }, [preview, hit, width, theme]);
  if (seq === undefined && !isPreviewLarge)
    return <Lines lines={['', ...lastLines(sessionAtCursor(snapshot), { width, rows: rows - 1, theme })]} />;
  // Without a hit, the end of the session is the most useful part.
  const placed = laidOut && seq === undefined ? { ...laidOut, at: laidOut.lines.length - rows + 2 } : laidOut;
  const lines =
    placed === undefined
      ? filled([theme.dim('│ …')], rows - 1)
      : previewWindow(placed, rows - 1, isPreviewLarge ? previewTop : 0);
  return <Lines lines={['', ...lines]} />;
}

function nothing(snapshot: PickerSnapshot, keymap: Keymap, width: number, theme: Theme): string {
  return theme.dim(truncate(`  ${emptyListText(snapshot, keymap)}`, width));
}
