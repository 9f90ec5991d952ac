import { Box, usePaste } from 'ink';
import { useContext, useMemo } from 'react';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import { applyEdit, createBuffer, type Edit, type TextBuffer } from '../input/textBuffer.ts';
import type { DialogKey } from '../keys/dialogKeys.ts';
import { KeymapContext } from '../keys/KeymapContext.ts';
import { useDialogKeys } from '../keys/useDialogKeys.ts';
import { type MarkdownRenderer, plainMarkdown } from '../print/markdown.ts';
import type { Theme } from '../theme.ts';
import { choiceLinesWithin, choiceOfKey, choicesPlace, movedChoice } from './choices.ts';
import { fieldInput, fieldText } from './field.ts';
import { Lines } from './Lines.tsx';
import { permissionChoices } from './permissionChoices.ts';
import { choiceShare, commentPlace, permissionLayout, titleFits } from './permissionLayout.ts';
import { previewLines } from './previewLines.ts';
import { TextField } from './TextField.tsx';
import { useLatest } from './useLatest.ts';
import { useStrayWord } from './useStrayWord.ts';
import { useTypeAheadGuard } from './useTypeAheadGuard.ts';

export interface PermissionDialogProps {
  /** Give it the question's id as `key`, so that the next question starts afresh. */
  readonly question: PermissionQuestion;
  readonly width: number;
  /** Rows that it may take at most. */
  readonly rows: number;
  readonly theme: Theme;
  /** For plans; as written until it is there. */
  readonly markdown?: MarkdownRenderer;
  /** False while something else has the keys. */
  readonly isActive?: boolean;
  /** Milliseconds, for telling an answer from typing ahead. */
  readonly now?: () => number;
  readonly onAnswer: (answer: PermissionAnswer) => void;
}

interface State {
  readonly selected: number;
  /** First visible line of the preview. */
  readonly top: number;
  /** The comment for the model, while it is being written. */
  readonly comment: TextBuffer | undefined;
}

/** Shows exactly what will happen and asks: yes, always, no; Esc is no, Tab adds a word for the model. */
export function PermissionDialog({
  question,
  width,
  rows,
  theme,
  markdown = plainMarkdown,
  isActive = true,
  now,
  onAnswer,
}: PermissionDialogProps) {
  const [state, latest, set] = useLatest<State>(() => ({ selected: 0, top: 0, comment: undefined }));
  const counts = useTypeAheadGuard(question.id, now);
  const stray = useStrayWord(now);
  const choices = useMemo(() => permissionChoices(question), [question]);
  const preview = useMemo(
    () => previewLines(question.preview, width, theme, markdown, titleFits(question, width)),
    [question, width, theme, markdown],
  );
  const keymap = useContext(KeymapContext);
  const layout = permissionLayout({
    question,
    preview,
    top: state.top,
    // What is asked for is worth more than the details of answers; their labels say all.
    choiceRows: choiceLinesWithin(choices, state.selected, width, choiceShare(preview.length, rows), theme),
    isCommenting: state.comment !== undefined,
    width,
    rows,
    theme,
    keymap,
  });
  const no = choices.length - 1;

  const take = (index: number): void => {
    if (index === no) set({ ...latest(), selected: no, comment: createBuffer() });
    else onAnswer(choices[index]?.answer ?? denial(''));
  };
  const scroll = (by: number): void => {
    const top = Math.max(0, Math.min(latest().top + by, preview.length - layout.previewRows));
    set({ ...latest(), top });
  };
  const type = (comment: TextBuffer, edit: Edit): void =>
    set({ ...latest(), comment: applyEdit(comment, edit) });
  const insert = (comment: TextBuffer, text: string): void =>
    type(comment, { type: 'insert', text: fieldInput(text) });
  const onCommentKey = (comment: TextBuffer, key: DialogKey): void => {
    if (key.type === 'edit') type(comment, key.edit);
    else if (key.type === 'text') insert(comment, key.text);
    else if (key.type !== 'action') return;
    else if (key.name === 'confirm:cancel') set({ ...latest(), comment: undefined });
    else if (key.name === 'confirm:accept') onAnswer(denial(fieldText(comment)));
  };
  const onKey = (key: DialogKey): void => {
    const { selected, comment } = latest();
    const action = key.type === 'action' ? key.name : undefined;
    const pages = action === 'confirm:pageUp' ? -1 : action === 'confirm:pageDown' ? 1 : 0;
    if (pages !== 0) {
      scroll(pages * layout.previewRows);
      return;
    }
    // A refusal is always heard; everything that could approve waits until nobody is typing ahead.
    const isTypedAhead = !counts();
    const moved = movedChoice(selected, choices.length, key);
    const isTyped = key.type === 'text' || (key.type === 'action' && key.typed !== undefined);
    if (action === 'app:interrupt') onAnswer(denial(''));
    else if (comment !== undefined) onCommentKey(comment, key);
    else if (action === 'confirm:cancel') onAnswer(denial(''));
    else if (isTypedAhead || stray.holds(isTyped || action === 'confirm:accept')) return;
    else if (moved !== undefined) set({ ...latest(), selected: moved });
    else if (action === 'confirm:comment') take(no);
    else if (action === 'confirm:accept') take(selected);
    else if (action === 'confirm:no') onAnswer(denial(''));
    else {
      const index = choiceOfKey(choices, key);
      // What lasts beyond this call is taken with Enter or its number, so that no stray letter saves a rule.
      if (index !== undefined && lasting.has(action)) set({ ...latest(), selected: index });
      else if (index !== undefined) take(index);
      else if (key.type === 'text') stray.begin();
    }
  };
  const place = () => (latest().comment === undefined ? choicesPlace : commentPlace);
  useDialogKeys(place, onKey, isActive);
  usePaste(
    (text) => {
      const { comment } = latest();
      if (comment !== undefined) insert(comment, text);
    },
    { isActive },
  );

  return (
    <Box flexDirection="column">
      <Lines lines={layout.above} />
      {state.comment !== undefined && (
        <TextField
          // A label gets half of the row.
          label={width < 32 ? '  What? ' : '  What instead? '}
          buffer={state.comment}
          width={width}
          theme={theme}
          isActive={isActive}
        />
      )}
      <Lines lines={layout.below} />
    </Box>
  );
}

const lasting: ReadonlySet<string | undefined> = new Set(['confirm:always', 'confirm:sandbox']);

function denial(comment: string): PermissionAnswer {
  return comment.trim() === '' ? { behavior: 'deny' } : { behavior: 'deny', comment: comment.trim() };
}
