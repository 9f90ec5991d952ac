import type { Phase } from '../../controllerTypes.ts';
import { sanitizeLine } from '../../print/sanitize.ts';
import type { Dialogue, DialoguePorts } from './types.ts';

/** Models that are told at once; the name of any other is an answer too. */
const TOLD = 40;

/** The endpoint's models by number or by name. */
export function models(
  { ids, problem }: Extract<Phase, { type: 'models' }>,
  { controller, tell }: DialoguePorts,
): Dialogue | undefined {
  if (ids.length === 0) {
    tell(`${problem ?? 'No model found.'} /model and a name switches to it.`);
    controller.pickModel(undefined);
    return undefined;
  }
  return {
    tell: [
      `${ids.length} models${ids.length > TOLD ? `, the first ${TOLD}` : ''}:`,
      ...ids.slice(0, TOLD).map((id, index) => `${index + 1}. ${sanitizeLine(id)}`),
      'Answer with a number or a name. An empty line cancels.',
    ],
    answer(text) {
      const id = ids.find((one) => one === text) ?? (/^\d+$/.test(text) ? ids[Number(text) - 1] : undefined);
      if (text !== '' && id === undefined) return `There is no model ${JSON.stringify(text)} in the list.`;
      controller.pickModel(text === '' ? undefined : id);
      return undefined;
    },
    cancel: () => controller.pickModel(undefined),
  };
}
