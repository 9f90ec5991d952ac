/** Front matter of Markdown files: the YAML between two lines of `---` at the top. */

import { isRecord } from '../protocol/json.ts';
import { splitFrontMatter } from '../protocol/text/frontMatter.ts';
import { visibleText } from '../protocol/text/visible.ts';

interface FrontMatter {
  /** The parsed YAML values; if the text is not valid YAML, each `key: value` line as a string. */
  readonly values: Readonly<Record<string, unknown>>;
  /** The text after the front matter. */
  readonly body: string;
}

/** Splits a file into front matter and body. A file without front matter consists only of the body. */
export async function readFrontMatter(text: string): Promise<FrontMatter> {
  const { yaml, body } = splitFrontMatter(text);
  return { values: yaml === undefined ? {} : await parseYaml(yaml), body };
}

/** With more lines or marks the parser can take seconds; a real skill has only a few. */
const MAX_LINES = 500;
const MAX_MARKS = 500;

async function parseYaml(yaml: string): Promise<Readonly<Record<string, unknown>>> {
  if (yaml.split('\n').length > MAX_LINES || yaml.split(/[[{?!]|-[ \t]/).length > MAX_MARKS)
    return readLines(yaml);
  const { parse } = await import('yaml');
  try {
    // Aliases could expand a few lines to gigabytes.
    const value: unknown = parse(yaml, { maxAliasCount: 0, logLevel: 'error' });
    return isRecord(value) ? value : {};
  } catch {
    return readLines(yaml);
  }
}

/** Reads `key: value` lines as strings: descriptions often contain an unquoted colon, which is not valid YAML. */
function readLines(yaml: string): Readonly<Record<string, unknown>> {
  const values: [string, string][] = [];
  for (const line of yaml.split('\n')) {
    const [, key, value = ''] = /^([A-Za-z][\w-]*):[ \t]*(.*)$/.exec(line) ?? [];
    if (key !== undefined) values.push([key, value.trim()]);
  }
  return Object.fromEntries(values);
}

/** Formats a value as one line of text; undefined if missing or empty. */
export function textValue(value: unknown): string | undefined {
  // `argument-hint: [issue] ` is a list for YAML.
  const text = Array.isArray(value) ? `[${itemsOf(value).join(', ')}]` : scalarText(value);
  const line = visibleText(text).replace(/\s+/g, ' ').trim();
  return line === '' ? undefined : line;
}

/** Maps yield no text: YAML can give them a `toString` that is not a function. */
function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function itemsOf(values: readonly unknown[]): readonly string[] {
  return values
    .flat()
    .map(scalarText)
    .filter((text) => text !== '');
}

/** Parses a YAML list or comma-separated text; commas in parentheses do not separate: `Bash(git add:*), Read`. */
export function listValue(value: unknown): readonly string[] {
  const items = Array.isArray(value)
    ? itemsOf(value)
    : typeof value === 'string'
      ? value.split(/,(?![^()]*\))|[ \t\n]+(?![^()]*\))/)
      : [];
  return items.map((item) => item.trim()).filter((item) => item !== '');
}

/** Parses a boolean; undefined for anything that is not clearly true or false. */
export function switchValue(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  if (value === false || value === 'false') return false;
  return undefined;
}

/** Models of another provider, which definitions name by these words: the model of the session is used. */
const FOREIGN_MODELS: ReadonlySet<string> = new Set(['sonnet', 'opus', 'haiku', 'fable']);

export function isUnknownModel(value: unknown): boolean {
  return FOREIGN_MODELS.has(textValue(value) ?? '');
}

/** Undefined for the model of the agent that starts it. */
export function modelOf(value: unknown): string | undefined {
  const model = textValue(value);
  return model === undefined || model === 'inherit' || FOREIGN_MODELS.has(model) ? undefined : model;
}
