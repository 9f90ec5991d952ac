/** Classifies a page by its Content-Type. */
import { MIMEType } from 'node:util';

export interface PageType {
  /** `unknown`: the header is missing or meaningless, so the content decides. */
  readonly form: 'html' | 'text' | 'unknown' | 'unsupported';
  /** Media type without parameters, in lower case; empty if there was none. */
  readonly name: string;
  readonly charset?: string;
}

const textual =
  /^(?:text\/.+|application\/(?:(?:.+\+)?(?:json|xml|yaml)|json5|ld\+json|x-ndjson|jsonl|(?:x-)?javascript|ecmascript|typescript|toml|x-yaml|x-sh|sql|graphql)|image\/svg\+xml|message\/.+)$/;

/** Parses the header's value. */
export function pageType(header: string | undefined): PageType {
  const mime = parse(header);
  if (mime === undefined) return { form: 'unknown', name: '' };
  const name = mime.essence.toLowerCase();
  const charset = mime.params.get('charset');
  return { form: formOf(name), name, ...(charset === null ? {} : { charset }) };
}

function parse(header: string | undefined): MIMEType | undefined {
  try {
    return header === undefined ? undefined : new MIMEType(header);
  } catch {
    return undefined;
  }
}

function formOf(name: string): PageType['form'] {
  if (name === 'text/html' || name === 'application/xhtml+xml') return 'html';
  if (textual.test(name)) return 'text';
  return name === 'application/octet-stream' || name === 'binary/octet-stream' ? 'unknown' : 'unsupported';
}
