/**
 * Extracts a page's text without layout, and measures its structure, without building a tree: in linear time and
 * without recursion, even on hostile pages.
 */
import { Tokenizer } from 'htmlparser2';

interface PlainPage {
  readonly title: string;
  /** Each block on its own lines, blanks collapsed. */
  readonly text: string;
  /** Approximate depth of its element tree. */
  readonly depth: number;
  readonly elements: number;
}

/** Elements whose content is never shown. */
const unread = new Set(['script', 'style', 'template', 'noscript', 'svg', 'iframe', 'object', 'canvas']);
/** Elements that start and end a line. */
const block =
  /^(?:address|article|aside|blockquote|body|br|dd|div|dl|dt|figure|footer|form|h[1-6]|header|hr|li|main|nav|ol|p|pre|section|table|tr|ul)$/;
/** Elements closed by the following one, or never: they do not nest in themselves. */
const shallow =
  /^(?:area|base|body|br|col|dd|dt|embed|head|hr|html|img|input|li|link|meta|option|p|param|source|tbody|td|tfoot|th|thead|tr|track|wbr)$/;

/** Scans the page once. */
export function plainPage(html: string): PlainPage {
  const pieces: string[] = [];
  let title = '';
  let isTitle = false;
  let skipped: { readonly name: string; levels: number } | undefined;
  let depth = 0;
  let deepest = 0;
  let elements = 0;
  const put = (text: string): void => {
    if (skipped !== undefined) return;
    if (isTitle) title += text;
    else pieces.push(text);
  };
  const open = (start: number, end: number): void => {
    const name = nameAt(html, start, end);
    elements += 1;
    if (!shallow.test(name)) deepest = Math.max(deepest, ++depth);
    if (skipped?.name === name) skipped.levels += 1;
    else if (skipped === undefined && unread.has(name)) skipped = { name, levels: 1 };
    // A drawing may have a title as well.
    else if (name === 'title' && skipped === undefined && title === '') isTitle = true;
    else if (block.test(name)) put('\n');
    else if (name === 'td' || name === 'th') put(' ');
  };
  const close = (start: number, end: number): void => {
    const name = nameAt(html, start, end);
    if (!shallow.test(name)) depth = Math.max(0, depth - 1);
    if (skipped?.name === name && --skipped.levels === 0) skipped = undefined;
    else if (name === 'title') isTitle = false;
    else if (block.test(name)) put('\n');
  };
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => put(html.slice(start, end)),
      ontextentity: (codepoint) => put(String.fromCodePoint(codepoint)),
      onopentagname: open,
      onclosetag: close,
      onattribdata: nothing,
      onattribentity: nothing,
      onattribend: nothing,
      onattribname: nothing,
      oncdata: nothing,
      oncomment: nothing,
      ondeclaration: nothing,
      onend: nothing,
      onopentagend: nothing,
      onprocessinginstruction: nothing,
      onselfclosingtag: () => {
        if (depth > 0) depth -= 1;
      },
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return { title: oneLine(title), text: lines(pieces.join('')), depth: deepest, elements };
}

/** Cuts names longer than any real element's: a page may contain anything. */
function nameAt(html: string, start: number, end: number): string {
  return html.slice(start, Math.min(end, start + 20)).toLowerCase();
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();

function lines(text: string): string {
  return text
    .split('\n')
    .map(oneLine)
    .filter((line) => line !== '')
    .join('\n');
}
