/** Renders a command's page for the scrollback: wrapped to the width and colored by role. */
import type { Page, PageLine, Role } from '../../commands/pages/page.ts';
import type { Paint } from '../theme/paints.ts';
import type { Theme } from '../theme/theme.ts';
import { shownLine } from './sanitize.ts';
import { type Span, wrapSpans } from './spans.ts';
import { textWidth } from './width.ts';

/** Renders the page in lines of at most `width` columns. */
export function renderPage(page: Page, width: number, theme: Theme): string {
  return page(width)
    .flatMap((line) => renderLine(line, width, theme))
    .join('\n');
}

/** Wraps a line at spaces. Trailing spaces before a span are kept, so that columns stay aligned. */
function renderLine({ spans, hang }: PageLine, width: number, theme: Theme): string[] {
  const styled = spans.map(
    ({ text, role }): Span => ({ text: shownLine(text), paint: paintOf(role, theme) }),
  );
  const text = styled.map((span) => span.text).join('');
  if (textWidth(text) <= width) return [paint(styled)];
  const indent = Math.min(hang, Math.floor(width / 2));
  const [first = [], ...rest] = wrapSpans(styled, width);
  if (rest.length === 0) return [paint(first)];
  // The following lines are narrower, so wrap them separately.
  const shown = first.map((span) => span.text).join('').length;
  const left = wrapSpans(skip(styled, shown), width - indent);
  // Keeps a label from standing alone above a value without spaces, such as a long path.
  const gap = indent === hang ? indent - textWidth(first.map((span) => span.text).join('')) : 0;
  const [value = [], ...others] = gap > 0 ? left : [[], ...left];
  return [
    paint(value.length === 0 ? first : [...first, { text: ' '.repeat(gap) }, ...value]),
    ...others.map((line) => ' '.repeat(indent) + paint(line)),
  ];
}

/** Drops the first `characters` characters, and the spaces that follow them. */
function skip(spans: readonly Span[], characters: number): Span[] {
  let left = characters;
  const rest = spans.flatMap((span) => {
    const cut = Math.min(left, span.text.length);
    left -= cut;
    return cut === span.text.length ? [] : [{ ...span, text: span.text.slice(cut) }];
  });
  const [head, ...others] = rest;
  if (head === undefined) return [];
  const text = head.text.trimStart();
  return text === '' ? skip(others, 0) : [{ ...head, text }, ...others];
}

function paint(spans: readonly Span[]): string {
  const last = spans.findLastIndex(({ text }) => text.trimEnd() !== '');
  return spans
    .slice(0, last + 1)
    .map(({ text, paint: one }, index) => {
      const shown = index === last ? text.trimEnd() : text;
      return one === undefined || shown === '' ? shown : one(shown);
    })
    .join('');
}

function paintOf(role: Role | undefined, theme: Theme): Paint | undefined {
  switch (role) {
    case undefined:
      return undefined;
    case 'strong':
    case 'dim':
    case 'accent':
    case 'success':
    case 'warning':
    case 'error':
      return theme[role];
    case 'tools':
      return theme.code.keyword;
    case 'system':
      return theme.code.title;
    case 'instructions':
      return theme.code.attribute;
    case 'summary':
      return theme.accent;
    case 'memories':
      return theme.code.type;
    case 'masked':
      return theme.dim;
    case 'history':
      return theme.success;
    case 'input':
      return theme.code.variable;
    case 'reminder':
      return theme.code.number;
  }
}
