/** Full-text search over the memories of one file. Loaded when a search finds the first file. */
import MiniSearch, { type SearchResult } from 'minisearch';
import { stemmer } from 'stemmer';
import { createRest } from '../../disk/slices.ts';
import { type Memory, readMemories } from './parseMemories.ts';

/** A memory that contains at least one of the words. */
export interface Hit {
  readonly memory: Memory;
  /** Keys of the words that it contains. */
  readonly held: ReadonlySet<string>;
  /** BM25+ score within its file; only orders memories of equal similarity. */
  readonly score: number;
}

/** Stems of at least this length also match with one letter wrong. */
const FUZZY_FROM = 6;

export class MemoryIndex {
  readonly #memories: Memory[] = [];
  readonly #index = new MiniSearch<{ readonly id: number; readonly content: string }>({
    fields: ['content'],
    tokenize: documentTerms,
    processTerm: (term) => term,
  });

  /** Indexes a file's text in small slices; undefined if the signal is aborted. */
  static async build(text: string, signal: AbortSignal): Promise<MemoryIndex | undefined> {
    const built = new MemoryIndex();
    const rest = createRest();
    for (const memory of readMemories(text)) {
      await rest();
      if (signal.aborted) return undefined;
      if (memory !== undefined) built.#add(memory);
    }
    return built;
  }

  get size(): number {
    return this.#memories.length;
  }

  #add(memory: Memory): void {
    this.#index.add({ id: this.#memories.length, content: memory.content });
    this.#memories.push(memory);
  }

  /** All memories that contain one of the words; empty if the signal is aborted. */
  async search(words: readonly QueryWord[], signal: AbortSignal): Promise<readonly Hit[]> {
    const rest = createRest();
    const hits = new Map<number, { readonly held: Set<string>; score: number }>();
    for (const { key, alternatives } of words) {
      await rest();
      if (signal.aborted) return [];
      for (const { id, score } of this.#holding(alternatives)) {
        const hit = hits.get(id) ?? { held: new Set<string>(), score: 0 };
        hit.held.add(key);
        hit.score += score;
        hits.set(id, hit);
      }
    }
    return [...hits].flatMap(([id, hit]) => {
      const memory = this.#memories[id];
      return memory === undefined ? [] : [{ memory, ...hit }];
    });
  }

  #holding(alternatives: QueryWord['alternatives']): SearchResult[] {
    const queries = alternatives.map((terms) => ({
      combineWith: 'AND' as const,
      queries: [...new Set(terms)],
    }));
    return this.#index.search(
      { combineWith: 'OR', queries },
      { tokenize: (term) => [term], fuzzy: (term) => (term.length >= FUZZY_FROM ? 1 : false) },
    );
  }
}

// Similarity of a memory to a prompt, from 0 to 1. Pure; docs/memory.md explains it to users.

/** A parsed prompt: all its significant words, and those of each sentence that has enough of them. */
interface Query {
  readonly words: readonly QueryWord[];
  /** Sets of word keys; a memory's similarity is that to the best matching set. */
  readonly passages: readonly ReadonlySet<string>[];
}

/** Maximum UTF-16 units of a prompt that are used. */
const MAX_CHARACTERS = 8000;
/** Maximum significant words of a prompt; more words mean that it is a paste. */
const MAX_WORDS = 64;
/** Maximum sentences that are also matched separately. */
const MAX_SENTENCES = 20;
/** A sentence with fewer significant words is too unspecific to match separately. */
const MIN_SENTENCE_WORDS = 4;

