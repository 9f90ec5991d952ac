/** Command output longer than a sentence: lines of spans with roles, laid out for any width. */

/** The role of a span, from which the screen picks its colour; includes the parts of a request. */
export type Role =
  | 'strong'
  | 'dim'
  | 'accent'
  | 'success'
  | 'warning'
  | 'error'
  | 'tools'
  | 'system'
  | 'instructions'
  | 'summary'
  | 'memories'
  | 'masked'
  | 'history'
  | 'input'
  | 'reminder';

export interface PageSpan {
  readonly text: string;
  readonly role?: Role;
}

export interface PageLine {
  readonly spans: readonly PageSpan[];
  /** Indentation, in columns, of continuation lines after wrapping. */
  readonly hang: number;
}

/** Lays out a page for a width in columns; longer lines are wrapped later. */
export type Page = (columns: number) => readonly PageLine[];

/** Page width for output without a terminal: a pipe or a file. */
const PLAIN_COLUMNS = 80;

/** Makes a line; continuation lines are indented like the line itself by default. */
export function pageLine(...pieces: readonly (string | PageSpan)[]): PageLine {
  const spans = pieces.map((piece) => (typeof piece === 'string' ? { text: piece } : piece));
  const text = spans.map((span) => span.text).join('');
  return { spans, hang: text.length - text.trimStart().length };
}

/** Returns the line with continuation lines indented by `hang` columns. */
export function hanging(line: PageLine, hang: number): PageLine {
  return { ...line, hang };
}

export const blankLine: PageLine = { spans: [], hang: 0 };

/** Makes a heading line. */
export function heading(text: string): PageLine {
  return pageLine({ text, role: 'strong' });
}

/** Splits text into indented lines. */
export function textLines(text: string, indent: number, role?: Role): readonly PageLine[] {
  return text.split('\n').map((one) => {
    const body = ' '.repeat(indent) + one.trimEnd();
    return one.trim() === '' ? blankLine : pageLine(role === undefined ? body : { text: body, role });
  });
}

/** Returns the page's text without colours and wrapping. */
export function plainText(page: Page, columns = PLAIN_COLUMNS): string {
  return page(columns)
    .map(({ spans }) =>
      spans
        .map(({ text }) => text)
        .join('')
        .trimEnd(),
    )
    .join('\n');
}
