/** What a summary claims that a log can bear out: paths, names from code, numbers, hashes, quotations. */

export interface Claim {
  readonly text: string;
  /** Where a mark belongs: behind the claim and the quotation mark that closes it. */
  readonly end: number;
  /** The same in other spellings; any of them in the log will do. */
  readonly forms: readonly string[];
}

const MAX_CLAIMS = 2000;
const MAX_LENGTH = 300;

/** Claims in order of appearance. Fenced code is left out: a mark in it would change the code. */
export function claimsIn(text: string): Claim[] {
  const claims: Claim[] = [];
  let offset = 0;
  let isFenced = false;
  for (const line of text.split('\n')) {
    if (/^\s*(?:```|~~~)/.test(line)) isFenced = !isFenced;
    else if (!isFenced && line.length > 2) claims.push(...claimsInLine(line, offset));
    if (claims.length >= MAX_CLAIMS) break;
    offset += line.length + 1;
  }
  return claims.slice(0, MAX_CLAIMS);
}

/** Quotations first; what stands between them is looked through word by word. */
function claimsInLine(line: string, offset: number): Claim[] {
  const claims: Claim[] = [];
  let start = 0;
  for (const match of line.matchAll(QUOTED)) {
    claims.push(...claimsInWords(line.slice(start, match.index), offset + start));
    const inner = (match[1] ?? match[2] ?? match[3] ?? match[4] ?? '').trim();
    start = match.index + match[0].length;
    if (/[\p{L}\p{N}]/u.test(inner))
      claims.push({ text: inner, end: offset + start, forms: formsOfQuote(inner) });
  }
  claims.push(...claimsInWords(line.slice(start), offset + start));
  return claims;
}

/** Code, then quotations of at least eight characters: shorter ones are words in inverted commas. */
const QUOTED = /`([^`\n]{1,300})`|"([^"\n]{8,300})"|“([^”\n]{8,300})”|[「『]([^」』\n]{4,300})[」』]/g;

/** A comma belongs to a word only between the thousands of a number. */
const WORD = /(?:[^\s()[\]{}<>"“”„'’`,;|*=!?，。；：、！？（）「」『』【】]|(?<=\d),(?=\d{3}(?!\d)))+/g;

function claimsInWords(text: string, offset: number): Claim[] {
  const claims: Claim[] = [];
  for (const { 0: raw, index } of text.matchAll(WORD)) {
    if (raw.length > MAX_LENGTH) continue;
    const word = raw.replace(/[.:…]+$/, '').replace(/^[@#~+±≈-]+(?=[\d/\w])/, '');
    const start = index + raw.indexOf(word);
    const forms = formsOfWord(word, raw);
    const end = offset + start + word.length;
    const call = text.startsWith('()', start + word.length) ? 2 : 0;
    if (forms.length > 0) claims.push({ text: word, end: end + call, forms });
    else if (word.includes('/')) claims.push(...partsOf(word, offset + start));
  }
  return claims;
}

/** "user_name/user_id" names two things. */
function partsOf(word: string, offset: number): Claim[] {
  const claims: Claim[] = [];
  let start = 0;
  for (const part of word.split('/')) {
    const forms = formsOfWord(part, part);
    if (forms.length > 0) claims.push({ text: part, end: offset + start + part.length, forms });
    start += part.length + 1;
  }
  return claims;
}

/** Empty when the word is an ordinary one. */
function formsOfWord(word: string, raw: string): string[] {
  if (/^https?:\/\//.test(word)) return [word.replace(/\/$/, '')];
  const path = word.replace(/(?::\d+)+(?:[-–]\d+)?$/, '');
  if (isPath(path)) return formsOfPath(path);
  if (isHash(word)) return [word, word.toLowerCase()];
  if (isNumber(word)) return raw.startsWith('#') ? [`#${word}`, word] : formsOfNumber(word);
  return isIdentifier(word) ? formsOfIdentifier(word) : [];
}

function isPath(word: string): boolean {
  if (!/^[\p{L}\p{N}_.~@/\\+-]+$/u.test(word) || !/\p{L}/u.test(word)) return false;
  const slashes = word.match(/[/\\]/g)?.length ?? 0;
  const hasExtension =
    /[^./\\][^/\\]*\.[a-z][a-z\d]{0,7}$/i.test(word) || /(?:^|[/\\])\.[a-z]{2,}[\w.-]*$/i.test(word);
  if (slashes === 0) return hasExtension && CODE_FILES.test(word) && !KNOWN_NAMES.has(word.toLowerCase());
  return hasExtension || /^(?:~|\.{1,2})?\/[\w.-]+\/[\w.-]/.test(word);
}

/** Bare names are paths only by the endings of source, data and settings: "e.g" and "v2.x" are none. */
const CODE_FILES =
  /\w\.(?:[cm]?[jt]sx?|json5?|jsonl|md|py|rs|go|c|h|cc|cpp|hpp|java|kt|rb|php|cs|swift|sh|ya?ml|toml|lock|txt|csv|sql|html?|s?css|vue|svelte|xml|ini|conf|cfg|env|log|proto|gradle|ipynb|tf|snap)$/i;

function formsOfPath(path: string): string[] {
  const plain = path.replace(/^\.\//, '').replace(/\/$/, '');
  return [...new Set([path, plain, plain.replace(/^~\//, '')])];
}

function isHash(word: string): boolean {
  return /^[\da-f]{7,64}$/i.test(word) && /\d/.test(word) && /[a-f]/i.test(word);
}

function isNumber(word: string): boolean {
  return (
    /^[$€£¥]?\d[\d.,_]*(?:%|ms|s|[kKMG]i?B|B|px|k|x)?$/.test(word) &&
    (word.match(/\d/g)?.length ?? 0) >= 3 &&
    word !== '100%'
  );
}

/** With and without the signs between thousands, the currency and the unit. */
function formsOfNumber(word: string): string[] {
  const number = word.replace(/^[$€£¥]/, '').replace(/[^\d]+$/, '');
  const plain = /^\d{1,3}(?:[.,_]\d{3})+$/.test(number)
    ? number.replace(/[.,_]/g, '')
    : number.replace(/_/g, '');
  const grouped = /^\d{4,}$/.test(plain) ? plain.replace(/\B(?=(?:\d{3})+$)/g, ',') : plain;
  const unit = word.slice(word.indexOf(number) + number.length);
  return [...new Set([number, plain, grouped, `${plain}${unit}`, word])];
}

function isIdentifier(word: string): boolean {
  const name = word.replace(/\(.*$/, '');
  if (!/^[A-Za-z_$][\w$.:-]*$/.test(name) || name.length < 4 || KNOWN_NAMES.has(name.toLowerCase()))
    return false;
  if (/[A-Za-z\d]_[A-Za-z\d]/.test(name) || /[A-Za-z]::[A-Za-z]/.test(name)) return true;
  if (/^[A-Za-z_$][\w$]{2,}(?:\.[A-Za-z_$][\w$]+)+$/.test(name)) return true;
  return /[a-z\d][A-Z][a-z]/.test(name) && !name.includes('-');
}

function formsOfIdentifier(word: string): string[] {
  return [...new Set([word, word.replace(/\(.*$/, '')])];
}

/** A quotation may have gained a full stop or a capital, and lost a line end. */
function formsOfQuote(quote: string): string[] {
  const bare = quote.replace(/[.,;:!?…。，！？]+$/u, '').replace(/^(?:\.{3}|…)\s*/, '');
  const inner = bare === '' ? quote : bare;
  const flipped = (character: string): string =>
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase();
  const line = inner.replace(/(?::\d+)+(?:[-–]\d+)?$/, '');
  const ways = [quote, inner, `${flipped(inner.charAt(0))}${inner.slice(1)}`, inner.replace(/^\.\//, '')];
  return [
    ...new Set([
      ...ways,
      ...(isPath(line) ? formsOfPath(line) : []),
      ...(/\(\)$/.test(inner) ? [inner.slice(0, -2)] : []),
    ]),
  ];
}

/** Names of products that are written like code, in lower case; saying them claims nothing. */
const KNOWN_NAMES: ReadonlySet<string> = new Set(
  `node.js vue.js next.js react.js express.js three.js d3.js nuxt.js socket.io asp.net github gitlab typescript
  javascript coffeescript postgresql mysql mongodb sqlite graphql openai chatgpt youtube linkedin websocket websockets
  macos devops vscode intellij webstorm pycharm latex bitbucket dockerfile kubernetes eslint tslint jetbrains
  powershell stackoverflow wordpress restful oauth webassembly readme changelog openapi protobuf rabbitmq dynamodb
  cloudflare digitalocean fastapi pytorch tensorflow numpy scipy junit nunit xunit esbuild clawdcode ipados
  whatsapp facebook paypal mcdonalds codebase todowrite webpack nextjs nodejs`.split(/\s+/),
);
