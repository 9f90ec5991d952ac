import { Box, usePaste } from 'ink';
import { useContext, useLayoutEffect, useMemo, useRef } from 'react';
import type { PermissionAnswer, PermissionQuestion } from '../../protocol/permissions.ts';
import type { DialogKey } from '../keys/keymap.ts';
import { KeymapContext, useDialogKeys } from '../keys/useKeys.ts';
import { type MarkdownRenderer, plainMarkdown } from '../print/markdown.ts';
import type { Theme } from '../theme/theme.ts';
import { choicesFocus } from './choices.ts';
import { Lines, TextField } from './Lines.tsx';
import { askedPermission, permissionChoices, pressPermission, withPasted } from './permission.ts';
import {
  choiceRowsFor,
  columnsForNumbered,
  commentFocus,
  permissionLayout,
  previewLines,
} from './permissionLayout.ts';
import { titleNamesFile } from './permissionTitle.ts';
import { isEnterKey, useLatest, useStrayWord, useTypeAheadGuard } from './useAnswers.ts';

interface PermissionDialogProps {
  /** Use the question's id as `key`, so that each question starts with fresh state. */
  readonly question: PermissionQuestion;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  /** Renders plans; they are shown as plain text until it is loaded. */
  readonly markdown?: MarkdownRenderer;
  /** False while something else has the keyboard. */
  readonly isActive?: boolean;
  /** The current time in ms, to detect typing ahead. */
  readonly now?: () => number;
  readonly onAnswer: (answer: PermissionAnswer) => void;
  /** Called with typed or pasted text that was not meant for the dialog. */
  readonly onUnmeant?: ((text: string) => void) | undefined;
}

/**
 * Shows exactly what will happen and asks: yes, always or no. Esc denies, Tab adds a comment for the model. What has not
 * been on the screen is not approved (`heldApproval` in `permission.ts`).
 */
export function PermissionDialog({
  question,
  width,
  rows,
  theme,
  markdown = plainMarkdown,
  isActive = true,
  now,
  onAnswer,
  onUnmeant,
}: PermissionDialogProps) {
  const [state, latest, set] = useLatest(() => askedPermission);
  const guard = useTypeAheadGuard(`${question.id} ${state.holds}`, now, question.id);
  const stray = useStrayWord(now);
  const choices = useMemo(() => permissionChoices(question), [question]);
  const keymap = useContext(KeymapContext);
  const [preview, columns] = useMemo(() => {
    const linesAt = (columns: number): readonly string[] =>
      previewLines(question.preview, columns, theme, markdown, titleNamesFile(question, width));
    const preview = linesAt(width);
    // For the first choice and without a comment, so that the lines stay the same until the question is answered.
    const { isNumbered } = permissionLayout({
      ...{ question, preview, width, rows, theme, keymap },
      ...{ top: 0, seen: 0, isWarned: false, isCommenting: false },
      choiceRows: choiceRowsFor(choices, 0, preview.length, { width, rows, theme }),
    });
    const columns = isNumbered ? columnsForNumbered(linesAt, width) : width;
    return [columns === width ? preview : linesAt(columns), columns] as const;
  }, [question, choices, width, rows, theme, markdown, keymap]);
  const [seen, onDrawn] = useSeenLines(preview.length, columns);
  const layout = permissionLayout({
    question,
    preview,
    top: state.top,
    // The preview gets room before the details of the choices, whose labels are sufficient.
    choiceRows: choiceRowsFor(choices, state.selected, preview.length, { width, rows, theme }),
    isCommenting: state.comment !== undefined,
    seen,
    isWarned: state.isWarned,
    width,
    rows,
    theme,
    keymap,
  });
  useLayoutEffect(() => onDrawn(layout.seen));
  const onKey = (key: DialogKey): void => {
    const { previewRows, seen, canWarn } = layout;
    const pressed = pressPermission(latest(), key, {
      question,
      choices,
      previewLines: preview.length,
      previewRows,
      seen,
      canWarn,
      // The lines that the previous key has shown are not drawn yet.
      counts: () => latest().holds === state.holds && guard.counts(isEnterKey(key)),
      stray,
    });
    set(pressed.state);
    if (pressed.unmeant !== undefined) onUnmeant?.(pressed.unmeant);
    if (pressed.answer === undefined) return;
    guard.answered(isEnterKey(key));
    onAnswer(pressed.answer);
  };
  const place = () => (latest().comment === undefined ? choicesFocus : commentFocus);
  useDialogKeys(place, onKey, isActive);
  usePaste(
    (text) => {
      if (latest().comment !== undefined) set(withPasted(latest(), text));
      else {
        stray.begin();
        onUnmeant?.(text);
      }
    },
    { isActive },
  );

  return (
    <Box flexDirection="column">
      <Lines lines={layout.above} />
      {state.comment !== undefined && (
        <TextField
          // A label gets at most half of the row.
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

/** How many lines of the preview have been drawn. Another width breaks the lines elsewhere, so it starts over. */
function useSeenLines(lines: number, width: number): readonly [number, (seen: number) => void] {
  const drawn = useRef({ lines, width, seen: 0 });
  const isSame = drawn.current.lines === lines && drawn.current.width === width;
  return [
    isSame ? drawn.current.seen : 0,
    (seen) => {
      drawn.current = { lines, width, seen };
    },
  ];
}
