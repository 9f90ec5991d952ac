import { plainText } from '../items.ts';

/** Escapes text for HTML, and removes control characters and hidden directions. */
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
