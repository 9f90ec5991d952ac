/**
 * What a command types into another terminal, where a shell probably runs it: tmux(1), screen(1), xdotool(1), wtype(1), and
 * the commands of zellij, kitty and WezTerm. Pure; errs on the side of too many.
 */
import { programName } from '../options/programTable.ts';

type Argv = readonly (string | null)[];

/** By program: the word before the typed text, and one after which that text is not among the words. */
const typists: Readonly<Record<string, { readonly text: RegExp; readonly elsewhere?: RegExp }>> = {
  tmux: { text: /^send(?:-k[eys]*)?$/, elsewhere: /^(?:pasteb|paste-b\w*)$/ },
  screen: { text: /^stuff$/, elsewhere: /^(?:paste|process)$/ },
  zellij: { text: /^write-chars$/, elsewhere: /^(?:write|paste)$/ },
  kitty: { text: /^send-text$/, elsewhere: /^(?:send-key|--stdin|--from-file.*)$/ },
  kitten: { text: /^send-text$/, elsewhere: /^(?:send-key|--stdin|--from-file.*)$/ },
  wezterm: { text: /^send-text$/ },
  xdotool: { text: /^(?:type|key)$/, elsewhere: /^(?:--file|-)$/ },
  ydotool: { text: /^type$/, elsewhere: /^(?:key|--file.*|-)$/ },
  wtype: { text: /wtype$/, elsewhere: /^-$/ },
  xte: { text: /xte$/ },
};

/** Words before the text: options and their values. */
const MAX_OPTIONS = 8;

/** Stands for keys whose effect only the terminal knows: history, completion, editing of the line. */
const UNKNOWN = '$x';

/** Everything that may be the text which a call types, with lines as the shell reads them. */
export function typedTexts(argv: Argv): readonly string[] {
  const typist = typists[programName(argv[0])];
  const at = typist === undefined ? -1 : argv.findIndex((word) => word !== null && typist.text.test(word));
  const isElsewhere = argv.slice(1).some((word) => word !== null && typist?.elsewhere?.test(word));
  const keys = at === -1 ? [] : argv.slice(at + 1);
  const texts = keys.slice(0, MAX_OPTIONS).map((_, from) => keys.slice(from).map(typedBy).join(''));
  return isElsewhere ? [...texts, UNKNOWN] : texts;
}

/** A word is typed as it is, unless it is the name of a key. */
function typedBy(word: string | null): string {
  if (word === null) return UNKNOWN;
  if (/^(?:space)$/i.test(word)) return ' ';
  if (/^(?:(?:kp_?)?enter|return|escape|c-[mjcdlu])$/i.test(word)) return '\n';
  if (isKey.test(word)) return UNKNOWN;
  return word
    .replace(/\^[MJCDLU]|\\(?:[nr]|0?1[25]|x0[ad])|\r/gi, '\n')
    .replace(/\^[@-_]|[\0-\x08\x0b-\x1f]/g, UNKNOWN);
}

const isKey =
  /^(?:(?:[CMS]|ctrl|alt|shift|super)[-+].+|up|down|left|right|tab|btab|bspace|backspace|dc|delete|ic|insert|home|end|[np]page|page_?(?:up|down)|f\d\d?)$/i;
