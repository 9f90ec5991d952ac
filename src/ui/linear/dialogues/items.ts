import type { Agent } from '../../../agent/types.ts';
import { itemsPage } from '../../../commands/pages/itemsPage.ts';
import { plainText } from '../../../commands/pages/page.ts';
import type { ContextItem, Steering } from '../../../protocol/contextReport.ts';
import { doneText, type SteeringWish, steeringFor } from '../../components/itemsState.ts';
import { reveal, sanitize } from '../../print/sanitize.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** Items that are told, newest first. */
const TOLD = 40;

/** The conversation as items that can be pinned, dropped and restored by their numbers. */
export function items(agent: Agent, { controller, tell }: DialoguePorts): Dialogue {
  const all = agent.items();
  const lines = sanitize(reveal(plainText(itemsPage(all))))
    .split('\n')
    .slice(0, TOLD + 1);
  const close = (): void => controller.closeDialog();
  return {
    tell: [
      ...lines.map((line) => line.trim().replace(/\s{2,}/g, ', ')),
      'p and a number pins an item or unpins it, d drops it, r restores it, as in: d 12. An empty line cancels.',
    ],
    answer(text) {
      if (text === '') {
        close();
        return undefined;
      }
      const [, letter = '', number] = /^([a-z])\w*\s*#?(\d+)$/i.exec(text) ?? [];
      const item = agent.items().find(({ seq }) => seq === Number(number));
      const steering = item === undefined ? undefined : steeringOf(letter.toLowerCase(), item);
      if (item === undefined || steering === undefined)
        return number === undefined || item !== undefined
          ? 'Write p, d or r and the number of an item, as in: d 12. An empty line cancels.'
          : `There is no item #${number}.`;
      agent.submit({ type: 'steer', steering });
      tell(doneText(steering, item, `r ${item.seq}`).replace(' · ', ', '));
      // The list stays open: it is asked again without being told again.
      return '';
    },
    cancel: close,
  };
}

const wishes: Readonly<Record<string, SteeringWish>> = { p: 'pin', d: 'drop', r: 'restore' };

function steeringOf(letter: string, item: ContextItem): Steering | undefined {
  const wish = wishes[letter];
  return wish === undefined ? undefined : steeringFor(wish, item);
}
