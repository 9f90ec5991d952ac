/**
 * The picker of sessions at work: keys in, snapshots out. Holds no React. What a key makes of the state is
 * decided in `pickerState.ts`; what is read or done through the port belongs to lists, deeds and previews.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { choiceOfCharacter } from '../components/choices.ts';
import { fieldInput, fieldText } from '../components/field.ts';
import { applyEdit, createBuffer, type Edit, type TextBuffer } from '../input/textBuffer.ts';
import { deleteChoices } from './deleteQuestion.ts';
import { type CurrentSession, createPickerDeeds } from './pickerDeeds.ts';
import type { PickerAct, PickerKey } from './pickerKeys.ts';
import { createPickerLists } from './pickerLists.ts';
import {
  createPickerState,
  hitAtCursor,
  moved,
  type PickerDialog,
  type PickerState,
  queryOf,
  sessionAtCursor,
  typed,
  withSearch,
  withText,
} from './pickerState.ts';
import { createPreviews } from './previews.ts';
import type { SessionsPort } from './SessionsPort.ts';

/** What was chosen. */
export interface Picked {
  readonly session: SessionRecord;
  /** The hit to jump to. */
  readonly seq?: number;
  readonly mode?: 'fork';
  /** It was listed among all projects' sessions, so that it may be of another one. */
  readonly isFromAll: boolean;
}

export interface PickerSnapshot extends PickerState {
  /** Around the hit, or the end of the session, once it has been read. */
  readonly preview: readonly JSONLEntry[] | undefined;
  /** The session that is open here. */
  readonly currentId: string | undefined;
}

export interface Picker {
  snapshot(): PickerSnapshot;
  subscribe(listener: () => void): () => void;
  /** `rows` items of the list are on screen. */
  press(key: PickerKey, rows: number): void;
  paste(text: string): void;
  /** Says something below the list, until the next key. */
  tell(level: 'info' | 'error', text: string): void;
  dispose(): void;
}

export interface PickerOptions {
  readonly current: CurrentSession | undefined;
  readonly onPick: (picked: Picked) => void;
  readonly onCancel: () => void;
}

/** Lines that the large preview scrolls by. */
const SCROLL = 8;

