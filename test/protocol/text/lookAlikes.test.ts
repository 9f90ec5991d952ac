import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markLookAlikes } from '../../../src/protocol/text/lookAlikes.ts';
import { lookAlikeTable } from '../../../src/protocol/text/lookAlikeTables.ts';
import { reveal, revealedNotice } from '../../../src/protocol/text/reveal.ts';
import { anyText } from '../../anyText.ts';

/** The marked parts of a command, as code points. */
const marks = (text: string): string[] =>
  Array.from(reveal(text, true).matchAll(/‹U\+([0-9A-F]+)(?: like [^›]+)?›/g), ([, code = '']) => code);

test('a letter that looks like an ASCII one is named with it', () => {
  expect(reveal('curl https://p\u0430ypal.com/login')).toBe('curl https://p‹U+0430 like a›ypal.com/login');
});

describe('marked', () => {
  test.each([
    ['Cyrillic in a Latin word', 's\u0441p x', ['0441']],
    ['several Cyrillic letters, one with an accent', 'g\u043eogl\u0451', ['043E', '0451']],
    ['Greek', 'g\u03bfogle', ['03BF']],
    ['Armenian', '\u0578pm install', ['0578']],
    ['Cherokee and Lisu', '\u13acCHO \ua4f2s', ['13AC', 'A4F2']],
    ['Latin phonetic letters', 'g\u0251rep', ['0251']],
    ['fullwidth letters', '\uff52\uff4d -rf', ['FF52', 'FF4D']],
    ['mathematical letters', '\u{1d42b}\u{1d426} -rf', ['1D42B', '1D426']],
    ['a ligature', '\ufb01le.txt', ['FB01']],
    ['a dotless i among plain letters', 'g\u0131t push', ['0131']],
    ['next to letters of a script without spaces', '\u0430dmin用户', ['0430']],
    ['scattered among letters without look-alikes', 'p\u0430ypal\u0436', ['0430']],
    ['with an invisible character in between', 'p\u200b\u0430ypal', ['200B', '0430']],
    ['a digit', 'v1.\u0a66x2', ['0A66']],
    ['an option', 'curl -\u043e x', ['043E']],
    ['a program', 'ls; \u0441\u0440 -r a b', ['0441', '0440']],
    ['a program name with letters that are merely similar', '\u0441\u0430\u0442 x', ['0441', '0430']],
    ['a host', 'https://\u0441\u043e\u0441\u043e.com/\u0440\u0430\u043a', ['0441', '043E', '0441', '043E']],
    ['a host without a scheme', 'ssh \u0441\u043e\u0441\u043e.org', ['0441', '043E', '0441', '043E']],
    ['a host in a rule', 'WebFetch(domain:\u0441\u043e.x)', ['0441', '043E']],
    ['letters that hardly any language uses', '~/.\u0455\u0455\u04bb/x', ['0455', '0455', '04BB']],
    ['a slash', '/srv\u2044x \u2215etc', ['2044', '2215']],
    ['a hyphen', 'a\u2010b \u2212rf', ['2010', '2212']],
    ['a dash before an option', 'rm \u2013rf x', ['2013']],
    ['a full stop in a host', 'https://a\u3002com', ['3002']],
    ['a semicolon', 'a\uff1bb c\u037ed e\u204ff', ['FF1B', '037E', '204F']],
    ['letters that look like a full stop', 'evil\ua4f8com a\u0660b x\u{1d16d}y', ['A4F8', '0660', '1D16D']],
    ['such signs of other scripts', 'a\ua60eb a\u{10a50}b a\u2e33b', ['A60E', '10A50', '2E33']],
    ['a folder', '\u2024/x \u2025/x \ua4fa/x', ['2024', '2025', 'A4FA']],
    ['strokes', 'src\u2571x a\u2758b a\u2cc6b a\u27cdb', ['2571', '2758', '2CC6', '27CD']],
    ['colons and commas', 'a\u02d0b a\u0903b a\u02cfb a\ua4f9b', ['02D0', '0903', '02CF', 'A4F9']],
    ['operators', 'a\ua778b a\u276fb a\u16b2b a\u2e40b', ['A778', '276F', '16B2', '2E40']],
  ])('%s', (_, text, expected) => {
    expect(marks(text)).toEqual(expected);
  });

  test.each([
    ['bidi controls', 'a\u202eb\u2066c\u200f', ['202E', '2066', '200F']],
    ['zero-width characters', 'a\u200bb\u2060c\u00add\ufeff', ['200B', '2060', '00AD', 'FEFF']],
    ['tags', 'ls\u{e0072}\u{e006d}', ['E0072', 'E006D']],
    ['bytes as variation selectors', '😊\u{e0101}\u{e0102}\ufe0f', ['E0101', 'E0102', 'FE0F']],
    ['joiners after the fourth part of an emoji', '👨\u200d👩\u200d👧\u200d👦\u200d😀', ['200D']],
    ['joiners in Cyrillic', '\u0430\u200d\u0431', ['200D']],
    ['spaces of old scripts', 'rm\u{13441}x a\u{16fe4}b', ['13441', '16FE4']],
    ['odd spaces', 'rm\u00a0-rf\u2003\u202f/\u3000x', ['00A0', '2003', '202F', '3000']],
    ['strokes through a letter', 'ca\u0338t a\u20ddb', ['0338', '20DD']],
    ['marks on something other than a letter', './\u0307x 1\u0301', ['0307', '0301']],
    ['a mark without a base character', '\u0308x', ['0308']],
  ])('%s', (_, text, expected) => {
    expect(marks(text)).toEqual(expected);
  });
});

