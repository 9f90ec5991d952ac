/**
 * Converts a page's HTML to text for a model: the article if there is one, otherwise the entire page. Slow: see
 * `pageWorker.ts`.
 */

import { isUtf8 } from 'node:buffer';
import { isProbablyReaderable, Readability } from '@mozilla/readability';
import { Tokenizer } from 'htmlparser2';
import { markdownOf, type PageDocument, type PageNode, parsePage } from './markdownPage.ts';

interface ReadablePage {
  readonly title: string;
  readonly text: string;
  /** Bare text, without headings, lists, tables and links. */
  readonly rough: boolean;
}

/** Readability takes half a minute for a thousand levels; real pages have a few dozen. */
const MAX_ARTICLE_DEPTH = 120;
/** Turndown recurses once per level, and parsing time grows with the square of the depth. */
const MAX_LAYOUT_DEPTH = 1000;
/** A larger tree would not fit into the thread's memory, at about 1 kB per element. */
const MAX_ELEMENTS = 400_000;
/** In characters. A shorter article that is less than half of the page is more likely a teaser. */
const MIN_ARTICLE = 500;

/**
 * Yields increasingly better results: first bare text, which always works, then Markdown. A caller that runs out of time
 * uses the last one. May throw after the first, on pages that the libraries cannot handle.
 */
export function* readablePage(html: string, address: string): Generator<ReadablePage> {
  const { title, text, depth, elements } = plainPage(html);
  yield { title, text, rough: text !== '' };
  if (depth > MAX_LAYOUT_DEPTH || elements > MAX_ELEMENTS) return;
  const document = parsePage(html, title, address);
  const article = depth > MAX_ARTICLE_DEPTH ? undefined : findArticle(document, text.length);
  const markdown = markdownOf(article?.content ?? document.body);
  if (markdown !== '') yield { title: article?.title?.trim() || title, text: markdown, rough: false };
}

function findArticle(document: PageDocument, total: number) {
  if (!isProbablyReaderable(document as unknown as Whole)) return undefined;
  // Readability modifies its document, so it gets a copy.
  const reader = new Readability<PageNode>(document.cloneNode(true) as unknown as Whole, {
    keepClasses: true,
    serializer: (element: unknown) => element as PageNode,
  });
  const article = reader.parse();
  const length = article?.length ?? 0;
  if (article?.content == null || (length < MIN_ARTICLE && length * 2 < total)) return undefined;
  return { title: article.title, content: article.content };
}

/** The library's own document type. */
type Whole = ConstructorParameters<typeof Readability>[0];

// Decodes bytes to text: by byte order mark, then header, then the page's own declaration, then a guess.

/** Browsers search this many bytes for an encoding declaration (HTML standard: 1,024). */
const HEAD_BYTES = 1024;

/** Decodes the bytes; invalid sequences become U+FFFD. The result is well-formed. */
export function decodePage(bytes: Uint8Array, charset: string | undefined, isHtml: boolean): string {
  const encoding =
    markOf(bytes) ?? decoderFor(charset) ?? (isHtml ? decoderFor(declaredCharset(bytes)) : undefined);
  const decoder = encoding ?? new TextDecoder(looksUtf8(bytes) ? 'utf-8' : 'windows-1252');
  return decoder.decode(bytes).toWellFormed();
}

function markOf(bytes: Uint8Array): TextDecoder | undefined {
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be');
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le');
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return new TextDecoder('utf-8');
  return undefined;
}

function decoderFor(label: string | undefined): TextDecoder | undefined {
  try {
    return label === undefined ? undefined : new TextDecoder(label.trim());
  } catch {
    return undefined;
  }
}

/** `<meta charset=…>` or `<meta http-equiv=… content="…; charset=…">`, or an XML declaration. */
function declaredCharset(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  const label =
    /<meta\b[^>]*?\bcharset\s*=\s*["']?([^\s"'/>;]+)/i.exec(head)?.[1] ??
    /^<\?xml\b[^>]*?\bencoding\s*=\s*["']([^"']+)/i.exec(head)?.[1];
  // If the declaration could be read as latin1, the page is not UTF-16, whatever it declares.
  return label !== undefined && /^utf-?16/i.test(label) ? 'utf-8' : label;
}

/** Ignores an incomplete last character, which may have been cut off. */
function looksUtf8(bytes: Uint8Array): boolean {
  return isUtf8(bytes.subarray(0, bytes.length - openEnd(bytes)));
}

/** The number of bytes at the end that begin a character without completing it. */
function openEnd(bytes: Uint8Array): number {
  for (let length = 1; length <= 3; length += 1) {
    const byte = bytes[bytes.length - length] ?? 0;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    if (needed > 1) return needed > length ? length : 0;
    if (byte < 0x80) return 0;
  }
  return 0;
}

// Extracts a page's text without layout, and measures its structure, without building a tree: in linear time and
// without recursion, even on hostile pages.

interface PlainPage {
  readonly title: string;
  /** Each block on separate lines, spaces collapsed. */
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
  const addText = (text: string): void => {
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
    else if (block.test(name)) addText('\n');
    else if (name === 'td' || name === 'th') addText(' ');
  };
  const close = (start: number, end: number): void => {
    const name = nameAt(html, start, end);
    if (!shallow.test(name)) depth = Math.max(0, depth - 1);
    if (skipped?.name === name && --skipped.levels === 0) skipped = undefined;
    else if (name === 'title') isTitle = false;
    else if (block.test(name)) addText('\n');
  };
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      ontext: (start, end) => addText(html.slice(start, end)),
      ontextentity: (codepoint) => addText(String.fromCodePoint(codepoint)),
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
