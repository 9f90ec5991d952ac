/**
 * The session picker without React: takes keys, produces snapshots. `pickerState.ts` decides what a key changes;
 * `pickerEffects.ts` reads and acts through the port.
 */
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { SearchHit, SessionRecord } from '../../protocol/sessions.ts';
import { choiceOfKey, movedChoice } from '../dialog/choices.ts';
import { fieldInput, fieldText } from '../dialog/field.ts';
import { applyEdit, createBuffer, type Edit, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogFocus, DialogFocusAction, DialogKey } from '../keys/keymap.ts';
import {
  type CurrentSession,
  createPickerActions,
  createPickerLists,
  createPreviews,
} from './pickerEffects.ts';
import {
  createPickerState,
  hitAtCursor,
  moved,
  type PickerAct,
  type PickerDialog,
  type PickerState,
  pickerActOf,
  pickerFocus,
  queryOf,
  sessionAtCursor,
  typed,
  withSearch,
  withText,
} from './pickerState.ts';
import type { SessionsPort } from './SessionsPort.ts';
import { deleteChoices } from './sessionRows.ts';

/** The user's choice. */
export interface Picked {
  readonly session: SessionRecord;
  /** Position of the hit to jump to. */
  readonly seq?: number;
  readonly mode?: 'fork';
  /** True if the list showed all projects, so the session may belong to another one. */
  readonly isFromAll: boolean;
}

export interface PickerSnapshot extends PickerState {
  /** The entries around the hit, or the end of the session; undefined until they have been read. */
  readonly preview: readonly JSONLEntry[] | undefined;
  /** The session that is open in this process. */
  readonly currentId: string | undefined;
}

export interface Picker {
  snapshot(): PickerSnapshot;
  subscribe(listener: () => void): () => void;
  /** How the next key is read. */
  place(): DialogFocus;
  /** `rows`: visible items of the list. */
  press(key: DialogKey, rows: number): void;
  paste(text: string): void;
  /** Shows a message below the list until the next key. */
  tell(level: 'info' | 'error', text: string): void;
  dispose(): void;
}

interface PickerOptions {
  readonly current: CurrentSession | undefined;
  readonly onPick: (picked: Picked) => void;
  readonly onCancel: () => void;
}

/** Lines that the large preview scrolls by. */
const SCROLL = 8;

export function createPicker(port: SessionsPort, options: PickerOptions): Picker {
  const store = createPickerStore(port, options.current?.id);
  const { get, set, change } = store;
  const lists = createPickerLists(port, store);
  const actions = createPickerActions(port, store, options.current);
  const pressDialog = createDialogKeys(store, actions);

  const setText = (text: TextBuffer): void => {
    const before = queryOf(get());
    set(withText(get(), text));
    if (queryOf(get()) !== before) lists.searchSoon();
  };
  const toggleSearch = (): void => {
    set(withSearch(get(), !get().isSearch));
    lists.searchSoon();
  };
  /** Switches the list: the cursor moves to the top, the text stays. */
  const toggleScope = (): void => {
    const fresh = createPickerState(get().scope === 'project' ? 'all' : 'project');
    set({ ...withText(fresh, get().text), isSearch: get().isSearch, isLoading: get().isLoading });
    void lists.list();
    lists.searchSoon();
  };
  /** Goes back one step: closes the large preview, clears the text, ends the search, or closes the picker. */
  const back = (): void => {
    if (get().isPreviewLarge) change({ isPreviewLarge: false });
    else if (typed(get()) !== '') setText(createBuffer());
    else if (get().isSearch) toggleSearch();
    else options.onCancel();
  };
  const pick = (mode?: 'fork'): void => {
    const picked = pickedAt(get(), mode);
    if (picked !== undefined) options.onPick(picked);
  };

  const act = (name: PickerAct): void => {
    const session = sessionAtCursor(get());
    if (name === 'search') toggleSearch();
    else if (name === 'undo') void actions.undo();
    else if (name === 'fork') pick('fork');
    else if (session === undefined) return;
    else if (name === 'preview') change({ isPreviewLarge: !get().isPreviewLarge, previewTop: 0 });
    else if (name === 'archive') void actions.archive(session);
    else if (name === 'rename')
      change({ dialog: { type: 'rename', session, buffer: createBuffer(session.title) } });
    else if (session.id === options.current?.id) void actions.remove(session);
    else change({ dialog: { type: 'delete', session, selected: 0 } });
  };

  const insert = (text: string): void => setText(edited(get().text, { type: 'insert', text }));

  const page = (by: 1 | -1): void => {
    if (get().isPreviewLarge) change({ previewTop: get().previewTop + by * SCROLL });
    else set(moved(get(), by * Math.max(2, store.rows()), store.rows()));
  };
  const listHandlers: Partial<Record<DialogFocusAction, () => void>> = {
    'select:accept': () => pick(),
    'select:cancel': back,
    'select:previous': () => set(moved(get(), -1, store.rows())),
    'select:next': () => set(moved(get(), 1, store.rows())),
    'select:first': () => set(moved(get(), -FAR, store.rows())),
    'select:last': () => set(moved(get(), FAR, store.rows())),
    'select:pageUp': () => page(-1),
    'select:pageDown': () => page(1),
    'sessions:scope': toggleScope,
    'sessions:help': () => change({ dialog: { type: 'help' } }),
    'app:interrupt': options.onCancel,
  };
  const pressList = (key: DialogKey): void => {
    if (key.type === 'edit') setText(edited(get().text, key.edit));
    else if (key.type === 'text') insert(key.text);
    if (key.type !== 'action') return;
    const wanted = pickerActOf(key.name);
    // Once a search is active, the character that starts one is ordinary text.
    if (wanted === 'search' && get().isSearch && key.typed !== undefined) insert(key.typed);
    else if (wanted !== undefined) act(wanted);
    else listHandlers[key.name]?.();
  };

  void lists.load();
  return {
    snapshot: store.snapshot,
    subscribe: store.subscribe,
    place: () => pickerFocus(get()),
    press(key, visible) {
      store.touched(visible);
      if (get().message !== undefined) change({ message: undefined });
      const { dialog } = get();
      if (dialog === undefined) pressList(key);
      else pressDialog(key, dialog);
    },
    paste(text) {
      const { dialog } = get();
      if (dialog === undefined) insert(text);
      else pressDialog({ type: 'text', text }, dialog);
    },
    tell: (level, text) => change({ message: { level, text } }),
    dispose() {
      lists.dispose();
      store.dispose();
    },
  };
}

