import { escapeHtml } from './escapeHtml.ts';

/** A unified diff, a coloured line each. */
export function diffOf(diff: string): string {
  const lines = diff.replace(/\n$/, '').split('\n');
  const rows = lines.map((line) => {
    const kind = kindOf(line);
    return `<span${kind === '' ? '' : ` class="${kind}"`}>${escapeHtml(line)}</span>`;
  });
  return `<pre class="diff">${rows.join('')}</pre>`;
}

function kindOf(line: string): string {
  if (/^(?:@@|\+\+\+ |--- |diff |index )/.test(line)) return 'at';
  if (line.startsWith('+')) return 'add';
  return line.startsWith('-') ? 'del' : '';
}
