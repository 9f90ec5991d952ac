/** Syntax highlighting. lowlight and its grammars load on demand, after the first frame. */
import type { CodeRole } from '../theme/palettes.ts';
import type { Theme } from '../theme/theme.ts';
import type { Span } from './spans.ts';

/** Returns `undefined` if the language is unknown or the code is too large; it is then printed plain. */
export type Highlighter = (code: string, language: string, theme: Theme) => Span[] | undefined;

/** Above this a grammar may take noticeable time, and colors no longer matter to the reader. */
const maxCharacters = 40_000;
const maxLineCharacters = 2000;

/** Loads the grammars of lowlight's common languages (37). */
export async function loadHighlighter(): Promise<Highlighter> {
  const { common, createLowlight } = await import('lowlight');
  const lowlight = createLowlight(common);
  return (code, language, theme) => {
    const name = language.toLowerCase();
    if (theme.plain || name === '' || !lowlight.registered(name)) return undefined;
    if (code.length > maxCharacters || code.split('\n').some((line) => line.length > maxLineCharacters))
      return undefined;
    const spans: Span[] = [];
    collect(lowlight.highlight(name, code), undefined, theme, spans);
    return spans;
  };
}

interface Node {
  readonly type: string;
  readonly value?: string;
  readonly properties?: { readonly className?: unknown };
  readonly children?: readonly Node[];
}

function collect(node: Node, paint: Span['paint'], theme: Theme, spans: Span[]): void {
  if (node.value !== undefined) spans.push({ text: node.value, paint });
  const own = paintOf(node, theme) ?? paint;
  for (const child of node.children ?? []) collect(child, own, theme, spans);
}

function paintOf(node: Node, theme: Theme): Span['paint'] {
  const names = node.properties?.className;
  if (!Array.isArray(names)) return undefined;
  for (const name of names) {
    const key = String(name).replace(/^hljs-/, '');
    if (key === 'addition') return theme.added;
    if (key === 'deletion') return theme.removed;
    const role = roles[key];
    if (role !== undefined) return theme.code[role];
  }
  return undefined;
}

const roles: Readonly<Record<string, CodeRole>> = {
  keyword: 'keyword',
  'selector-tag': 'keyword',
  literal: 'number',
  number: 'number',
  string: 'string',
  regexp: 'string',
  char: 'string',
  link: 'string',
  comment: 'comment',
  quote: 'comment',
  doctag: 'comment',
  title: 'title',
  section: 'title',
  'selector-id': 'title',
  'selector-class': 'title',
  name: 'title',
  type: 'type',
  built_in: 'type',
  variable: 'variable',
  'template-variable': 'variable',
  symbol: 'variable',
  bullet: 'variable',
  attr: 'attribute',
  attribute: 'attribute',
  property: 'attribute',
  'selector-attr': 'attribute',
  meta: 'meta',
  tag: 'meta',
};