/** The state of the list, the preview that belongs to it, and the listeners for changes. */
function createPickerStore(port: SessionsPort, currentId: string | undefined) {
  const listeners = new Set<() => void>();
  let state = createPickerState();
  let rows = 10;
  let isDisposed = false;
  const snapshotOf = (preview: readonly JSONLEntry[] | undefined): PickerSnapshot => ({
    ...state,
    ...{ preview, currentId },
  });
  let cached = snapshotOf(undefined);
  const changed = (): void => {
    if (isDisposed) return;
    const [session, hit] = [sessionAtCursor(state), hitAtCursor(state)];
    const isWanted = session !== undefined && (hit !== undefined || state.isPreviewLarge);
    cached = snapshotOf(isWanted ? previews.of(session, hit?.seq) : undefined);
    for (const listener of [...listeners]) listener();
  };
  const previews = createPreviews(port, changed);
  return {
    get: () => state,
    set(next: PickerState): void {
      state = next;
      changed();
    },
    change(fields: Partial<PickerState>): void {
      state = { ...state, ...fields };
      changed();
    },
    rows: () => rows,
    isDisposed: () => isDisposed,
    snapshot: () => cached,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    /** The user has pressed a key while this many rows were visible. */
    touched(visible: number): void {
      rows = visible;
      state = { ...state, isUntouched: false };
    },
    dispose(): void {
      isDisposed = true;
      previews.dispose();
      listeners.clear();
    },
  };
}

type PickerStore = ReturnType<typeof createPickerStore>;

function pickedAt(state: PickerState, mode: 'fork' | undefined): Picked | undefined {
  const session = sessionAtCursor(state);
  if (session === undefined) return undefined;
  return { session, isFromAll: state.scope === 'all', ...seqOf(hitAtCursor(state)), ...(mode && { mode }) };
}

/** What a key does in the dialogs over the list: rename, delete, help. */
function createDialogKeys(
  { change }: Pick<PickerStore, 'change'>,
  actions: Pick<ReturnType<typeof createPickerActions>, 'rename' | 'remove'>,
): (key: DialogKey, dialog: PickerDialog) => void {
  const close = (): void => change({ dialog: undefined });
  const answerDelete = (session: SessionRecord, choice: number | undefined): void => {
    if (choice === undefined) return;
    close();
    if (choice === 1) void actions.remove(session);
  };
  const pressRename = (key: DialogKey, dialog: Extract<PickerDialog, { type: 'rename' }>): void => {
    if (key.type === 'action' && key.name === 'select:accept') {
      close();
      void actions.rename(dialog.session, fieldText(dialog.buffer).trim());
    } else if (key.type === 'edit' || key.type === 'text') {
      const edit = key.type === 'edit' ? key.edit : ({ type: 'insert', text: key.text } as const);
      change({ dialog: { ...dialog, buffer: edited(dialog.buffer, edit) } });
    }
  };
  const pressDelete = (key: DialogKey, dialog: Extract<PickerDialog, { type: 'delete' }>): void => {
    const selected = movedChoice(dialog.selected, deleteChoices.length, key);
    if (selected !== undefined) change({ dialog: { ...dialog, selected } });
    else if (key.type === 'action' && key.name === 'confirm:accept')
      answerDelete(dialog.session, dialog.selected);
    else answerDelete(dialog.session, choiceOfKey(deleteChoices, key));
  };
  return (key, dialog) => {
    const leaves = key.type === 'action' && leavesDialog.includes(key.name);
    if (leaves || dialog.type === 'help') close();
    else if (dialog.type === 'rename') pressRename(key, dialog);
    else pressDelete(key, dialog);
  };
}

const leavesDialog: readonly DialogFocusAction[] = ['select:cancel', 'confirm:cancel', 'app:interrupt'];

/** Larger than any list. */
const FAR = 1e9;

function edited(buffer: TextBuffer, edit: Edit): TextBuffer {
  return applyEdit(buffer, edit.type === 'insert' ? { ...edit, text: fieldInput(edit.text) } : edit);
}

function seqOf(hit: SearchHit | undefined): { readonly seq?: number } {
  return hit === undefined ? {} : { seq: hit.seq };
}
