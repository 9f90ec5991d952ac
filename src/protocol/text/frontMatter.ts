/** Where the front matter of a Markdown file ends: the lines between two lines of `---` at the top. Pure. */

/** Maximum characters of front matter; anything longer is treated as body text. */
const MAX_CHARACTERS = 20_000;

/** Splits a file. Without front matter, `yaml` is undefined and the body is the text without its byte order mark. */
export function splitFrontMatter(text: string): { readonly yaml: string | undefined; readonly body: string } {
  const clean = text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');
  const [whole, yaml = ''] = /^---[ \t]*\n(?:([\s\S]*?)\n)??---[ \t]*(?:\n|$)/.exec(clean) ?? [];
  if (whole === undefined || yaml.length > MAX_CHARACTERS) return { yaml: undefined, body: clean };
  return { yaml, body: clean.slice(whole.length) };
}
