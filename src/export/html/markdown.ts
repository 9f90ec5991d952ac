/** Converts a reply's Markdown to HTML in which no HTML of the model is interpreted. */
import type { RendererObject, Tokens } from 'marked';
import { boundMarkdown } from '../../protocol/text/boundMarkdown.ts';
import { plainText } from '../plainText.ts';
import { escapeHtml } from './escapeHtml.ts';
import type { Highlighter } from './highlight.ts';

/** Longer texts are shown unformatted, because parsing could take long. */
const MAX_CHARACTERS = 200_000;

export async function loadMarkdown(highlight: Highlighter): Promise<(text: string) => string> {
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
