/**
 * The line editor. Owns the draft and what its keys mean; leaves sending, interrupting and leaving to its owner.
 * The draft lives as long as this is mounted: a dialog deactivates it and never unmounts it.
 */
import { Box, Text, useInput, usePaste } from 'ink';
import { memo, type Ref, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { type CompletionPort, createCompleter } from './completion.ts';
import {
  type ComposerState,
  createComposerState,
  type Draft,
  isEmpty,
  type Outcome,
  paste,
  press,
  refresh,
  type Surroundings,
  setUnits,
} from './composerState.ts';
import type { ComposerTheme } from './composerTheme.ts';
import { DraftRows } from './DraftRows.tsx';
import { type HistoryPort, prepend } from './history.ts';
import { commandsOf, type Intent } from './keys.ts';
import { layOut } from './layout.ts';
import { unitsOfRecall } from './paste.ts';
import { SuggestionList } from './SuggestionList.tsx';
import { expand } from './units.ts';

/** For the owner: what cannot be said by props, because the draft belongs to the composer. */
export type ComposerHandle = {
  /** The whole draft, folded pastes written out. */
  text(): string;
  /** Replaces the draft, which undo brings back. */
  setText(text: string): void;
  /** Puts text (messages taken back from the queue) before the draft and keeps that. */
  prependText(text: string): void;
  /** Empties the draft; undo brings it back. */
  clear(): void;
};

export type ComposerProps = {
  /** False while a dialog has the keyboard; the draft stays. */
  readonly isActive: boolean;
  /** Cells of the whole composer, its prompt included. */
  readonly width: number;
  /** Rows of the whole composer; longer drafts scroll, and give the popup half while it is open. */
  readonly maxRows: number;
  readonly theme: ComposerTheme;
  readonly history: HistoryPort;
  readonly completion: CompletionPort;
  onSubmit(draft: Draft): void;
  onIntent(intent: Intent, state: { readonly empty: boolean }): void;
  /** Called by ↑ on an empty composer: the newest queued message, now out of the queue. */
  takeBackQueued(): string | undefined;
  readonly placeholder?: string;
  /** What stands before the first row, one or two cells with its space. */
  readonly prompt?: string;
  readonly initialText?: string;
  onTextChange?(text: string): void;
  readonly ref?: Ref<ComposerHandle>;
};

const promptWidth = 2;

/** Memoised: a frame of the transcript does not draw it anew, and no key draws the transcript anew. */
export const Composer = memo(function Composer(props: ComposerProps) {
  const [state, setState] = useState(() => createComposerState(props.initialText));
  // Several keys can arrive in one piece, before React has rendered the first: the newest state is here.
  const newest = useRef(state);
  const completer = useMemo(() => createCompleter(props.completion), [props.completion]);
  const width = Math.max(props.width - promptWidth, 4);
  const around: Surroundings = {
    width,
    suggest: completer.suggest,
    takeBackQueued: props.takeBackQueued,
  };

  const show = (next: ComposerState): void => {
    const before = newest.current;
    newest.current = next;
    setState(next);
    if (next.wanted !== undefined && next.wanted.kind !== before.wanted?.kind) void load(next.wanted.kind);
    if (next.buffer.units !== before.buffer.units) props.onTextChange?.(expand(next.buffer.units));
  };
  const load = async (kind: 'command' | 'file'): Promise<void> => {
    await completer.load(kind);
    if (newest.current.wanted?.kind === kind) show(refresh(newest.current, around));
  };
  const run = ({ state: next, effect }: Outcome): void => {
    show(next);
    if (effect?.type === 'intent') props.onIntent(effect.intent, { empty: isEmpty(next) });
    if (effect?.type === 'submit') {
      void props.history.add(effect.draft.text);
      props.onSubmit(effect.draft);
    }
  };

  useInput(
    (input, key) => {
      for (const command of commandsOf(input, key)) run(press(newest.current, command, around));
    },
    { isActive: props.isActive },
  );
  usePaste((text) => show(paste(newest.current, text, around)), { isActive: props.isActive });

  useEffect(() => {
    let isMounted = true;
    void props.history.load().then((older) => {
      if (isMounted) newest.current = { ...newest.current, walk: prepend(newest.current.walk, older) };
    });
    return () => {
      isMounted = false;
    };
  }, [props.history]);

  // What ranks is loaded while the user reads the first frame, so that the first `/` is answered at once.
  useEffect(() => void completer.load('command'), [completer]);

  useImperativeHandle(props.ref, () => ({
    text: () => expand(newest.current.buffer.units),
    setText: (text) => show(setUnits(newest.current, unitsOfRecall(text))),
    prependText(text) {
      const { units } = newest.current.buffer;
      const between = units.length === 0 ? [] : ['\n'];
      show(setUnits(newest.current, [...unitsOfRecall(text, units), ...between, ...units]));
    },
    clear: () => show(setUnits(newest.current, [])),
  }));

  const { units, cursor } = state.buffer;
  const layout = useMemo(() => layOut(units, width), [units, width]);
  const popup = props.isActive ? state.popup : undefined;
  const maxRows = Math.max(props.maxRows, popup === undefined ? 1 : 2);
  const draftRows = Math.min(layout.rows.length, popup === undefined ? maxRows : Math.ceil(maxRows / 2));
  return (
    <Box flexDirection="column" width={props.width}>
      <Box>
        <Box width={promptWidth} flexShrink={0}>
          <Prompt state={state} theme={props.theme} prompt={props.prompt ?? '❯'} />
        </Box>
        <DraftRows
          layout={layout}
          cursor={props.isActive ? cursor : undefined}
          maxRows={draftRows}
          theme={props.theme}
          placeholder={props.placeholder ?? ''}
        />
      </Box>
      {popup !== undefined && (
        <SuggestionList popup={popup} maxRows={maxRows - draftRows} theme={props.theme} />
      )}
    </Box>
  );
});

/** The prompt sign says what Enter will do: a shell command (`!`), a command (`/`) or a prompt. */
function Prompt({
  state,
  theme,
  prompt,
}: {
  readonly state: ComposerState;
  readonly theme: ComposerTheme;
  readonly prompt: string;
}) {
  const first = state.buffer.units[0];
  if (first === '!') return <Text>{theme.warning('$')}</Text>;
  if (first === '/') return <Text>{theme.success(prompt)}</Text>;
  return <Text>{theme.accent(prompt)}</Text>;
}