/** Parses a prompt for the search; fenced code is skipped. */
export function parseQuery(prompt: string): Query {
  const text = prompt
    .slice(0, MAX_CHARACTERS)
    .split(/^[ \t]*(?:```|~~~).*$/m)
    .filter((_, index) => index % 2 === 0)
    .join('\n');
  const words = queryWords(text);
  const all = new Set(words.map(({ key }) => key));
  const sentences = text
    .split(/[。！？；\n]|[.!?;](?=\s|$)/, MAX_SENTENCES)
    .map((sentence) => queryWords(sentence).map(({ key }) => key))
    .map((keys) => new Set(keys.filter((key) => all.has(key))))
    .filter((keys) => keys.size >= MIN_SENTENCE_WORDS && keys.size < all.size);
  return { words, passages: all.size === 0 ? [] : [all, ...sentences] };
}

/**
 * The weight of each word among `total` memories. A word in no memory has weight 1: the prompt is also about something
 * else. A word in `df` memories has weight 1 + ln((total + 1) / (df + 1)) / ln(total + 1): from 1 if all memories
 * contain it to nearly 2 if only one of many does. So a memory reaches 0.6 only if it contains more than three sevenths
 * of the words, however rare they are.
 */
export function wordWeights(
  words: readonly QueryWord[],
  held: Iterable<ReadonlySet<string>>,
  total: number,
): ReadonlyMap<string, number> {
  const frequency = new Map<string, number>();
  for (const keys of held) for (const key of keys) frequency.set(key, (frequency.get(key) ?? 0) + 1);
  return new Map(
    words.map(({ key }) => {
      const df = frequency.get(key) ?? 0;
      return [key, df === 0 ? 1 : 1 + Math.log((total + 1) / (df + 1)) / Math.log(total + 1)];
    }),
  );
}

/** The weight of the matched words divided by that of all words of a passage, for the best passage. */
export function similarityOf(
  { passages }: Query,
  weights: ReadonlyMap<string, number>,
  held: ReadonlySet<string>,
): number {
  let best = 0;
  for (const passage of passages) {
    let all = 0;
    let shared = 0;
    for (const key of passage) {
      const weight = weights.get(key) ?? 1;
      all += weight;
      if (held.has(key)) shared += weight;
    }
    best = Math.max(best, all === 0 ? 0 : shared / all);
  }
  return best;
}

// Splits text into search terms: one rule for memories, and a matching one for queries.

/**
 * A word of a query. A text contains it if it has all terms of one of its alternatives: `PostgreSQL` matches
 * "postgresql" and "postgre sql", 数据库 matches its two pairs of characters.
 */
interface QueryWord {
  readonly key: string;
  readonly alternatives: readonly (readonly string[])[];
}

/** Longer runs are base64 or hashes. */
const MAX_TERM = 64;

/** All terms of a text, with repetitions. */
function documentTerms(text: string): string[] {
  const terms: string[] = [];
  for (const run of runsOf(text)) {
    if (isUnspaced(run)) terms.push(...pairsOf(run));
    else {
      terms.push(stem(run));
      const parts = partsOf(run);
      if (parts.length > 1) terms.push(...parts.map(stem));
    }
  }
  return terms;
}

/** The significant words of a text without duplicates: no stop words, no single letters or characters. */
function queryWords(text: string): QueryWord[] {
  const words = new Map<string, QueryWord>();
  const add = (key: string, ...alternatives: (readonly string[])[]): void => {
    if (!words.has(key)) words.set(key, { key, alternatives });
  };
  for (const run of runsOf(text)) {
    if (words.size >= MAX_WORDS) break;
    if (isUnspaced(run)) {
      for (const word of unspacedWords(run)) add(word, pairsOf(word));
    } else if (run.length > 1 && !STOP_WORDS.has(run.toLowerCase())) {
      const whole = stem(run);
      const parts = partsOf(run).map(stem);
      add(whole, [whole], ...(parts.length > 1 ? [parts] : []));
    }
  }
  return [...words.values()];
}

const UNSPACED =
  '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー\\p{Script=Hangul}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}';
const RUN = new RegExp(`[${UNSPACED}]+|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}'’])+`, 'gu');
const STARTS_UNSPACED = new RegExp(`^[${UNSPACED}]`, 'u');

function* runsOf(text: string): Generator<string> {
  for (const [match] of text.normalize('NFKC').matchAll(RUN)) {
    const run = match.replace(/^['’]+|['’]+$/g, '').replaceAll('’', "'");
    if (run !== '' && (run.length <= MAX_TERM || isUnspaced(run))) yield run;
  }
}

const isUnspaced = (run: string): boolean => STARTS_UNSPACED.test(run);

/** Adjacent characters as pairs; a single character unchanged. */
function pairsOf(run: string): string[] {
  const characters = [...run.toLowerCase()];
  if (characters.length < 2) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}

const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Words by the runtime's dictionary; a run of one character also counts, since it was written separately. */
function unspacedWords(run: string): string[] {
  if ([...run].length === 1) return [run];
  return [...segmenter.segment(run)]
    .map(({ segment }) => segment.toLowerCase())
    .filter((word) => [...word].length > 1 && !STOP_WORDS.has(word));
}

/** Splits `getUserName` into get, User, Name; acronyms stay together. */
function partsOf(run: string): string[] {
  return run
    .split(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((part) => part.length > 1);
}

/** Lower case, without English endings. */
function stem(word: string): string {
  const lower = word.toLowerCase().replace(/'s$/, '');
  return /^[a-z]{4,}$/.test(lower) ? stemmer(lower) : lower;
}

/** Stop words: words without significance for the topic, in the languages most often used here. */
const lists: readonly string[] = [
  // English, including common verbs and courtesies in requests to an assistant.
  'a an the this that these those there here it its he she they them his her their we us our you your i me my mine',
  'and or but nor so if then else than as at by for from in into of off on onto out over to under up with without',
  'about after again all also always any anything are be been before being both can cannot could did do does doing',
  'done down each every few get gets getting give go goes going got had has have having how however is just know let',
  'like look looks make makes making many may maybe me might more most much must need needs new no not now of ok okay',
  'one only other please put really right same see shall should show since some something still such sure take tell',
  'thank thanks think too try use used uses using very want wants was way well were what when where whether which',
  'while who whom whose why will would yes yet explain help find way thing things',
  "don't doesn't didn't isn't aren't wasn't can't won't shouldn't i'm it's let's that's what's there's don t s re ve ll",
  // German
  'der die das den dem des ein eine einen einem einer und oder aber nicht kein keine ich du er sie es wir ihr mich mir',
  'dich dir uns euch mein dein sein ist sind war waren bin bist hat haben hatte wird werden wurde kann können könnte',
  'soll sollte muss müssen bitte mit ohne für von vom zu zum zur im in an am auf aus bei bis nach über unter wie was wer',
  'wo wann warum wieso welche welcher welches dass ob wenn auch noch nur schon mal doch hier da dann so sehr mach mache',
  // French
  'le la les un une des du de et ou mais ne pas je tu il elle nous vous ils elles mon ton son ma ta sa ce cet cette ces',
  'est sont était être avoir ai as avez ont dans sur sous avec sans pour par que qui quoi où quand comment pourquoi si',
  // Spanish and Portuguese
  'el los las una unos unas y o pero no yo tú él ella nosotros ellos mi tu su es son era ser estar está con sin por para',
  'que qué quien cómo como cuándo dónde porqué se lo al del en os um uma uns e ou mas não eu você ele ela nós meu seu é',
  'são com sem para por quê quem quando onde ao da do das dos na no nas nos',
  // Italian
  'il lo gli uno ed ma non io lei lui noi voi loro mio tuo suo è sono con senza per che chi cosa come quando dove perché',
  // Russian
  'и в во не на я ты он она мы вы они что как где когда почему это этот эта с со из за по для к у от до бы же ли или но',
  // Chinese, Japanese, Korean: words of at least two characters; single ones are never significant.
  '我们 你们 他们 什么 怎么 怎样 如何 为什么 可以 一个 这个 那个 这些 那些 请问 使用 需要 帮我 一下 是否 哪里 哪个 没有 如果 但是',
  '因为 所以 以及 或者 我們 你們 什麼 怎麼 為什麼 這個 那個 這些 請問 需要 幫我 沒有 因為',
  'です ます する した して こと もの これ それ あれ この その どう どこ いつ なぜ なに から まで ください ため よう いる ある',
  '그리고 그러나 하지만 이것 그것 저것 무엇 어떻게 어디 언제 왜 있는 없는 하는 해줘 주세요',
];

const STOP_WORDS: ReadonlySet<string> = new Set(lists.join(' ').split(' '));
