/** Lists what a summary omits, by kind, each with the pointer that recalls it. */
import type { Loss } from '../../protocol/contextReport.ts';
import { hanging, type PageLine, pageLine } from './page.ts';

const kinds: readonly (readonly [Loss['kind'], string])[] = [
  ['message', 'Your messages'],
  ['path', 'Changed files'],
];

/** Maximum number per kind; the rest is only counted. */
const SHOWN = 12;
const MAX_CHARACTERS = 160;

/** Lists the losses, or states that there are none. */
export function lossLines(losses: readonly Loss[]): readonly PageLine[] {
  if (losses.length === 0)
    return [
      pageLine({ text: 'Nothing is lost: your messages and all changed files are kept.', role: 'success' }),
    ];
  return [
    hanging(
      pageLine({
        text: `${losses.length} ${losses.length === 1 ? 'detail' : 'details'} omitted (recoverable by number):`,
        role: 'warning',
      }),
      2,
    ),
    ...kinds.flatMap(([kind, title]) =>
      group(
        title,
        losses.filter((loss) => loss.kind === kind),
      ),
    ),
  ];
}

function group(title: string, losses: readonly Loss[]): readonly PageLine[] {
  if (losses.length === 0) return [];
  const more = losses.length - SHOWN;
  return [
    pageLine(`  ${title} (${losses.length})`),
    ...losses
      .slice(0, SHOWN)
      .map(({ text, seq }) =>
        hanging(pageLine(`    ${short(text)} `, { text: `#${seq}`, role: 'accent' }), 6),
      ),
    ...(more > 0 ? [pageLine({ text: `    … and ${more} more`, role: 'dim' })] : []),
  ];
}

/** Returns one line of the text, cut between code points. */
export function short(text: string, max = MAX_CHARACTERS): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const characters = [...line.slice(0, 2 * max)];
  return characters.length <= max && line.length <= 2 * max
    ? line
    : `${characters.slice(0, max - 1).join('')}…`;
}
