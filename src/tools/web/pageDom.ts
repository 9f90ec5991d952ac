/** Parses a web page into a document without running anything; removes invisible content and makes links absolute. */
import { parseHTML } from 'linkedom';

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

/** Pages may omit `html`, `head` and `body`, but the parser does not add them, so every page gets new ones. */
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
