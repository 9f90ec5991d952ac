/** The parts of a turn as HTML. */
import type { RendererObject, Tokens } from 'marked';
import { boundMarkdown } from '../../protocol/text/boundMarkdown.ts';
import { diffSize, type RawDiffLine, readDiff } from '../../protocol/text/diff.ts';
import { reveal } from '../../protocol/text/reveal.ts';
import { toolNames } from '../../protocol/toolNames.ts';
import { callLine, languageOf, plainLine, plainText } from '../items.ts';
import type { ExportItem } from '../types.ts';

type Of<T extends ExportItem['type']> = Extract<ExportItem, { type: T }>;

export interface Blocks {
  reply(item: Of<'reply'>): string;
  call(item: Of<'call'>): string;
  shell(item: Of<'shell'>): string;
  note(item: Of<'note'>): string;
}

export async function createBlocks(): Promise<Blocks> {
  const highlight = await loadHighlighter();
  const markdown = await loadMarkdown(highlight);
  return {
    reply({ text, reasoning, cut }) {
      const thought =
        reasoning === undefined
          ? ''
          : `<details><summary>Reasoning</summary><div class="reasoning" dir="auto">${escapeHtml(reasoning)}</div></details>\n`;
      const end =
        cut === undefined
          ? ''
          : `<p class="cut">This reply was ${cut === 'failed' ? 'cut off' : 'stopped'}.</p>\n`;
      return `${thought}<div class="reply">${markdown(text)}</div>\n${end}`;
    },
    call: (item) => callOf(item, highlight),
    shell({ command, output }) {
      const shown = output === undefined ? '' : pre(output);
      return `<details><summary><b>You ran</b> <code>${escapeHtml(callLine(command, toolNames.bash))}</code></summary>${pre(reveal(command, true))}${shown}</details>\n`;
    },
    note({ text, body }) {
      if (body === undefined) return `<p class="note" dir="auto">${escapeHtml(text)}</p>\n`;
      return `<details><summary dir="auto">${escapeHtml(text)}</summary>${pre(body)}</details>\n`;
    },
  };
}

function callOf(
  { tool, title, summary, input, output, diff, status }: Of<'call'>,
  highlight: Highlighter,
): string {
  const name = plainLine(title).startsWith(tool) ? '' : `<b>${escapeHtml(tool)}</b> `;
  const outcome = status === 'ok' ? '' : ` <span class="bad">${escapeHtml(status)}</span>`;
  const words = summary === undefined ? '' : ` · ${escapeHtml(plainLine(summary))}`;
  const head = `<summary>${name}<bdi>${escapeHtml(callLine(title, tool))}</bdi>${words}${countOf(diff)}${outcome}</summary>`;
  const asked = isEmpty(input)
    ? ''
    : `<p class="label">Input</p>${pre(reveal(JSON.stringify(input, undefined, 2)))}`;
  const answer =
    diff === undefined ? answerOf(output, tool === toolNames.read ? title : '', highlight) : diffOf(diff);
  return `<details>${head}${asked}${answer}</details>\n`;
}

function answerOf(output: string | undefined, file: string, highlight: Highlighter): string {
  if (output === undefined || output === '') return '';
  const colored = file === '' ? undefined : highlight(output, languageOf(file));
  return `<p class="label">Output</p>${colored === undefined ? pre(output) : `<pre><code>${colored}</code></pre>`}`;
}

function countOf(diff: string | undefined): string {
  if (diff === undefined) return '';
  const { added, removed } = diffSize(diff);
  return ` <span class="plus">+${added}</span> <span class="minus">−${removed}</span>`;
}

function pre(text: string): string {
  return `<pre>\n${escapeHtml(text)}</pre>`;
}

function isEmpty(input: unknown): boolean {
  return typeof input === 'object' && input !== null && Object.keys(input).length === 0;
}

