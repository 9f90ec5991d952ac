/**
 * True if two texts are in the same language, by script and, for Latin script, by frequent words. If in doubt, true.
 */

/** A text with fewer letters is too short to judge. */
const MIN_LETTERS = 12;
/** People mix English names into every language, but rarely another script into English. */
const USED = 0.25;
const HARDLY = 0.08;

/**
 * False only if the summary is clearly in a language that the user never wrote. `typed` has at least one line per
 * prompt, the newest last (typedText.ts).
 */
export function sameLanguage(summary: string, typed: string): boolean {
  return seemsSame(summary, typed) || isUsed(summary, typed);
}

/** True if the user also wrote in the language of this text, if not mostly. */
function isUsed(text: string, typed: string): boolean {
  const script = mainScript(scriptsOf(text));
  if (script !== undefined)
    return typed.split('\n').some((line) => {
      const scripts = scriptsOf(line);
      return scripts.letters >= MIN_LETTERS && mainScript(scripts) === script;
    });
  const language = plainest(smallWordsIn(text));
  // Text in another script does not contain such words by chance.
  const least = mainScript(scriptsOf(typed)) === undefined ? MIN_HITS : 2;
  return language !== undefined && (smallWordsIn(typed).get(language) ?? 0) >= least;
}

function seemsSame(summary: string, userText: string): boolean {
  const user = scriptsOf(userText);
  const own = scriptsOf(summary);
  if (user.letters < MIN_LETTERS || own.letters < MIN_LETTERS) return true;
  const main = mainScript(user);
  if (main !== undefined) return main === 'han' ? isChinese(own) : own.share(main) >= HARDLY;
  const other = mainScript(own);
  // Two characters in another script mean that the user may write in it, even after a pasted page of English.
  if (other !== undefined) return own.share(other) < 0.5 || user.count(other) >= 2;
  const [wanted, written] = [plainest(smallWordsIn(userText)), plainest(smallWordsIn(summary))];
  if (wanted === undefined || written === undefined || wanted === written) return true;
  return (smallWordsIn(userText).get(written) ?? 0) > 2;
}

/** English name of the language that the user writes in; undefined if it is not clear. */
export function languageOf(text: string): string | undefined {
  const scripts = scriptsOf(text);
  if (scripts.letters < MIN_LETTERS) return undefined;
  const main = mainScript(scripts);
  if (main !== undefined) return isShared(text, main) ? SCRIPT_LANGUAGES[main] : undefined;
  const hasOther = (Object.keys(SCRIPTS) as Script[]).some((script) => scripts.count(script) >= 2);
  if (hasOther) return undefined;
  const hits = smallWordsIn(text);
  const language = plainest(hits);
  // English text is often pasted; a few frequent words of another language make the result unclear.
  const others = [...hits].filter(([name]) => name !== language).map(([, count]) => count);
  return Math.max(0, ...others) > 2 ? undefined : language;
}

/** True if most long enough lines are in this script; a few others may have been pasted. */
function isShared(text: string, script: Script): boolean {
  const longLines = text
    .split('\n')
    .map(scriptsOf)
    .filter(({ letters }) => letters >= MIN_LETTERS);
  return longLines.filter((line) => mainScript(line) === script).length >= MOST * longLines.length;
}

const MOST = 0.75;

const SCRIPTS = {
  kana: /[\u3040-\u30ff]/gu,
  han: /\p{Script=Han}/gu,
  hangul: /\p{Script=Hangul}/gu,
  cyrillic: /\p{Script=Cyrillic}/gu,
  arabic: /\p{Script=Arabic}/gu,
  hebrew: /\p{Script=Hebrew}/gu,
  greek: /\p{Script=Greek}/gu,
  devanagari: /\p{Script=Devanagari}/gu,
  thai: /\p{Script=Thai}/gu,
} as const;
type Script = keyof typeof SCRIPTS;

/** Only scripts with one main language; Cyrillic and Arabic letters are used by many. */
const SCRIPT_LANGUAGES: Readonly<Partial<Record<Script, string>>> = {
  kana: 'Japanese',
  han: 'Chinese',
  hangul: 'Korean',
  hebrew: 'Hebrew',
  greek: 'Greek',
  thai: 'Thai',
};

interface Scripts {
  readonly letters: number;
  readonly count: (script: Script) => number;
  readonly share: (script: Script) => number;
}

function scriptsOf(text: string): Scripts {
  const prose = proseOf(text);
  const counts = new Map<Script, number>();
  for (const [script, pattern] of Object.entries(SCRIPTS))
    counts.set(script as Script, prose.match(pattern)?.length ?? 0);
  const letters = prose.match(/\p{L}/gu)?.length ?? 0;
  const count = (script: Script): number => counts.get(script) ?? 0;
  return { letters, count, share: (script) => (letters === 0 ? 0 : count(script) / letters) };
}

/** Japanese also uses Chinese characters, so it is recognized by its kana. */
function mainScript({ share }: Scripts): Script | undefined {
  if (share('kana') >= 0.1 && share('kana') + share('han') >= USED) return 'kana';
  return (Object.keys(SCRIPTS) as Script[])
    .filter((one) => share(one) >= USED)
    .sort((a, b) => share(b) - share(a))[0];
}

function isChinese({ share }: Scripts): boolean {
  return share('han') >= HARDLY && share('kana') < 0.1;
}

const MAX_TEXT = 20_000;

/** The text without code, paths and headings, which are English in every language. */
function proseOf(text: string): string {
  return text
    .slice(0, MAX_TEXT)
    .replace(/```[\s\S]*?(?:```|$)/g, ' ')
    .replace(/`[^`\n]*`/g, ' ')
    .split('\n')
    .filter((line) => !/^[ \t]*(?:#{1,6}|\d{1,2}\.)[ \t]/.test(line))
    .flatMap((line) => line.split(/[ \t]+/))
    .filter((word) => !/[/\\_]/.test(word))
    .join(' ');
}

/** Frequent words that occur in only one of the languages. */
const SMALL_WORDS: Readonly<Record<string, ReadonlySet<string>>> = {
  English: words(
    'the and is are was were of to that this with for not have has been it be from which should',
  ),
  German: words(
    'der die und ist sind nicht mit ein eine auf für den dem wird wurde auch sich werden noch bei',
  ),
  French: words(
    'le les est sont et une dans pas pour qui des du avec sur été nous vous cette au aux soit ne ce',
  ),
  Spanish: words('el los las son y por se ha al más fue está pero sus puede hay ser en lo este muy para'),
  Portuguese: words('os as é são uma em não do da dos foi ao mais você isso também pelo'),
  Italian: words('il gli è sono di della che nel alla stato anche questo più delle dei ed'),
};
const MIN_HITS = 5;

function smallWordsIn(text: string): ReadonlyMap<string, number> {
  const hits = new Map<string, number>();
  for (const [word] of proseOf(text)
    .toLowerCase()
    .matchAll(/\p{L}+/gu)) {
    for (const [language, small] of Object.entries(SMALL_WORDS))
      if (small.has(word)) hits.set(language, (hits.get(language) ?? 0) + 1);
  }
  return hits;
}

function plainest(hits: ReadonlyMap<string, number>): string | undefined {
  const [first, second] = [...hits].sort(([, a], [, b]) => b - a);
  if (first === undefined || first[1] < MIN_HITS || first[1] < 2 * (second?.[1] ?? 0)) return undefined;
  return first[0];
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}
