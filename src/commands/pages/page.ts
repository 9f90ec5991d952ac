/** What a command shows when it is more than a sentence: lines whose parts have a role, for any width. */

/** What a piece of text is, so that whoever shows it may paint it; the parts of a request by their names. */
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
  /** Columns by which what does not fit is indented on the lines that follow. */
  readonly hang: number;
}

/** Laid out for so many columns; a line may still be longer, and is then wrapped. */
export type Page = (columns: number) => readonly PageLine[];

/** Columns of a page that is shown nowhere in particular: a pipe, a file. */
export const PLAIN_COLUMNS = 80;

/** A line of these pieces; by default what follows is indented as the line itself. */
export function pageLine(...pieces: readonly (string | PageSpan)[]): PageLine {
  const spans = pieces.map((piece) => (typeof piece === 'string' ? { text: piece } : piece));
  const text = spans.map((span) => span.text).join('');
  return { spans, hang: text.length - text.trimStart().length };
}

/** The same line with what follows indented by `hang` columns. */
export function hanging(line: PageLine, hang: number): PageLine {
  return { ...line, hang };
}

export const blankLine: PageLine = { spans: [], hang: 0 };

/** A heading. */
export function heading(text: string): PageLine {
  return pageLine({ text, role: 'strong' });
}

/** Text of any length, a line for each of its lines, indented. */
export function textLines(text: string, indent: number, role?: Role): readonly PageLine[] {
  return text.split('\n').map((one) => {
    const body = ' '.repeat(indent) + one.trimEnd();
    return one.trim() === '' ? blankLine : pageLine(role === undefined ? body : { text: body, role });
  });
}

/** Without colours and without wrapping. */
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