test.each([
  ['words of another script', 'cat файл.txt отчёт.md рак/сок.md "Пример"'],
  ['prose', 'git commit -m "исправил ошибку в а.ts, а с о у"'],
  ['Greek, units and formulas', 'echo αβγ Δx ρ_max 10µs kΩ μm x² m³ 1ª'],
  ['accents', 'cat résumé.txt naïve Ünïcode e\u0301cole ñandú żółć ışık adım Việt'],
  ['slang', 'commitнул URLы'],
  ['emoji', '1️⃣ ✌️ 👩‍💻 ❤️‍🔥 👨‍👩‍👧‍👦 👩🏻‍❤️‍💋‍👨🏻 🇩🇪 🏴󠁧󠁢󠁥󠁮󠁧󠁿 ①'],
  ['Chinese and Japanese', '使用npm（v10）：好。 テストＡＢＣ Ａ社 日本語　テスト 葛\u{e0100}城'],
  ['Korean', '테스트 파일.txt'],
  ['Arabic, Persian, Hebrew', 'ملف.txt می‌خواهم שלום'],
  ['Indian scripts', 'नमस्ते क्‍ष தமிழ் नमः दुःख'],
  ['digits and signs in their script', '١٠٠ ۱۰٫۵ ملف۔ ꓲꓢꓸ ǃKung maʔa Hawaiʻi ❯ npm'],
  ['typography', 'echo "don’t" … “q” 1–5 A—B word – word • → ✓ ×'],
])('%s are not marked', (_, text) => {
  expect(reveal(text, true)).toBe(text);
  expect(revealedNotice([text, '\ttab\n'], true)).toBeUndefined();
});

test('a minus is marked only in a command', () => {
  expect(reveal('2 files, +5 \u22123, 5\u22123')).toBe('2 files, +5 \u22123, 5\u22123');
  expect(marks('head \u22125 x')).toEqual(['2212']);
});

test('every letter in the table is marked in an ASCII word, and nothing is lost', () => {
  for (const [letter, like] of lookAlikeTable())
    expect(markLookAlikes(`xx${letter}xx`, false)).toMatch(new RegExp(`^xx‹U\\+[0-9A-F]+ like ${like}›xx$`));
  const back = (text: string): string =>
    text.replace(/‹U\+([0-9A-F]+)(?: like [^›]+)?›/g, (_, code) =>
      String.fromCodePoint(Number.parseInt(code, 16)),
    );
  fc.assert(
    fc.property(anyText(), fc.boolean(), (text, isCommand) => {
      fc.pre(!/[\t\r‹›]/.test(text));
      expect(back(reveal(text, isCommand))).toBe(text);
    }),
  );
});

test('a notice says that something is marked', () => {
  expect(revealedNotice(['ls', 'p\u0430ypal'])).toMatch(/look like others/);
  expect(revealedNotice(['ls', 'a\u200bb'])).toMatch(/show nothing/);
});