export function createPicker(port: SessionsPort, options: PickerOptions): Picker {
  const listeners = new Set<() => void>();
  let state = createPickerState();
  let rows = 10;
  let isDisposed = false;
  let cached = snapshotOf(undefined);

  function snapshotOf(preview: readonly JSONLEntry[] | undefined): PickerSnapshot {
    return { ...state, preview, currentId: options.current?.id };
  }
  const changed = (): void => {
    if (isDisposed) return;
    const [session, hit] = [sessionAtCursor(state), hitAtCursor(state)];
    const isWanted = session !== undefined && (hit !== undefined || state.isPreviewLarge);
    cached = snapshotOf(isWanted ? previews.of(session, hit?.seq) : undefined);
    for (const listener of [...listeners]) listener();
  };
  const set = (next: PickerState): void => {
    state = next;
    changed();
  };
  const store = { get: () => state, set, rows: () => rows, isDisposed: () => isDisposed };
  const previews = createPreviews(port, changed);
  const lists = createPickerLists(port, store);
  const deeds = createPickerDeeds(port, store, options.current);

  const setText = (text: TextBuffer): void => {
    const before = queryOf(state);
    set(withText(state, text));
    if (queryOf(state) !== before) lists.searchSoon();
  };
  const toggleSearch = (): void => {
    set(withSearch(state, !state.isSearch));
    lists.searchSoon();
  };
  /** Another list: the cursor begins at its top, the text stays. */
  const toggleScope = (): void => {
    const fresh = createPickerState(state.scope === 'project' ? 'all' : 'project');
    set({ ...withText(fresh, state.text), isSearch: state.isSearch, isLoading: state.isLoading });
    void lists.list();
    lists.searchSoon();
  };
  /** Back by one step: the large preview, the text, the search, the picker. */
  const back = (): void => {
    if (state.isPreviewLarge) set({ ...state, isPreviewLarge: false });
    else if (typed(state) !== '') setText(createBuffer());
    else if (state.isSearch) toggleSearch();
    else options.onCancel();
  };
  const pick = (mode?: 'fork'): void => {
    const session = sessionAtCursor(state);
    if (session === undefined) return;
    const isFromAll = state.scope === 'all';
    options.onPick({ session, isFromAll, ...seqOf(hitAtCursor(state)), ...(mode && { mode }) });
  };

  const act = (name: PickerAct): void => {
    const session = sessionAtCursor(state);
    if (name === 'search') toggleSearch();
    else if (name === 'undo') void deeds.undo();
    else if (name === 'fork') pick('fork');
    else if (session === undefined) return;
    else if (name === 'preview') set({ ...state, isPreviewLarge: !state.isPreviewLarge, previewTop: 0 });
    else if (name === 'archive') void deeds.archive(session);
    else if (name === 'rename')
      set({ ...state, dialog: { type: 'rename', session, buffer: createBuffer(session.title) } });
    else if (session.id === options.current?.id) void deeds.remove(session);
    else set({ ...state, dialog: { type: 'delete', session, selected: 0 } });
  };

  const insert = (text: string): void => {
    const isEmpty = state.text.units.length === 0;
    if (isEmpty && text.startsWith('?')) set({ ...state, dialog: { type: 'help' } });
    else if (isEmpty && text.startsWith('/') && !state.isSearch) {
      toggleSearch();
      if (text.length > 1) insert(text.slice(1));
    } else setText(edited(state.text, { type: 'insert', text }));
  };

  const close = (): void => set({ ...state, dialog: undefined });
  const answerDelete = (session: SessionRecord, choice: number | undefined): void => {
    if (choice === undefined) return;
    close();
    if (choice === 1) void deeds.remove(session);
  };
  const pressDialog = (key: PickerKey, dialog: PickerDialog): void => {
    if (key.type === 'escape' || key.type === 'intent' || dialog.type === 'help') close();
    else if (dialog.type === 'rename' && key.type === 'enter') {
      close();
      void deeds.rename(dialog.session, fieldText(dialog.buffer).trim());
    } else if (dialog.type === 'rename' && key.type === 'edit')
      set({ ...state, dialog: { ...dialog, buffer: edited(dialog.buffer, key.edit) } });
    else if (dialog.type === 'rename') return;
    else if (key.type === 'enter') answerDelete(dialog.session, dialog.selected);
    else if (key.type === 'up' || key.type === 'down')
      set({ ...state, dialog: { ...dialog, selected: 1 - dialog.selected } });
    else if (key.type === 'edit' && key.edit.type === 'insert')
      answerDelete(dialog.session, choiceOfCharacter(deleteChoices, key.edit.text));
  };
  const pressList = (key: PickerKey): void => {
    if (key.type === 'enter') pick();
    else if (key.type === 'escape') back();
    else if (key.type === 'act') act(key.act);
    else if (key.type === 'up' || key.type === 'down') set(moved(state, key.type === 'up' ? -1 : 1, rows));
    else if (key.type === 'jump') set(moved(state, key.to === 'first' ? -FAR : FAR, rows));
    else if (key.type === 'page' && state.isPreviewLarge)
      set({ ...state, previewTop: state.previewTop + key.by * SCROLL });
    else if (key.type === 'page') set(moved(state, key.by * Math.max(2, rows), rows));
    else if (key.type === 'tab' || (key.type === 'intent' && key.intent === 'cycle_mode')) toggleScope();
    else if (key.type === 'intent' && key.intent !== 'redraw') options.onCancel();
    else if (key.type === 'edit' && key.edit.type === 'insert') insert(key.edit.text);
    else if (key.type === 'edit') setText(edited(state.text, key.edit));
  };

  void lists.load();
  return {
    snapshot: () => cached,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    press(key, visible) {
      rows = visible;
      state = { ...state, isUntouched: false };
      if (state.message !== undefined) set({ ...state, message: undefined });
      if (state.dialog === undefined) pressList(key);
      else pressDialog(key, state.dialog);
    },
    paste(text) {
      if (state.dialog !== undefined)
        pressDialog({ type: 'edit', edit: { type: 'insert', text } }, state.dialog);
      else setText(edited(state.text, { type: 'insert', text }));
    },
    tell: (level, text) => set({ ...state, message: { level, text } }),
    dispose() {
      isDisposed = true;
      lists.dispose();
      previews.dispose();
      listeners.clear();
    },
  };
}

/** Further than any list is long. */
const FAR = 1e9;

function edited(buffer: TextBuffer, edit: Edit): TextBuffer {
  return applyEdit(buffer, edit.type === 'insert' ? { ...edit, text: fieldInput(edit.text) } : edit);
}

function seqOf(hit: SearchHit | undefined): { readonly seq?: number } {
  return hit === undefined ? {} : { seq: hit.seq };
}
