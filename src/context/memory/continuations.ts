/** Which messages only wave the work on: they say yes, thanks or "go on" and give no goal of their own. */

/** Longer messages say something, whatever their words. */
const MAX_CHARACTERS = 60;

/**
 * Whether a message consists of nothing but words like "yes", "go on" or "好的", or answers a question by
 * naming one of its choices ("2", "b"). An empty one does too: it came with an image, or by accident.
 */
export function isContinuation(text: string): boolean {
  if (text.length > MAX_CHARACTERS * 4) return false;
  const plain = text.normalize('NFKC').toLowerCase().replace(NOISE, ' ').trim();
  if (plain.length > MAX_CHARACTERS) return false;
  return plain.split(/\s+/).every((part) => part === '' || WORDS.has(part) || isChoice(part) || isCjk(part));
}

/** Everything but letters (with their marks), digits and the apostrophe of "d'accord". */
const NOISE = /[^\p{L}\p{M}\p{N}'’]+/gu;

const isChoice = (part: string): boolean => /^(?:\d{1,2}|[a-e])$/.test(part);

const lists: readonly string[] = [
  'yes y yep yeah yup ya ok okay k kk sure right correct exactly agreed alright fine good great nice perfect',
  'go on ahead continue proceed resume next do it that so please pls thanks thank you and then keep going',
  "again retry sounds let's lets no n nope not both all none",
  'ja jawohl jo genau gut weiter mach weitermachen bitte danke klar einverstanden nein passt',
  "oui d'accord daccord continue continuez vas-y vas y allez merci bien non",
  'sí si claro vale sigue siga continúa continua continúe adelante gracias dale bueno',
  'sim certo pode continuar prossiga obrigado obrigada não',
  'sì va bene avanti procedi grazie certo',
  'да хорошо ладно ок продолжай продолжайте дальше давай спасибо нет',
  'tak dobrze dalej kontynuuj tak dziękuję doorgaan verder prima goed graag',
  'evet tamam devam et lütfen हाँ ठीक है जारी रखो نعم حسنا تابع استمر',
];

const WORDS: ReadonlySet<string> = new Set(lists.join(' ').split(' '));

/** Words of scripts that are written without blanks, in any number and order. */
const CJK = [
  ...[
    '好的',
    '好',
    '是的',
    '是',
    '对的',
    '对',
    '對',
    '嗯',
    '恩',
    '行',
    '可以',
    '没问题',
    '沒問題',
    '请',
    '請',
  ],
  ...[
    '继续',
    '繼續',
    '接着',
    '下一步',
    '往下',
    '做',
    '吧',
    '了',
    '谢谢',
    '謝謝',
    '不',
    '不是',
    '同意',
    '确认',
  ],
  ...[
    'はい',
    'うん',
    'ええ',
    '続けて',
    '続行',
    '続き',
    'ください',
    '下さい',
    'お願いします',
    '了解',
    'いいえ',
  ],
  ...[
    'ありがとう',
    'です',
    'して',
    '네',
    '예',
    '응',
    '좋아요',
    '좋아',
    '계속',
    '해줘',
    '해',
    '주세요',
    '아니요',
  ],
].sort((a, b) => b.length - a.length);
const CJK_ONLY = new RegExp(`^(?:${CJK.join('|')})+$`, 'u');

const isCjk = (part: string): boolean => CJK_ONLY.test(part);
