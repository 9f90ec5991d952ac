/** Converts code to highlighted HTML. Loads lowlight's grammars with the first page that is written. */
import { escapeHtml } from './escapeHtml.ts';

/** Returns HTML, or undefined if the language is unknown or the code too large. */
export type Highlighter = (code: string, language: string) => string | undefined;

const MAX_CHARACTERS = 20_000;
const MAX_LINE = 2000;

export async function loadHighlighter(): Promise<Highlighter> {
  const { common, createLowlight } = await import('lowlight');
  const lowlight = createLowlight(common);
  return (code, language) => {
    const name = language.toLowerCase();
    if (name === '' || code.length > MAX_CHARACTERS || !lowlight.registered(name)) return undefined;
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
