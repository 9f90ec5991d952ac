/** One line around what was found. */
import type { SearchHit } from '../../../protocol/sessions.ts';
import { headOf, tailOf } from '../../tokens/wellFormed.ts';
import { oneLine } from '../spoken.ts';
import type { Query } from './query.ts';
import { fold } from './words.ts';

const before = 50;
const length = 180;
/** Text beyond this is not searched for the place that the index says is there. */
const maxCharacters = 4 * 2 ** 20;

/** `folded` is `fold(text)`. Empty marks where the words cannot be shown. */
export function snippetOf(
  query: Query,
  text: string,
  folded: string = fold(text.slice(0, maxCharacters)),
): Pick<SearchHit, 'snippet' | 'marks'> {
  const at = firstPlace(query, folded);
  const start = Math.max(0, at - before);
  const lead = tailOf(text.slice(0, at), at - start);
  const rest = headOf(text.slice(at, at + length), length - lead.length);
  const isCut = at + rest.length < text.length;
  const line = oneLine(`${lead}${rest}`).replace(/\s+/g, ' ').trim();
  const snippet = `${start > 0 ? '…' : ''}${line}${isCut ? '…' : ''}`;
  return { snippet, marks: marksOf(query, fold(snippet)) };
}

/** Where the first of the terms stands; where all stand close together is not looked for. */
function firstPlace({ terms }: Query, folded: string): number {
  const places = terms.map(({ pattern }) => folded.search(pattern)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
}

function marksOf({ terms }: Query, folded: string): SearchHit['marks'] {
  const found = terms
    .flatMap(({ pattern }) =>
      [...folded.matchAll(new RegExp(pattern, 'gu'))].map(({ index, 0: hit }): [number, number] => [
        index,
        index + hit.length,
      ]),
    )
    .sort(([a], [b]) => a - b);
  const marks: [number, number][] = [];
  for (const mark of found) {
    const last = marks.at(-1);
    if (last !== undefined && mark[0] <= last[1]) last[1] = Math.max(last[1], mark[1]);
    else marks.push(mark);
  }
  return marks;
}
