import { useDialogKeys } from '../keys/useDialogKeys.ts';
import { revealLine } from '../print/sanitize.ts';
import { prefixLines, wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import type { TrustQuestion } from '../types.ts';
import { choiceLines, choiceOfKey, choicesPlace, movedChoice } from './choices.ts';
import { Lines } from './Lines.tsx';
import { ruled } from './permissionLayout.ts';
import { trustWords } from './trustWords.ts';
import { useLatest } from './useLatest.ts';
import { useTypeAheadGuard } from './useTypeAheadGuard.ts';

export interface TrustDialogProps {
  readonly question: TrustQuestion;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  /** Milliseconds, for telling an answer from typing ahead. */
  readonly now?: () => number;
  readonly onAnswer: (isTrusted: boolean) => void;
}

/** What a folder's settings would do that was not agreed to yet, and whether they may. Nothing is trusted by accident. */
export function TrustDialog(props: TrustDialogProps) {
  const { question, width, rows, theme, isActive = true, now, onAnswer } = props;
  const { choices } = trustWords(question);
  const [selected, latest, set] = useLatest(() => 0);
  const counts = useTypeAheadGuard(question.folder, now);
  useDialogKeys(
    () => choicesPlace,
    (key) => {
      const action = key.type === 'action' ? key.name : undefined;
      if (action === 'confirm:cancel' || action === 'app:interrupt') onAnswer(false);
      else if (counts()) {
        const moved = movedChoice(latest(), choices.length, key);
        const index = action === 'confirm:accept' ? latest() : choiceOfKey(choices, key);
        if (moved !== undefined) set(moved);
        else if (index !== undefined) onAnswer(index === 0);
      }
    },
    isActive,
  );
  return <Lines lines={trustLines(question, selected, width, rows, theme)} />;
}

function trustLines(
  question: TrustQuestion,
  selected: number,
  width: number,
  rows: number,
  theme: Theme,
): string[] {
  const { heading, introduction, items, choices } = trustWords(question);
  const answers = choiceLines(choices, selected, width, theme);
  const head = [
    ruled(heading, width, theme),
    truncate(revealLine(question.folder), width, 'start'),
    ...(introduction === undefined ? [] : wrapText(introduction, width, theme.dim)),
  ];
  const listed = items.map(({ sign, text }) =>
    prefixLines(wrapText(revealLine(text), width - 4), `  ${signs[sign]} `, '    '),
  );
  const room = Math.max(1, rows - head.length - answers.length - 1);
  const { shown, more } = fitted(listed, room);
  return [
    ...head,
    ...shown,
    ...(more > 0 ? [theme.warning(`  … +${more} more lines: review its settings before you accept`)] : []),
    '',
    ...answers,
  ].slice(-Math.max(answers.length, rows));
}

/**
 * As much as there is room for: of each item its first line, so that a long one does not hide the next, then the rest
 * in their order.
 */
function fitted(
  items: readonly (readonly string[])[],
  room: number,
): { readonly shown: readonly string[]; readonly more: number } {
  const total = items.reduce((sum, lines) => sum + lines.length, 0);
  if (total <= room) return { shown: items.flat(), more: 0 };
  const present = items.slice(0, Math.max(1, room - 1));
  let spare = room - 1 - present.length;
  const shown = present.flatMap((lines) => {
    const further = Math.max(0, Math.min(lines.length - 1, spare));
    spare -= further;
    return lines.slice(0, 1 + further);
  });
  return { shown, more: total - shown.length };
}

const signs = { does: '•', added: '+', removed: '-' } as const;
