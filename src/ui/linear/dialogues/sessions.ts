/** The list of sessions, driven by the picker of the screen. */

import type { DialogActionName } from '../../keys/dialogActions.ts';
import { count, formatAge } from '../../print/numbers.ts';
import { sanitizeLine } from '../../print/sanitize.ts';
import type { Picker, PickerSnapshot } from '../../sessions/picker.ts';
import { typed } from '../../sessions/pickerState.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** Sessions or hits that are told at once; words find the others. */
const TOLD = 15;

/** Asks once the list is there. */
export function pick(picker: Picker, ports: DialoguePorts): void {
  const once = (isReady: (snapshot: PickerSnapshot) => boolean): void => {
    const tryNow = (): boolean => {
      const snapshot = picker.snapshot();
      if (!isReady(snapshot)) return false;
      unsubscribe();
      ports.ask(listed(snapshot));
      return true;
    };
    let unsubscribe: () => void = () => undefined;
    if (tryNow()) return;
    unsubscribe = picker.subscribe(tryNow);
  };
  const settled = ({ isLoading, isSearching, isSearch, searched }: PickerSnapshot): boolean =>
    !isLoading && !isSearching && (!isSearch || searched !== '');

  const press = (name: DialogActionName): void => picker.press({ type: 'action', name }, TOLD);
  const empty = (): void => {
    for (let left = 3; left > 0; left--) {
      const snapshot = picker.snapshot();
      if (typed(snapshot) === '' && !snapshot.isSearch) return;
      press('select:cancel');
    }
  };
  const leave = (): void => {
    empty();
    press('select:cancel');
  };
  const take = (index: number, isFork: boolean): void => {
    press('select:first');
    for (let step = 0; step < index; step++) press('select:next');
    press(isFork ? 'sessions:fork' : 'select:accept');
  };
  const look = (text: string, isSearch: boolean): void => {
    empty();
    if (isSearch) press('sessions:search');
    // The blank at the end says that the word is whole.
    if (text !== '') picker.paste(isSearch ? `${text} ` : text);
    once(settled);
  };

  const listed = (snapshot: PickerSnapshot): Dialogue => {
    const rows = snapshot.isSearch ? snapshot.hits.visible : snapshot.list.visible;
    return {
      tell: [
        head(snapshot, rows.length),
        ...rowWords(snapshot, new Date(ports.now())),
        'Answer with a number to open one, f and a number to fork it, words to search titles, / and words to search all content. An empty line cancels.',
      ],
      answer(text) {
        if (text === '') leave();
        else if (/^(?:f\s*)?\d{1,4}$/i.test(text)) {
          const number = Number(text.replace(/\D/g, ''));
          if (number < 1 || number > Math.min(TOLD, rows.length))
            return `There is no number ${number} in the list.`;
          take(number - 1, /^f/i.test(text));
        } else look(text.replace(/^\//, '').trim(), text.startsWith('/'));
        return undefined;
      },
      cancel: leave,
    };
  };
  once(settled);
}

function head(snapshot: PickerSnapshot, many: number): string {
  const what = snapshot.isSearch ? count(many, 'hit') : count(many, 'session');
  const words = typed(snapshot);
  const about = words === '' ? '' : ` for ${JSON.stringify(sanitizeLine(words))}`;
  const told = many > TOLD ? `, the first ${TOLD}` : '';
  return `${what}${about}${told}:`;
}

function rowWords(snapshot: PickerSnapshot, now: Date): string[] {
  if (snapshot.isSearch)
    return snapshot.hits.visible
      .slice(0, TOLD)
      .map(
        ({ session, who, snippet }, index) =>
          `${index + 1}. ${sanitizeLine(session.title)}: ${sanitizeLine(who)} said ${sanitizeLine(snippet)}`,
      );
  return snapshot.list.visible.slice(0, TOLD).map((session, index) => {
    const facts = [
      formatAge(session.updatedAt, now),
      count(session.promptCount, 'prompt'),
      ...(session.gitBranch === undefined ? [] : [`branch ${sanitizeLine(session.gitBranch)}`]),
      ...(session.id === snapshot.currentId ? ['open here'] : []),
      ...(session.isArchived ? ['archived'] : []),
    ];
    return `${index + 1}. ${sanitizeLine(session.title)}; ${facts.join(', ')}`;
  });
}
