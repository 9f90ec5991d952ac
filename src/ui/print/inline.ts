/** Markdown inside a paragraph to spans. Line ends stay: models mean them. */
import type { Token } from 'marked';
import type { Paint, Theme } from '../theme.ts';
import type { Span } from './spans.ts';

export interface InlineStyle {
  readonly theme: Theme;
  /** Write links as terminal hyperlinks (OSC 8) rather than with their address behind them. */
  readonly hyperlinks: boolean;
}

/** Emphasis, code, links and line breaks; what is not known is shown as written. */
export function inlineSpans(tokens: readonly Token[], style: InlineStyle, paint?: Paint): Span[] {
  return tokens.flatMap((token) => spansOf(token, style, paint));
}

function spansOf(token: Token, style: InlineStyle, paint: Paint | undefined): Span[] {
  const { theme } = style;
  const children: readonly Token[] = 'tokens' in token ? (token.tokens ?? []) : [];
  const inside = (own: Paint): Span[] => inlineSpans(children, style, nest(own, paint));
  switch (token.type) {
    case 'strong':
      return inside(theme.strong);
    case 'em':
      return inside(theme.italic);
    case 'del':
      return inside(theme.strike);
    case 'codespan':
      return [{ text: theme.plain ? `\`${token.text}\`` : token.text, paint: nest(theme.inlineCode, paint) }];
    case 'br':
      return [{ text: '\n' }];
    case 'link':
      return link(String(token.href), inside(theme.link), style);
    case 'image':
      return link(String(token.href), [{ text: token.text || 'image', paint: theme.link }], style);
    case 'html':
      return [{ text: /^<br\s*\/?>$/i.test(token.raw.trim()) ? '\n' : token.raw, paint }];
    case 'checkbox':
      return [];
    case 'escape':
      return [{ text: token.text, paint }];
    case 'text':
      return children.length === 0
        ? [{ text: decodeEntities(token.text), paint }]
        : inlineSpans(children, style, paint);
    default:
      return [{ text: token.raw, paint }];
  }
}

function link(address: string, label: Span[], { theme, hyperlinks }: InlineStyle): Span[] {
  const text = label.map((span) => span.text).join('');
  if (hyperlinks && !theme.plain)
    return label.map((span) => ({ ...span, paint: linked(address, span.paint) }));
  if (text === address || `mailto:${text}` === address || address === '') return label;
  return [...label, { text: ` (${address})`, paint: theme.dim }];
}

function linked(address: string, paint: Paint = (text) => text): Paint {
  return (text) => `\u001b]8;;${encodeURI(decodeSafely(address))}\u0007${paint(text)}\u001b]8;;\u0007`;
}

function decodeSafely(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}

function nest(inner: Paint, outer: Paint | undefined): Paint {
  return outer === undefined ? inner : (text) => outer(inner(text));
}

const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
};

function decodeEntities(text: string): string {
  return text.includes('&')
    ? text.replace(/&(?:lt|gt|amp|quot|#39|nbsp);/g, (all) => entities[all] ?? all)
    : text;
}
