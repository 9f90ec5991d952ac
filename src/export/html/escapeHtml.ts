import { plainText } from '../plainText.ts';

/** Text as HTML: nothing in it is markup, no control and no hidden direction is left. */
export function escapeHtml(text: string): string {
  return plainText(text).replace(/[&<>"']/g, (mark) => entities[mark] ?? mark);
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
