/** The characters of other scripts that look like ASCII. */

/**
 * Letters and digits of other scripts, by the ASCII character they look like; code points in hex. Taken from the
 * confusables of Unicode's UTS #39 (https://www.unicode.org/Public/security/latest/confusables.txt), version 10: all
 * that map to one ASCII letter or digit. Omits characters that normalization already catches (fullwidth,
 * mathematical), scripts that do not occur next to Latin letters, and б, г and З, which do not really look like 6, r
 * and 3. Adds к, κ, η, χ, ω and τ.
 */
const byAscii = {
  '2': '1a7 3e8 14bf a644 a6ef a75a',
  '3': '1b7 21c 2ccc a76a a7ab 118ca 16f3b',
  '4': '13ce 118af',
  '5': '1bc 118bb',
  '6': '13ee 2cd2 118d5',
  '7': '104d2 118c6',
  '8': '222 223 9ea a6a 1031a',
  '9': '9ed a67 b68 d6d 2cca a76e 118ac 118cc 118d6',
  A: '391 410 13aa 15c5 a4ee 102a0 16f40',
  B: '392 412 13f4 15f7 a4d0 a7b4 10282 102a1 10301',
  C: '421 13df 2ca4 a4da 102a2 10302 10415 1051c 118e9',
  D: '13a0 15de 15ea a4d3',
  E: '395 415 13ac 2d39 a4f0 10286 118a6 118ae',
  F: '3dc 15b4 a4dd a798 10287 102a5 10525 118a2 118c2',
  G: '50c 13c0 13f3 a4d6',
  H: '397 41d 13bb 157c 2c8e a4e7 102cf',
  J: '37f 408 13ab 148d a4d9 a7b2',
  K: '39a 41a 13e6 16d5 2c94 a4d7 10518',
  L: '13de 14aa 2cd0 a4e1 1041b 10526 118a3 118b2 16f16',
  M: '39c 3fa 41c 13b7 15f0 16d6 2c98 a4df 102b0 10311',
  N: '39d 2c9a a4e0 10513',
  O: '39f 41e 555 7c0 9e6 b20 b66 12d0 2c9e 2d54 a4f3 10292 102ab 10404 104c2 10516 114d0 118b5 118e0',
  P: '3a1 420 13e2 146d 2ca2 a4d1 10295',
  Q: '2d55',
  R: '1a6 13a1 13d2 1587 a4e3 104b4 16f35',
  S: '405 54f 13d5 13da a4e2 10296 10420 16f3a',
  T: '3a4 422 13a2 2ca6 a4d4 10297 102b1 10315 118bc 16f0a',
  U: '54d 1200 144c a4f4 104ce 118b8 16f42',
  V: '474 13d9 142f 2d38 a4e6 a6df 1051d 118a0 16f08',
  W: '51c 13b3 13d4 a4ea 118e6',
  X: '3a7 425 16b7 2cac 2d5d a4eb a7b3 10290 102b4 10317 10527',
  Y: '3a5 423 4ae 13a9 13bd 2ca8 a4ec 102b2 118a4 16f43',
  Z: '396 13c3 a4dc 118a9 118e5',
  a: '251 3b1 430',
  b: '184 42c 13cf 15af',
  c: '441 1d04 2ca5 abaf 1043d',
  d: '501 13e7 146f a4d2',
  e: '435 4bd ab32',
  f: '584 1e9d a799 ab35',
  g: '18d 261 581 1d83',
  h: '4bb 570 13c2',
  i: '131 269 26a 3b9 456 4cf 13a5 a647 ab75 118c3',
  j: '3f3 458',
  k: '3ba 43a',
  l: '196 1c0 399 406 4c0 7ca 16c1 2c92 2d4f a4f2 1028a 10309 16f28',
  n: '3b7 578 57c',
  o: '3bf 3c3 43e 585 966 a66 ae6 be6 c66 ce6 d20 d66 ed0 101d 1040 10ff 1d0f 1d11 2c9f ab3d 1042c 104ea 118c8 118d7',
  p: '3c1 440 2ca3',
  q: '51b 563 566',
  r: '1d26 2c85 ab47 ab48 ab81',
  s: '1bd 455 a731 abaa 10448 118c1',
  t: '3c4',
  u: '28b 3c5 57d 1d1c a79f ab4e ab52 104f6 118d8',
  v: '3bd 475 1d20 aba9 11706 118c0',
  w: '26f 3c9 461 51d 561 1d21 ab83 1170a 1170e 1170f',
  x: '3c7 445 1541 157d',
  y: '263 28f 3b3 443 4af 10e7 1d8c 1eff ab5a 118dc',
  z: '1d22 ab93 118c4',
};

/**
 * The same for punctuation, from the same version, with 2cbb and 11dd9 from version 17: all that map to one ASCII sign, or
 * to `..`. Omits quotation marks, which are typography, kana and Chinese characters, and letters that languages write
 * next to ASCII (ʔ). Adds U+2014, U+2E33, U+3002, U+FF61, U+204F, U+2CF, U+2223, U+2758 and U+FFE8.
 */
const signsByAscii = {
  '-': '2010 2011 2012 2013 2014 2043 2212 2d7 6d4 2796 2cba 2cbb fe58',
  '/': '1735 2041 2044 2215 2571 27cb 29f8 2cc6 2f03 31d3 1d23a',
  '\\': '2216 27cd 29f5 29f9 2f02 31d4 1d20f 1d23b',
  ':': '2d0 2f8 589 5c3 703 704 903 a83 16ec 1803 1809 205a 2236 a4fd a789 fe30 11dd9',
  ';': '204f',
  '.': '660 6f0 701 702 2e33 3002 a4f8 a60e ff61 10a50 1d16d',
  '..': '2025 a4fa',
  ',': 'b8 2cf 60d 66b a4f9',
  '|': '2223 2758 ffe8',
  '&': 'a778',
  '!': '1c3 2d51',
  '*': '66d 204e 2217 1031f',
  '+': '16ed 2795 1029b',
  '=': '1400 2e40 30a0 a4ff',
  '<': '2c2 1438 16b2 276e 1d236',
  '>': '2c3 1433 276f 16f3f 1d237',
  '(': '2768 2772 fd3e',
  ')': '2769 2773 fd3f',
  '{': '2774 1d114',
  '}': '2775',
  '^': '2c4 2c6',
  _: '7fa',
  '~': '2dc 1fc0 2053 223c',
};

let signs: ReadonlyMap<string, string> | undefined;

/** Maps each look-alike of a sign to that sign of ASCII. */
export function signTable(): ReadonlyMap<string, string> {
  signs ??= tableOf(signsByAscii);
  return signs;
}

let table: ReadonlyMap<string, string> | undefined;

/** Maps each look-alike to its ASCII letter or digit. */
export function lookAlikeTable(): ReadonlyMap<string, string> {
  table ??= tableOf(byAscii);
  return table;
}

function tableOf(codesByAscii: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(codesByAscii).flatMap(([ascii, codes]) =>
      codes.split(' ').map((code) => [String.fromCodePoint(Number.parseInt(code, 16)), ascii] as const),
    ),
  );
}