/** A unified diff, with each line colored by kind. */
function diffOf(diff: string): string {
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

// Converts a reply's Markdown to HTML in which no HTML of the model is interpreted.

/** Longer texts are shown unformatted, because parsing could take long. */
const MAX_CHARACTERS = 200_000;

async function loadMarkdown(highlight: Highlighter): Promise<(text: string) => string> {
  const { Lexer, Marked, Tokenizer } = await import('marked');
  const marked = new Marked({ gfm: true, async: false, renderer: rendererOf(highlight) });
  return (text) => {
    const plain = plainText(text);
    if (plain.length > MAX_CHARACTERS) return `<pre>\n${escapeHtml(plain)}</pre>`;
    try {
      const lexer = new Lexer({ ...marked.defaults, tokenizer: boundMarkdown(new Tokenizer()) });
      return marked.parser(lexer.lex(plain), marked.defaults);
    } catch {
      return `<pre>\n${escapeHtml(plain)}</pre>`;
    }
  };
}

/** Overrides everything that marked would output unescaped, or where direction or links matter. */
function rendererOf(highlight: Highlighter): RendererObject {
  return {
    html: ({ text }) => escapeHtml(text),
    paragraph(token) {
      return `<p dir="auto">${this.parser.parseInline(token.tokens)}</p>\n`;
    },
    heading(token) {
      const level = Math.min(6, token.depth + 2);
      return `<h${level} dir="auto">${this.parser.parseInline(token.tokens)}</h${level}>\n`;
    },
    code: ({ text, lang = '' }: Tokens.Code) => {
      const language = /^[\w#+.-]*/.exec(lang)?.[0] ?? '';
      return `<pre><code>${highlight(text, language) ?? escapeHtml(text)}</code></pre>\n`;
    },
    codespan: ({ text }) => `<code>${escapeHtml(text)}</code>`,
    link(token) {
      const inside = this.parser.parseInline(token.tokens);
      return isSafe(token.href)
        ? `<a href="${escapeHtml(token.href)}" rel="noreferrer noopener">${inside}</a>`
        : inside;
    },
    // The page loads nothing: an image becomes its text with a link.
    image: ({ href, text }) => {
      const words = `[image: ${escapeHtml(text)}]`;
      return isSafe(href) ? `<a href="${escapeHtml(href)}" rel="noreferrer noopener">${words}</a>` : words;
    },
    text(token) {
      return 'tokens' in token && token.tokens !== undefined
        ? this.parser.parseInline(token.tokens)
        : escapeHtml(unescaped(token.text));
    },
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  };
}

function isSafe(href: string): boolean {
  return /^(?:https?:\/\/|mailto:)[^\s]/i.test(href);
}

/** marked has already escaped some texts; escaping them again would make the entities visible. */
function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => marks[name] ?? '');
}

const marks: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Escapes text for HTML, and shows invisible characters as code points. */
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

// Converts code to highlighted HTML. Loads lowlight's grammars with the first page that is written.

/** Returns HTML, or undefined if the language is unknown or the code too large. */
type Highlighter = (code: string, language: string) => string | undefined;

const MAX_HIGHLIGHTED = 20_000;
const MAX_LINE = 2000;

async function loadHighlighter(): Promise<Highlighter> {
  const { common, createLowlight } = await import('lowlight');
  const lowlight = createLowlight(common);
  return (code, language) => {
    const name = language.toLowerCase();
    if (name === '' || code.length > MAX_HIGHLIGHTED || !lowlight.registered(name)) return undefined;
    if (code.split('\n').some((line) => line.length > MAX_LINE)) return undefined;
    return htmlOf(lowlight.highlight(name, code));
  };
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

function htmlOf({ value, properties, children = [] }: Node): string {
  if (value !== undefined) return escapeHtml(value);
  const inside = children.map(htmlOf).join('');
  const role = roleOf(properties?.className);
  return role === undefined ? inside : `<span class="${role}">${inside}</span>`;
}

function roleOf(className: unknown): string | undefined {
  const names = Array.isArray(className) ? className.map(String) : [];
  return names.map((name) => roles[name.replace(/^hljs-/, '')]).find((role) => role !== undefined);
}

const roles: Readonly<Record<string, string>> = {
  keyword: 'k',
  'selector-tag': 'k',
  literal: 'n',
  number: 'n',
  string: 's',
  regexp: 's',
  attr: 'f',
  attribute: 'f',
  title: 'f',
  name: 'f',
  built_in: 'f',
  type: 'f',
  comment: 'c',
  quote: 'c',
  meta: 'c',
};
