/**
 * The line editor. Owns the draft and its key handling; sending, interrupting and exiting are up to its owner. The
 * draft lives as long as the component is mounted: a dialog deactivates it but never unmounts it.
 */
import { Box, Text, usePaste } from 'ink';
import { memo, type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import type { Intent } from '../keys/actions.ts';
import { defaultKeymap, ERASED, type Keymap, keysOfAction } from '../keys/keymap.ts';
import { showKeys } from '../keys/strokes.ts';
import { useStrokes } from '../keys/useKeys.ts';
import { ChordHint, DraftRows, SearchRows, SuggestionList, useChordTimeout } from './ComposerRows.tsx';
import { type CompletionPort, createActionQueue, createCompleter } from './completion.ts';
import { type ComposerKeyContext, handleKey, pasteText, refreshSearch } from './composerKeys.ts';
import {
  type ComposerState,
  clearDraft,
  createComposerState,
  type Draft,
  isEmpty,
  type Outcome,
  pasteUnits,
  refresh,
  setUnits,
} from './composerState.ts';
import { type HistoryPort, prepend } from './history.ts';
import { type ComposerTheme, layOut, type Mark } from './layout.ts';
import { imageUnit, stacked, unitsOfRecall } from './paste.ts';
import { expand, lineEnd, lineStart } from './units.ts';
import { startVim } from './vim/parseVim.ts';
import { selectionOf } from './vim/textObjects.ts';

/** Methods for the owner; they cannot be props, because the draft belongs to the composer. */
export type ComposerHandle = {
  /** The full draft, with folded pastes expanded. */
  text(): string;
  /** Replaces the draft; undo restores the old one. */
  setText(text: string): void;
  /** Inserts text (messages removed from the queue) before the draft. */
  prependText(text: string): void;
  /** Continues a draft that the user was typing when something else took the keyboard; `ERASED` is Backspace. */
  typeOn?(text: string): void;
  insertImage?(label: string): void;
  /** Clears the draft; undo restores it. */
  clear(): void;
};

type ComposerProps = {
  /** False while a dialog has the keyboard; the draft is kept. */
  readonly isActive: boolean;
  /** True while a dialog replaces it on screen; the draft is kept. */
  readonly isHidden?: boolean;
  /** Columns of the whole composer, including its prompt sign. */
  readonly width: number;
  /** Maximum rows. Longer drafts scroll, and give half of their rows to the popup while it is open. */
  readonly maxRows: number;
  readonly theme: ComposerTheme;
  readonly history: HistoryPort;
  readonly completion: CompletionPort;
  onSubmit(draft: Draft): void;
  onIntent(intent: Intent, state: { readonly empty: boolean }): void;
  /** Called when a key or a paste has changed the draft. */
  onEdit?(): void;
  /** Called for ↑ in an empty composer; removes the newest message from the queue and returns it. */
  popQueued(): string | undefined;
  /** Labels that replace a paste of image paths. Returns undefined synchronously if the text does not look like one. */
  attach?(pasted: string): Promise<readonly string[] | undefined> | undefined;
  readonly placeholder?: string;
  readonly initialText?: string;
  /** The built-in keys by default. */
  readonly keymap?: Keymap;
  /** Enables vim keys. */
  readonly vim?: boolean;
  readonly ref?: Ref<ComposerHandle>;
};

const promptWidth = 2;

/** Memoized: updates of the transcript do not redraw it, and keys do not redraw the transcript. */
export const Composer = memo(function Composer(props: ComposerProps) {
  const [state, setState] = useState(() => createComposerState(props.initialText));
  // The newest state: several keys may arrive in one chunk, before React has rendered the first.
  const newest = useRef(state);
  const completer = useMemo(() => createCompleter(props.completion), [props.completion]);
  const actions = useMemo(createActionQueue, []);
  const width = Math.max(props.width - promptWidth, 4);
  const keymap = props.keymap ?? defaultKeymap;
  const everyPrompt = useRef<readonly string[]>(undefined);
  const around: ComposerKeyContext = {
    width,
    keymap,
    suggest: completer.suggest,
    popQueued: props.popQueued,
    everyPrompt: () => everyPrompt.current,
  };

  const show = (next: ComposerState): void => {
    const before = newest.current;
    newest.current = next;
    setState(next);
    if (next.wanted !== undefined && next.wanted.kind !== before.wanted?.kind) void load(next.wanted.kind);
    if (next.search?.scope === 'all' && before.search?.scope !== 'all') void loadEveryPrompt();
  };
  const loadEveryPrompt = async (): Promise<void> => {
    everyPrompt.current = (await props.history.loadAll?.()) ?? newest.current.walk.entries;
    if (newest.current.search?.scope === 'all') show(refreshSearch(newest.current, around));
  };
  const load = async (kind: 'command' | 'file'): Promise<void> => {
    await completer.load(kind);
    if (newest.current.wanted?.kind === kind) show(refresh(newest.current, around));
  };
  const change = (next: ComposerState): void => {
    const isEdited = next.buffer.units !== newest.current.buffer.units;
    show(next);
    if (isEdited) props.onEdit?.();
  };
  const run = ({ state: next, effect }: Outcome): void => {
    change(next);
    if (effect?.type === 'intent') props.onIntent(effect.intent, { empty: isEmpty(next) });
    if (effect?.type === 'submit') {
      void props.history.add(effect.draft.text);
      props.onSubmit(effect.draft);
    }
  };

  const insertLabels = (labels: readonly string[]): void =>
    show(
      pasteUnits(
        newest.current,
        labels.flatMap((label) => [imageUnit(label), ' ']),
        around,
      ),
    );
  const onPaste = (text: string): void | Promise<void> => {
    const asked = newest.current.search === undefined ? props.attach?.(text) : undefined;
    const asText = (): void => change(pasteText(newest.current, text, around));
    return asked === undefined
      ? asText()
      : asked.then((labels) => (labels === undefined ? asText() : insertLabels(labels)), asText);
  };

  useStrokes((stroke) => actions.run(() => run(handleKey(newest.current, stroke, around))), props.isActive);
  usePaste((text) => actions.run(() => onPaste(text)), { isActive: props.isActive });
  useEffect(() => {
    const { vim, ...rest } = newest.current;
    if ((vim !== undefined) !== (props.vim === true))
      show(props.vim === true ? { ...rest, vim: startVim } : rest);
  });
  useChordTimeout(state.pending, () => show({ ...newest.current, pending: undefined }));

  useEffect(() => {
    let isMounted = true;
    void props.history.load().then((older) => {
      if (isMounted) newest.current = { ...newest.current, walk: prepend(newest.current.walk, older) };
    });
    return () => {
      isMounted = false;
    };
  }, [props.history]);

  // Preloads the ranking while the user reads the first frame, so that the first `/` responds at once. Also updates the
  // suggestions for text that was typed before any commands were available.
  // biome-ignore lint/correctness/useExhaustiveDependencies: only when there is something else to suggest
  useEffect(() => void load(newest.current.wanted?.kind ?? 'command'), [completer]);

  useImperativeHandle(props.ref, () => ({
    text: () => expand(newest.current.buffer.units),
    setText: (text) => show(setUnits(newest.current, unitsOfRecall(text))),
    prependText(text) {
      const { units } = newest.current.buffer;
      const isAlone = units.length === 0;
      const before = isAlone ? text : stacked(text, '');
      show(setUnits(newest.current, [...unitsOfRecall(before, units), ...units]));
    },
    typeOn(text) {
      const { current } = newest;
      const isTyping = !isEmpty(current) && (current.vim?.mode ?? 'insert') === 'insert';
      if (!isTyping) return;
      if (text === ERASED) run(handleKey(current, { type: 'key', key: 'backspace' }, around));
      else show(pasteText(current, text, around));
    },
    insertImage: (label) => insertLabels([label]),
    clear: () => show(clearDraft(newest.current)),
  }));

  const { search } = state;
  const { units, cursor } = state.buffer;
  const layout = useMemo(() => layOut(units, width), [units, width]);
  const popup = props.isActive && search === undefined ? state.popup : undefined;
  const maxRows = Math.max(props.maxRows, popup === undefined ? 1 : 2);
  const draftRows = Math.min(layout.rows.length, popup === undefined ? maxRows : Math.ceil(maxRows / 2));
  return (
    <Box flexDirection="column" width={props.width} display={props.isHidden === true ? 'none' : 'flex'}>
      <Box>
        <Box width={promptWidth} flexShrink={0}>
          <Prompt state={state} theme={props.theme} />
        </Box>
        {search !== undefined && props.isActive ? (
          <SearchRows search={search} width={width} maxRows={Math.max(maxRows, 2)} theme={props.theme} />
        ) : (
          <DraftRows
            layout={layout}
            cursor={props.isActive ? cursor : undefined}
            maxRows={draftRows}
            theme={props.theme}
            units={units}
            selection={selectedOf(state)}
            placeholder={placeholderOf(state, keymap) ?? props.placeholder ?? ''}
          />
        )}
      </Box>
      {state.pending !== undefined && (
        <ChordHint pending={state.pending} keymap={keymap} width={width} theme={props.theme} />
      )}
      {popup !== undefined && (
        <SuggestionList popup={popup} maxRows={maxRows - draftRows} theme={props.theme} />
      )}
    </Box>
  );
});

/** The placeholder of an empty draft while drafts are stashed. */
function placeholderOf({ stashes }: ComposerState, keymap: Keymap): string | undefined {
  if (stashes.length === 0) return undefined;
  const key = keysOfAction(keymap, 'chat:stash')[0];
  const drafts = stashes.length === 1 ? '1 draft stashed' : `${stashes.length} drafts stashed`;
  return key === undefined ? drafts : `${drafts}; ${showKeys(key)} restores it`;
}

/** The selection of vim's visual modes. */
function selectedOf({ buffer, vim }: ComposerState): Mark | undefined {
  if (vim === undefined || vim.mode === 'insert' || vim.mode === 'normal') return undefined;
  const { units, cursor } = buffer;
  const { from, to } = selectionOf(cursor, vim, units.length);
  return vim.mode === 'visual' ? { from, to } : { from: lineStart(units, from), to: lineEnd(units, to) };
}

/**
 * The color of the prompt sign shows what Enter will do: run a shell command (`!`), a slash command (`/`) or a prompt.
 * With vim keys the sign shows normal mode (N) and the visual modes (v, V).
 */
function Prompt({ state, theme }: { readonly state: ComposerState; readonly theme: ComposerTheme }) {
  const mode = state.vim?.mode ?? 'insert';
  if (mode === 'normal') return <Text>{theme.warning('N')}</Text>;
  if (mode !== 'insert') return <Text>{theme.warning(mode === 'visual' ? 'v' : 'V')}</Text>;
  const first = state.buffer.units[0];
  if (first === '!') return <Text>{theme.warning('❯')}</Text>;
  if (first === '/') return <Text>{theme.success('❯')}</Text>;
  return <Text>{theme.accent('❯')}</Text>;
}
