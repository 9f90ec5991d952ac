/** Converts a page's layout to Markdown for a model: headings, lists, code, tables and links, without decoration. */

import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { joinLines } from '../../protocol/text/trimming.ts';

/** Converts an element. May be slow, or overflow the stack, on very deep nesting. */
export function markdownOf(root: PageNode): string {
  const service = new TurndownService({
    headingStyle: 'atx',
    hr: '---',
    bulletListMarker: '-',
    codeBlockStyle: 'fenced',
    emDelimiter: '*',
  });
  // Backslashes before every `_` would cost tokens and break names, and the text is never rendered.
  service.escape = (text) => text;
  const rule = (name: string, filter: TurndownService.Filter, replace: Replace): void => {
    service.addRule(name, {
      filter,
      replacement: (content, node) => replace(content, node as unknown as PageNode),
    });
  };
  const numbers = new WeakMap<PageNode, number>();
  rule('codeBlock', 'pre', (_, node) => codeBlock(node));
  rule('link', 'a', link);
  rule('image', 'img', (_, node) => image(node));
  rule('listItem', 'li', (content, node) => listItem(content, node, numbers));
  rule('cell', ['th', 'td'], (content) => ` ${joinLines(content.trim(), ' ')} |`);
  rule('row', 'tr', (content) => `\n|${content}`);
  rule('section', ['thead', 'tbody', 'tfoot'], (content) => content);
  rule('caption', 'caption', (content) => `${content.trim()}\n`);
  rule('table', 'table', table);
  return service.turndown(root as unknown as TurndownService.Node).trim();
}

type Replace = (content: string, node: PageNode) => string;

