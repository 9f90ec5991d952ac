import { Box, useInput, usePaste } from 'ink';
import { useMemo } from 'react';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import { type Command, commandsOf } from '../input/keys.ts';
import { applyEdit, createBuffer, type TextBuffer } from '../input/textBuffer.ts';
import { type MarkdownRenderer, plainMarkdown } from '../print/markdown.ts';
import type { Theme } from '../theme.ts';
import { choiceLinesWithin, choiceOfCharacter } from './choices.ts';
import { fieldInput, fieldText } from './field.ts';
import { Lines } from './Lines.tsx';
import { permissionChoices } from './permissionChoices.ts';
import { choiceShare, permissionLayout } from './permissionLayout.ts';
import { previewLines } from './previewLines.ts';
import { TextField } from './TextField.tsx';
import { useLatest } from './useLatest.ts';
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
  const choices = useMemo(() => permissionChoices(question), [question]);
  const preview = useMemo(
    () => previewLines(question.preview, width, theme, markdown),
    [question, width, theme, markdown],
  );
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
  });
  const no = choices.length - 1;

  const take = (index: number): void => {
    if (index === no) set({ ...latest(), selected: no, comment: createBuffer() });
    else onAnswer({ behavior: 'allow', ...(index === 0 ? {} : { remember: true }) });
  };
  const scroll = (by: number): void => {
    const top = Math.max(0, Math.min(latest().top + by, preview.length - layout.previewRows));
    set({ ...latest(), top });
  };
  const onCommand = (command: Command): void => {
    const { selected, comment } = latest();
    // A refusal is always heard; everything that could approve waits until nobody is typing ahead.
    const isTypedAhead = !counts();
    if (comment !== undefined) {
      if (command.type === 'escape') set({ ...latest(), comment: undefined });
      else if (command.type === 'enter') onAnswer(denial(fieldText(comment)));
      else if (command.type === 'edit')
        set({ ...latest(), comment: applyEdit(comment, oneLine(command.edit)) });
    } else if (command.type === 'escape') onAnswer(denial(''));
    else if (isTypedAhead) return;
    else if (command.type === 'up') set({ ...latest(), selected: (selected + no) % choices.length });
    else if (command.type === 'down') set({ ...latest(), selected: (selected + 1) % choices.length });
    else if (command.type === 'tab') take(no);
    else if (command.type === 'enter') take(selected);
    else if (command.type === 'edit' && command.edit.type === 'insert') {
      const index = choiceOfCharacter(choices, command.edit.text);
      if (index === no && command.edit.text.toLowerCase() === 'n') onAnswer(denial(''));
      else if (index !== undefined) take(index);
    }
  };
  useInput(
    (input, key) => {
      if (key.pageDown) scroll(layout.previewRows);
      else if (key.pageUp) scroll(-layout.previewRows);
      else if (key.ctrl && input === 'c') onAnswer(denial(''));
      else for (const command of commandsOf(input, key)) onCommand(command);
    },
    { isActive },
  );
  usePaste(
    (text) => {
      const { comment } = latest();
      if (comment !== undefined)
        set({ ...latest(), comment: applyEdit(comment, { type: 'insert', text: fieldInput(text) }) });
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

function denial(comment: string): PermissionAnswer {
  return comment.trim() === '' ? { behavior: 'deny' } : { behavior: 'deny', comment: comment.trim() };
}

function oneLine(edit: Extract<Command, { type: 'edit' }>['edit']) {
  return edit.type === 'insert' ? { ...edit, text: fieldInput(edit.text) } : edit;
}
