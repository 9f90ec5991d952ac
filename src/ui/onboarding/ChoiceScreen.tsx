import { usePaste } from 'ink';
import { useRef } from 'react';
import {
  type Choice,
  choiceOfKey,
  choicesPlace,
  fittedChoiceLines,
  movedChoice,
} from '../components/choices.ts';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import { useLatest } from '../components/useLatest.ts';
import { useTypeAheadGuard } from '../components/useTypeAheadGuard.ts';
import type { DialogKey } from '../keys/dialogKeys.ts';
import { dotted, keyHints } from '../keys/keyHints.ts';
import type { Keymap } from '../keys/keymap.ts';
import { useDialogKeys } from '../keys/useDialogKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Paint, Theme } from '../theme.ts';

export interface ChoiceScreenProps<T extends Choice> {
  readonly title: string;
  /** Between the title and the choices, in this order; what does not fit is left out from the end. May quote a server. */
  readonly texts: readonly { readonly text: string; readonly paint: Paint }[];
  readonly choices: readonly T[];
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly isActive?: boolean;
  /** Milliseconds, for telling an answer from typing ahead. */
  readonly now?: (() => number) | undefined;
  readonly onTake: (choice: T) => void;
  readonly onEscape: () => void;
  /** Ctrl+C, Ctrl+D. */
  readonly onQuit: () => void;
  /** Text that was pasted instead of choosing. */
  readonly onPaste?: (text: string) => void;
}

/** A title, a few lines and numbered choices; a number, a letter or Enter takes one. */
export function ChoiceScreen<T extends Choice>(props: ChoiceScreenProps<T>) {
  const { choices, isActive = true, now, onTake, onEscape, onQuit, onPaste } = props;
  const [selected, latest, set] = useLatest(() => 0);
  // Choices that turn up later push the others down: what somebody had moved to stays selected.
  const before = useRef(choices);
  if (before.current !== choices) {
    const label = latest() === 0 ? undefined : before.current[latest()]?.label;
    const at = choices.findIndex((choice) => choice.label === label);
    before.current = choices;
    if (latest() !== Math.max(0, at)) set(Math.max(0, at));
  }
  const counts = useTypeAheadGuard(choices.map(({ label }) => label).join('\n'), now);
  const onKey = (key: DialogKey): void => {
    const action = key.type === 'action' ? key.name : undefined;
    const moved = movedChoice(latest(), choices.length, key);
    if (leaves(key)) onQuit();
    else if (!counts()) return;
    else if (action === 'confirm:cancel') onEscape();
    else if (moved !== undefined) set(moved);
    else {
      const at = action === 'confirm:accept' ? latest() : choiceOfKey(choices, key);
      const choice = choices[at ?? -1];
      if (choice !== undefined) onTake(choice);
    }
  };
  const keymap = useDialogKeys(() => choicesPlace, onKey, isActive);
  usePaste((text) => onPaste?.(text), { isActive });
  return <Lines lines={screenLines(props, Math.min(selected, choices.length - 1), keymap)} />;
}

/** Ctrl+C and Ctrl+D. */
export function leaves(key: DialogKey): boolean {
  return key.type === 'action' && (key.name === 'app:interrupt' || key.name === 'app:exit');
}

function screenLines<T extends Choice>(
  props: ChoiceScreenProps<T>,
  selected: number,
  keymap: Keymap,
): string[] {
  const { title, texts, choices, width, rows, theme } = props;
  const letters = choices.flatMap(({ letter }) => letter ?? []).join(' ');
  const hints = keyHints(keymap, choicesPlace);
  const keys = [hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')]
    .filter((key) => key !== undefined)
    .join(' ');
  const or = letters === '' ? '' : ` or ${letters}`;
  const hint = theme.dim(truncate(dotted(`${keys}, a digit${or}`, 'Esc leaves'), width));
  const head = [ruled(title, width, theme)];
  // At least one line for each choice comes first, then the text, then the details and the hint.
  const room = Math.max(0, rows - head.length - choices.length);
  const said = texts.flatMap(({ text, paint }) => wrapText(sanitizeLine(text), width, paint)).slice(0, room);
  const left = Math.max(1, rows - head.length - said.length);
  const shown = fittedChoiceLines(
    choices,
    selected,
    width,
    left - 1 >= choices.length ? left - 1 : left,
    theme,
  );
  return [...head, ...said, ...shown, ...(shown.length < left ? [hint] : [])].slice(0, Math.max(1, rows));
}
