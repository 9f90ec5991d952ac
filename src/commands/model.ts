import { nearest } from '../config/nearest.ts';
import type { Command } from './types.ts';

/** Switches the model, or opens the model list. */
export const model: Command = {
  name: 'model',
  aliases: [],
  description: 'switch the model',
  argumentHint: '[id]',
  run: (args, host) => {
    if (args === '') return { type: 'dialog', dialog: 'model' };
    if (/\s/.test(args)) {
      return { type: 'notice', level: 'error', text: `"${args}" is not a model id: ids have no spaces.` };
    }
    const remark = async (): Promise<string | undefined> => remarkOn(args, (await host.listModels()).ids);
    return { type: 'op', op: { type: 'set_model', model: args }, remark };
  },
};

/** Warns if the server does not list the model id. Only a warning, since lists omit aliases and variants. */
function remarkOn(model: string, ids: readonly string[]): string | undefined {
  // Ollama lists a model without a tag under this name.
  const isListed = ids.some((id) => id === model || id === `${model}:latest`);
  if (ids.length === 0 || isListed) return undefined;
  return `The server does not list ${JSON.stringify(model)}.${modelAdvice(model, ids)} The next prompt will try it anyway.`;
}

/** Suggests ids; for example ` Did you mean "qwen3:8b"?`, or the first ids of the list. Empty if none are known. */
export function modelAdvice(typed: string, ids: readonly string[]): string {
  const [first] = ids;
  if (first === undefined) return '';
  const bare = (id: string): string => id.toLowerCase().replace(/^.*\//, '');
  const wanted = bare(typed);
  const meant =
    ids.find((id) => bare(id) === wanted) ??
    nearest(typed, ids) ??
    ids.find((id) => bare(id).startsWith(wanted) || bare(id).includes(wanted));
  if (meant !== undefined) return ` Did you mean ${JSON.stringify(meant)}?`;
  const more = ids.length > TOLD ? ` and ${ids.length - TOLD} more` : '';
  return ` It has ${ids.slice(0, TOLD).join(', ')}${more}.`;
}

/** Ids listed if none is similar. */
const TOLD = 5;
