import { Box, usePaste } from 'ink';
import { useContext, useMemo } from 'react';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { type MarkdownRenderer, plainMarkdown } from '../print/markdown.ts';
import type { Theme } from '../theme/theme.ts';
import { choiceLinesWithin, choicesPlace } from './choices.ts';
import { Lines, TextField } from './Lines.tsx';
import { askedPermission, permissionChoices, pressPermission, withCommentText } from './permission.ts';
import { choiceShare, commentPlace, permissionLayout, previewLines, titleFits } from './permissionLayout.ts';
import { useLatest, useStrayWord, useTypeAheadGuard } from './useAnswers.ts';

interface PermissionDialogProps {
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
  const [state, latest, set] = useLatest(() => askedPermission);
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
  const onKey = (key: DialogKey): void => {
    const { previewRows } = layout;
    const pressed = pressPermission(latest(), key, {
      choices,
      previewLines: preview.length,
      previewRows,
      counts,
      stray,
    });
    set(pressed.state);
    if (pressed.answer !== undefined) onAnswer(pressed.answer);
  };
  const place = () => (latest().comment === undefined ? choicesPlace : commentPlace);
  useDialogKeys(place, onKey, isActive);
  usePaste((text) => set(withCommentText(latest(), text)), { isActive });

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
