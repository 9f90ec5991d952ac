import { nearest } from '../config/nearest.ts';

/** E.g. ` Did you mean "qwen3:8b"?`, or the first names that there are; empty where none are known. */
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

/** Names that are told where none is near. */
const TOLD = 5;
