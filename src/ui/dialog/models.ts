/** The choice of a model: the endpoint's, by name. Pure. */
import type { ModelList } from '../../commands/types.ts';
import type { ListDialog } from './dialog.ts';

/** Answers the id of a model, or undefined to leave it as it is. `used`: the model in use. */
export function modelsDialog(
  { ids: listed, problem }: ModelList,
  used: string | undefined,
): ListDialog<string | undefined> {
  // The one in use comes first, so that Enter changes nothing.
  const ids = listed.toSorted((a, b) => Number(b === used) - Number(a === used));
  return {
    type: 'list',
    id: 'models',
    title: 'Model',
    items: ids.map((id) => ({ label: id === used ? `${id} · in use` : id, name: id, answer: id })),
    noun: 'model',
    empty: problem ?? 'No model found.',
    introduction: (shown) => `${ids.length} models${shown < ids.length ? `, the first ${shown}` : ''}:`,
    canSkip: true,
    cancel: undefined,
  };
}
