/** Reads git's configuration files the way git does (config.c; git-config(1), "Syntax"). Pure. */

export interface GitSetting {
  /** In lower case: `diff` in `[diff "x"]`. */
  readonly section: string;
  readonly subsection?: string;
  /** In lower case. */
  readonly key: string;
  /** Absent without `=`, which means true. */
  readonly value?: string;
}

interface GitSettings {
  readonly settings: readonly GitSetting[];
  /** False if git would reject the file. The lines that it would reject are left out. */
  readonly isValid: boolean;
}

const header = /\[(?:([A-Za-z\d.-]+)\]|([A-Za-z\d.-]+)[ \t]+"((?:[^"\\\n]|\\[^\n])*)"\])/y;
const keyAndSign = /([A-Za-z][A-Za-z\d-]*)[ \t]*(=|(?=\n|$))/y;
const pieces = /"(?:[^"\\\n]|\\.)*"|\\.|[#;][^\n]*|[ \t\v\f\r]+|[^\s"\\#;]+/sy;
const blankOrComment = /(?:\s+|[#;][^\n]*)+/y;
const restOfLine = /[^\n]*/y;

/** All settings in a file, in order, including those that a later line overrides. */
export function readGitSettings(text: string): GitSettings {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n/g, '\n');
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found !== null) at = pattern.lastIndex;
    return found;
  };
  /** Quotes, escapes and continued lines resolved; trailing spaces and a comment removed. */
  const takeValue = (): string => {
    let value = '';
    let blanks = '';
    for (let piece = take(pieces)?.[0]; piece !== undefined; piece = take(pieces)?.[0]) {
      if (/^[#;]/.test(piece)) continue;
      if (/^\s/.test(piece)) blanks += value === '' ? '' : piece;
      else if (piece !== '\\\n') {
        value += blanks + unescaped(piece);
        blanks = '';
      }
    }
    return value;
  };
  const settings: GitSetting[] = [];
  let place: Pick<GitSetting, 'section' | 'subsection'> | undefined;
  let isValid = true;
  while (take(blankOrComment) !== null || at < source.length) {
    if (at >= source.length) break;
    const head = take(header);
    if (head !== null) {
      place = placeOf(head);
      continue;
    }
    const key = take(keyAndSign);
    const value = key?.[2] === '=' ? takeValue() : undefined;
    const isWhole = at >= source.length || source[at] === '\n';
    if (key !== null && place !== undefined)
      settings.push({
        ...place,
        key: (key[1] ?? '').toLowerCase(),
        ...(value !== undefined && { value }),
      });
    if (key === null || place === undefined || !isWhole) {
      isValid = false;
      take(restOfLine);
    }
  }
  return { settings, isValid };
}

/** `[diff.x]` is an old way to write `[diff "x"]`. */
function placeOf([, plain, section = '', subsection = '']: RegExpExecArray): Pick<
  GitSetting,
  'section' | 'subsection'
> {
  if (plain === undefined)
    return { section: section.toLowerCase(), subsection: subsection.replace(/\\(.)/g, '$1') };
  const [name = '', ...rest] = plain.toLowerCase().split('.');
  return rest.length === 0 ? { section: name } : { section: name, subsection: rest.join('.') };
}

const unescaped = (piece: string): string =>
  (piece.startsWith('"') ? piece.slice(1, -1) : piece).replace(/\\(.)/gs, (_, character: string) =>
    character === '\n' ? '' : ({ n: '\n', t: '\t', b: '\b' }[character] ?? character),
  );
