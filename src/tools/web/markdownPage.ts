/** Converts a page's layout to Markdown for a model: headings, lists, code, tables and links, without decoration. */
import TurndownService from 'turndown';
import type { PageNode } from './pageDom.ts';

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
  rule('cell', ['th', 'td'], (content) => ` ${content.trim().replace(/\s*\n\s*/g, ' ')} |`);
  rule('row', 'tr', (content) => `\n|${content}`);
  rule('section', ['thead', 'tbody', 'tfoot'], (content) => content);
  rule('caption', 'caption', (content) => `${content.trim()}\n`);
  rule('table', 'table', table);
  return service.turndown(root as unknown as TurndownService.Node).trim();
}

type Replace = (content: string, node: PageNode) => string;

function codeBlock(node: PageNode): string {
  const code = node.textContent.replace(/^\n|\s+$/g, '');
  if (code === '') return '';
  const runs = code.match(/`{3,}/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3));
  return `\n\n${fence}${languageOf(node)}\n${code}\n${fence}\n\n`;
}

/** In the notation of syntax highlighters: a class on the block, on the code in it, or on its parent. */
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
  return href === null ? content : `[${text.replace(/\s*\n\s*/g, ' ')}](${href})`;
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
