import { useInput } from 'ink';
import { choiceLines, choiceOfCharacter } from '../components/choices.ts';
import { Lines } from '../components/Lines.tsx';
import { ruled } from '../components/permissionLayout.ts';
import { useLatest } from '../components/useLatest.ts';
import { useTypeAheadGuard } from '../components/useTypeAheadGuard.ts';
import { commandsOf } from '../input/keys.ts';
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
  useInput((input, key) => {
    for (const command of commandsOf(input, key)) {
      if (command.type === 'escape' || command.type === 'intent') onAnswer('back');
      else if (!counts()) continue;
      else if (command.type === 'up' || command.type === 'down') {
        const by = command.type === 'up' ? choices.length - 1 : 1;
        set((latest() + by) % choices.length);
      } else if (command.type === 'enter') take(latest());
      else if (command.type === 'edit' && command.edit.type === 'insert')
        take(choiceOfCharacter(choices, command.edit.text) ?? -1);
    }
  });
  const answers = choiceLines(choices, selected, width, theme);
  const said = refusalText(refusal, now()).flatMap((text) => wrapText(sanitizeLine(text), width));
  const hint = theme.dim(truncate(`↑↓ Enter · ${refusalEscape(back)}`, width));
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
