/**
 * What formats of git print of messages: git-log(1), "Pretty formats"; git-for-each-ref(1), "Field names". Pure.
 */
import type { ReadOptions } from '../options/readOptions.ts';

/** Prints nothing itself, or only spaces: colors, columns and conditions. */
const layout = String.raw`%(?:C(?:red|green|blue|reset|\([^)]*\))|[<>]{1,2}\|?\(\s*-?\d+\s*\)|w\([\d,\s]*\)|\((?:(?:align|color|if|then|else)(?::[^)]*)?|end)\))`;
/** Text before or after which a secret is still recognized. */
const gap = String.raw`[^\w%+/=.$~-]|%n|%x?(?:0[09a]|20|7c)`;
/** Prints whole lines of a message; with a plus or space, after a line feed or space. */
const message = String.raw`%(?:[sbBN]|-[bBN]|gs|\(\*?(?:subject|body|contents(?::(?:subject|body|lines=\d+))?)\)|\(trailers(?::(?:only|key=[\w-]+|,)+)?\))`;
const apart = '%[+ ][sbBN]';
/** Prints ids, names and dates. */
const other = [
  String.raw`[^%]|%(?:[-+ ]?(?:[HhTtPpdDSem]|[ac][NnEeLldDrtiIsh]|g[DdNnEe])|%|x?[\da-f]{2}`,
  String.raw`\(\*?(?:refname|object(?:name|type|size)|upstream|push|HEAD|worktreepath|symref|numparent|parent|tree|type|tag|object`,
  String.raw`(?:author|committer|tagger|creator)(?:name|email|date)?|ahead-behind|describe|decorate)(?::[^)]*)?\))`,
].join('|');
const piece = new RegExp(
  `(?<layout>${layout})|(?<gap>${gap})|(?<apart>${apart})|(?<message>${message})|${other}`,
  'y',
);

type Kind = 'gap' | 'apart' | 'message' | 'other';

/** What the parts of a format print, apart from its layout; undefined if that is not known. */
function kindsIn(format: string): readonly Kind[] | undefined {
  // It may be a name from the settings.
  if (!format.includes('%')) return undefined;
  const text = format.replace(/^t?format:/, '');
  const kinds: Kind[] = [];
  for (piece.lastIndex = 0; piece.lastIndex < text.length; ) {
    const groups = piece.exec(text)?.groups;
    if (groups === undefined) return undefined;
    if (groups.layout !== undefined) continue;
    kinds.push((['gap', 'apart', 'message'] as const).find((kind) => groups[kind] !== undefined) ?? 'other');
  }
  return kinds;
}

/** True if a format prints none of a message. */
export const showsNoMessage = (format: string): boolean =>
  kindsIn(format)?.every((kind) => kind === 'gap' || kind === 'other') === true;

/** True if the formats among these options print whole lines of messages as they are, with their names. */
export const hasPlainFormats = ({ options }: Pick<ReadOptions, 'options'>): boolean =>
  options.every(({ name, value }) => {
    if (!/^--(?:format|group|pretty)$/.test(name)) return true;
    const isNamed = /^(?:(?:oneline|short|medium|full|fuller|reference|raw)?|author|committer)$/;
    return isNamed.test(value ?? '') || keepsMessages(value ?? '');
  });

/** A message must stand alone: directly before or after other text, a token in it would not be recognized. */
const keepsMessages = (format: string): boolean =>
  kindsIn(format)?.every((kind, at, kinds) => {
    const before = kinds[at - 1] ?? 'gap';
    if (kind === 'message') return before === 'gap';
    return kind !== 'other' || before === 'gap' || before === 'other';
  }) === true;
