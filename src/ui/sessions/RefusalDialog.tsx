import { choiceLines, choiceOfKey, choicesPlace, movedChoice } from '../components/choices.ts';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import { useLatest } from '../components/useLatest.ts';
import { useTypeAheadGuard } from '../components/useTypeAheadGuard.ts';
import { dotted, keyHints } from '../keys/keyHints.ts';
import { useDialogKeys } from '../keys/useDialogKeys.ts';
import { sanitizeLine } from '../print/sanitize.ts';
import { wrapText } from '../print/spans.ts';
import { truncate } from '../print/width.ts';
import type { Theme } from '../theme.ts';
import {
  type Refusal,
  type RefusalAnswer,
  type RefusalBack,
  refusalChoices,
  refusalEscape,
  refusalText,
  refusalTitle,
} from './refusal.ts';

export interface RefusalDialogProps {
  readonly refusal: Refusal;
  readonly id: string;
  readonly title: string | undefined;
  readonly back: RefusalBack;
  readonly width: number;
  readonly rows: number;
  readonly theme: Theme;
  readonly now?: () => Date;
  /** Milliseconds, for telling an answer from typing ahead. */
  readonly clock?: () => number;
  readonly onAnswer: (answer: RefusalAnswer) => void;
}

/** A session that another program holds, or that belongs elsewhere: who and where, and what can be done instead. */
export function RefusalDialog(props: RefusalDialogProps) {
  const { refusal, id, title, back, width, rows, theme, now = () => new Date(), clock, onAnswer } = props;
  const choices = refusalChoices(refusal, back);
  const [selected, latest, set] = useLatest(() => 0);
  // It may come up while somebody types the prompt that they meant for the session.
  const counts = useTypeAheadGuard(id, clock);
  const take = (index: number): void => {
    const choice = choices[index];
    if (choice !== undefined) onAnswer(choice.answer);
  };
  const keymap = useDialogKeys(
    () => choicesPlace,
    (key) => {
      const action = key.type === 'action' ? key.name : undefined;
      if (action === 'confirm:cancel' || action === 'app:interrupt') onAnswer('back');
      else if (counts()) {
        const moved = movedChoice(latest(), choices.length, key);
        if (moved !== undefined) set(moved);
        else take(action === 'confirm:accept' ? latest() : (choiceOfKey(choices, key) ?? -1));
      }
    },
  );
  const answers = choiceLines(choices, selected, width, theme);
  const said = refusalText(refusal, now()).flatMap((text) => wrapText(sanitizeLine(text), width));
  const hints = keyHints(keymap, choicesPlace);
  const keys = [hints.keys('confirm:previous', 'confirm:next'), hints.key('confirm:accept')];
  const line = dotted(keys.filter((key) => key !== undefined).join(' '), refusalEscape(back));
  const hint = theme.dim(truncate(line, width));
  const room = Math.max(0, rows - answers.length - 1);
  const head = [...said.slice(0, room), ...(room > said.length ? [''] : [])];
  const showHint = rows > 1 + head.length + answers.length;
  return (
    <Lines
      lines={[
        ruled(sanitizeLine(refusalTitle(title, id)), width, theme),
        ...head,
        ...answers,
        ...(showHint ? [hint] : []),
      ]}
    />
  );
}
