/** Paths of images in what is pasted, dropped or written. Pure: whether there is such a file is for others to see. */

const IMAGE_NAME = /\.(?:png|jpe?g|gif|webp)$/i;
/** A drop of more files than this is text. */
const MAX_PATHS = 20;
const MAX_CHARACTERS = 8192;
const WINDOWS = /^["']?[a-z]:\\/i;

/**
 * What a paste may mean, best guess first: each a list of paths that all look like images. A terminal gives a dropped
 * file quoted, with its blanks escaped, as `file://`, or bare; several of them with blanks between.
 */
export function pathsInPaste(pasted: string): readonly (readonly string[])[] {
  const text = pasted.trim();
  if (text === '' || text.length > MAX_CHARACTERS) return [];
  const lines = text.split(/\r?\n|\r/).map((line) => line.trim());
  const whole = lines.map(unquoted);
  const words = lines.some((line) => WINDOWS.test(line)) ? [] : lines.flatMap(shellWords);
  const guesses = [whole, words].filter(
    (paths) => paths.length > 0 && paths.length <= MAX_PATHS && paths.every((path) => IMAGE_NAME.test(path)),
  );
  return guesses.length === 2 && whole.join('\n') === words.join('\n') ? guesses.slice(0, 1) : guesses;
}

/** The images that a prompt names as `@path`, or `@"path with blanks"`, each once. */
export function mentionedImages(text: string): readonly string[] {
  const found = [...text.matchAll(/(?:^|\s)@(?:"([^"\n]+)"|((?:\\ |\S)+))/g)].map(([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '').replace(/[),.;:!?\]}'"]+$/, '').replaceAll('\\ ', ' ') : quoted,
  );
  return [...new Set(found.filter((path) => IMAGE_NAME.test(path)))].slice(0, MAX_PATHS);
}

/** One path that is a whole line: the backslashes of Windows are no escapes, and bare blanks belong to it. */
function unquoted(line: string): string {
  const inside = /^'([^']*)'$/.exec(line)?.[1] ?? /^"([^"]*)"$/.exec(line)?.[1] ?? line;
  if (WINDOWS.test(inside) || inside !== line) return fromUrl(inside);
  return fromUrl(inside.replace(/\\(.)/g, '$1'));
}

/** Words as a shell would split them. */
function shellWords(line: string): string[] {
  const words = line.match(/(?:'[^']*'|"[^"]*"|\\.|[^\s'"\\])+/g) ?? [];
  return words.map((word) =>
    fromUrl(
      word.replace(
        /'([^']*)'|"([^"]*)"|\\(.)/g,
        (_all, single, double, escaped) => single ?? double ?? escaped,
      ),
    ),
  );
}

function fromUrl(path: string): string {
  if (!/^file:\/\//i.test(path)) return path;
  try {
    return decodeURIComponent(new URL(path).pathname).replace(/^\/([a-z]:)/i, '$1');
  } catch {
    return path;
  }
}