function codeBlock(node: PageNode): string {
  const code = node.textContent.replace(/^\n/, '').trimEnd();
  if (code === '') return '';
  const runs = code.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`;
}

/** The language from a syntax highlighter's class on the block, on the code in it, or on its parent. */
function languageOf(node: PageNode): string {
  for (const one of [node.firstChild, node, node.parentNode]) {
    const classes = typeof one?.className === 'string' ? one.className : '';
    const language = /(?:^|\s)(?:lang(?:uage)?|highlight(?:-(?:source|text))?)-([\w+#-]+)/.exec(classes)?.[1];
    if (language !== undefined) return language;
  }
  return '';
}

function link(content: string, node: PageNode): string {
  const text = content.trim();
  // Markers next to headings that link to themselves.
  if (/^[¶#§🔗]?$/u.test(text)) return '';
  const href = node.getAttribute('href');
  return href === null ? content : `[${joinLines(text, ' ')}](${href})`;
}

function image(node: PageNode): string {
  const alt = (node.getAttribute('alt') ?? '').trim().replace(/\s+/g, ' ');
  const source = node.getAttribute('src');
  return alt === '' || source === null ? alt : `![${alt}](${source})`;
}

function listItem(content: string, node: PageNode, numbers: WeakMap<PageNode, number>): string {
  const { parentNode: list } = node;
  let mark = '- ';
  if (list?.nodeName === 'OL') {
    const start = Number.parseInt(list.getAttribute('start') ?? '1', 10);
    const number = numbers.get(list) ?? (Number.isNaN(start) ? 1 : start);
    numbers.set(list, number + 1);
    mark = `${number}. `;
  }
  const body = content.trim().replace(/\n(?!\n)/g, `\n${' '.repeat(mark.length)}`);
  return `${mark}${body}\n`;
}

/** Rows arrive as `| a | b |`; tables with one column, used for layout only, become plain lines. */
function table(content: string): string {
  const lines = content.split('\n').filter((line) => line.trim() !== '');
  const rows = lines.filter((line) => line.startsWith('|'));
  const columns = rows.reduce((most, row) => Math.max(most, row.split(' |').length - 1), 0);
  if (columns < 2) return `\n\n${rows.map((row) => row.replace(/^\| ?| \|$/g, '')).join('\n')}\n\n`;
  const first = lines.findIndex((line) => line.startsWith('|'));
  const ruled = [...lines.slice(0, first + 1), `|${' --- |'.repeat(columns)}`, ...lines.slice(first + 1)];
  return `\n\n${ruled.join('\n')}\n\n`;
}

// Parses a web page into a document without running anything; removes invisible content and makes links absolute.

/** The part of the DOM that is used here. */
export interface PageNode {
  readonly nodeType: number;
  readonly nodeName: string;
  readonly nodeValue: string | null;
  readonly firstChild: PageNode | null;
  readonly nextSibling: PageNode | null;
  readonly parentNode: PageNode | null;
  readonly textContent: string;
  readonly childNodes: Iterable<PageNode>;
  readonly className?: unknown;
  readonly getAttribute: (name: string) => string | null;
  readonly setAttribute: (name: string, value: string) => void;
  readonly removeAttribute: (name: string) => void;
  readonly remove: () => void;
}

export interface PageDocument {
  readonly title: string;
  readonly body: PageNode;
  readonly cloneNode: (deep: true) => PageDocument;
}

const ELEMENT = 1;
const unread =
  /^(?:SCRIPT|STYLE|TEMPLATE|NOSCRIPT|SVG|IFRAME|OBJECT|EMBED|CANVAS|AUDIO|VIDEO|TITLE|DIALOG|BUTTON|SELECT|INPUT|TEXTAREA)$/i;

/** Parses and cleans the page. Makes links absolute; removes those with script or data URLs. */
export function parsePage(html: string, title: string, address: string): PageDocument {
  const document = parseHTML(framed(html, title)).document as unknown as PageDocument;
  const dropped: PageNode[] = [];
  let base = address;
  walk(document.body, (node) => {
    if (node.nodeType !== ELEMENT) return true;
    if (unread.test(node.nodeName) || isHidden(node)) {
      dropped.push(node);
      return false;
    }
    if (node.nodeName === 'BASE') base = absolute(node.getAttribute('href'), address) ?? base;
    if (node.nodeName === 'A') makeAbsolute(node, 'href', base);
    if (node.nodeName === 'IMG') makeAbsolute(node, 'src', base);
    return true;
  });
  for (const node of dropped) node.remove();
  return document;
}

/** Replaces `html`, `head` and `body`: pages may omit them, and the parser does not add them. */
function framed(html: string, title: string): string {
  const content = html.replace(/<(?:!doctype|\/?(?:html|head|body))\b[^<>]*>/gi, '');
  const name = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><html><head><title>${name}</title></head><body>${content}</body></html>`;
}

/**
 * Visits a tree in document order without recursion: a page may be nested deeper than the stack. `enter` returns
 * whether to visit the node's children.
 */
function walk(root: PageNode, enter: (node: PageNode) => boolean): void {
  let node: PageNode | null = root;
  while (node !== null) {
    let next: PageNode | null = enter(node) ? node.firstChild : null;
    for (
      let done: PageNode | null = node;
      next === null && done !== null && done !== root;
      done = done.parentNode
    )
      next = done.nextSibling;
    node = next;
  }
}

/** Content that the page hides from readers is hidden from the model too. */
function isHidden(node: PageNode): boolean {
  if (node.getAttribute('hidden') !== null) return true;
  const style = node.getAttribute('style');
  return style !== null && /display\s*:\s*none|visibility\s*:\s*hidden/i.test(style);
}

function makeAbsolute(node: PageNode, attribute: string, base: string): void {
  const value = node.getAttribute(attribute);
  if (value === null) return;
  const url = value.startsWith('#') ? undefined : absolute(value, base);
  if (url === undefined) node.removeAttribute(attribute);
  else node.setAttribute(attribute, url);
}

function absolute(value: string | null, base: string): string | undefined {
  if (value === null || !URL.canParse(value, base)) return undefined;
  const url = new URL(value, base);
  return /^(?:https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}
