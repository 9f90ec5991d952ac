/** A web page as a document: parsed without running anything, rid of what nobody reads, its links made whole. */
import { parseHTML } from 'linkedom';

/** The little of the DOM that is used here. */
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

/** Parses and cleans. Links become absolute, those that are scripts or data are taken away. */
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

/** The parser adds no `html`, `head` and `body` where a page leaves them out, as it may. So each page gets new ones. */
function framed(html: string, title: string): string {
  const content = html.replace(/<(?:!doctype|\/?(?:html|head|body))\b[^<>]*>/gi, '');
  const name = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><html><head><title>${name}</title></head><body>${content}</body></html>`;
}

/**
 * Goes through a tree in order, without recursion: a page may be nested deeper than the stack. `enter` returns
 * whether to go below the node.
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

/** What the page hides from a reader is hidden from the model too. */
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
