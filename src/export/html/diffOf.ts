import { type RawDiffLine, readDiff } from '../../protocol/text/diff.ts';
import { escapeHtml } from './escapeHtml.ts';

/** A unified diff, with each line coloured by kind. */
export function diffOf(diff: string): string {
  const rows = readDiff(diff).map(({ kind, line }) => {
    const name = classes[kind];
    return `<span${name === '' ? '' : ` class="${name}"`}>${escapeHtml(line)}</span>`;
  });
  return `<pre class="diff">${rows.join('')}</pre>`;
}

const classes: Readonly<Record<RawDiffLine['kind'], string>> = {
  added: 'add',
  removed: 'del',
  hunk: 'at',
  file: 'at',
  context: '',
  note: '',
  other: '',
};
