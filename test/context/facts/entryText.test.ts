import { describe, expect, test } from 'vitest';
import { languageOf, sameLanguage } from '../../../src/context/compaction/language.ts';
import { typedText } from '../../../src/context/facts/entryText.ts';
import { Log } from './log.ts';

const typed = (...prompts: readonly string[]): string => {
  const log = new Log();
  for (const prompt of prompts) {
    log.prompt(prompt);
    log.reply('fine');
  }
  return typedText(log.entries);
};

const lines = (line: string, times = 60): string =>
  Array.from({ length: times }, (_, index) => line.replace('#', String(index % 60))).join('\n');
const log = lines(
  '2026-11-22 10:00:# ERROR worker # could not open the connection to the database because the host was not reachable',
);
const chineseDoc = lines('解析器在这里决定如何处理花括号以及方括号的情况。');
const englishDoc = lines('The parser decides here what is to be done with the braces that it has not seen.');

const german = 'Bitte finde heraus, warum die Verbindung nicht steht. Ändere noch keine Datei.';
const english = 'Please translate nothing, just check whether this document matches the code.';
const chinese = '请帮我看看这个日志，找出数据库连接失败的原因，不要修改任何文件';

describe('what the user typed', () => {
  test.each([
    ['a log below', `${german}\n${log}`, german],
    ['a log above', `${log}\n\n${german}`, german],
    ['a fence', `${german}\n\`\`\`ts\n${englishDoc}\n\`\`\`\n`, german],
    ['an unclosed fence', `${german}\n~~~\n${englishDoc}`, german],
    ['a quote', `> ${english}\n> ${english}\n${german}`, german],
    [
      'a stack',
      `Fix it.\nTypeError: x is not a function\n    at run (src/a.ts:3:4)\n    at src/b.ts:1:2`,
      'Fix it.',
    ],
    ['a document', `${english}\n${chineseDoc}`, ''],
    ['an announced document', `${chinese}：\n${englishDoc}`, `${chinese}：`],
    ['a page on one line', `Fix the test. ${'El servidor no responde. '.repeat(30)}`, 'Fix the test.'],
    ['a long line at the end', `Fix the test.\n${'El servidor no responde. '.repeat(30)}`, 'Fix the test.'],
    ['a page without sentences', 'El servidor no responde '.repeat(30), ''],
    ['a few lines of words', `${german}\n\n${german}`, `${german}\n${german}`],
  ])('%s is distinguished from typed text', (_, prompt, words) => {
    expect(typed(prompt)).toBe(words);
  });

  test('is taken from the latest prompts, oldest first', () => {
    expect(typed('one', log, 'two', 'three')).toBe('one\ntwo\nthree');
    const entries = new Log();
    for (const text of ['one', 'two', log, 'three']) entries.prompt(text);
    expect(typedText(entries.entries, 3)).toBe('two\nthree');
  });
});

const germanSummary =
  'Der Nutzer will wissen, warum die Verbindung nicht zustande kommt. Es wurde noch keine Datei geändert und die Tests sind nicht gelaufen, die auf dem Server liegen.';
const englishSummary =
  'The user wants to know why the connection is lost. The files that were read are in the folder of the server, and it has not been tested.';
const chineseSummary = '用户要求找出数据库连接失败的原因，并且不要修改任何文件。日志显示主机无法访问。';

describe('pasted text does not decide the language', () => {
  test.each([
    ['German with an English log', [`${german}\n${log}`], undefined, [germanSummary]],
    ['German with an English page', [`${german}\n${englishDoc}`], undefined, [germanSummary, englishSummary]],
    [
      'English with a Chinese page',
      [`${english}\n${chineseDoc}`],
      undefined,
      [englishSummary, chineseSummary],
    ],
    [
      'English with two short lines of Chinese',
      [`${english}\n${lines('解析器在这里决定如何处理花括号以及方括号的情况。', 2)}`],
      undefined,
      [englishSummary, chineseSummary],
    ],
    ['Chinese with an English log', [`${chinese}\n${log}`], 'Chinese', [chineseSummary]],
    ['several prompts in German', [german, log, german, german], 'German', [germanSummary]],
  ])('%s', (_, prompts, language, accepted) => {
    expect(languageOf(typed(...prompts))).toBe(language);
    for (const summary of accepted) expect(sameLanguage(summary, typed(...prompts))).toBe(true);
  });

  test('a summary is discarded only if the user never typed its language', () => {
    expect(sameLanguage(englishSummary, typed(`${chinese}\n${log}`))).toBe(false);
    expect(sameLanguage(chineseSummary, typed(german, german, german))).toBe(false);
    // Long ago, and only a few of many words.
    const mostlyEnglish = [chinese, ...Array.from({ length: 20 }, () => `${english} ${englishSummary}`)];
    expect(sameLanguage(chineseSummary, typed(...mostlyEnglish))).toBe(true);
    const mostlyChinese = [englishSummary, ...Array.from({ length: 20 }, () => chinese)];
    expect(languageOf(typed(...mostlyChinese))).toBe('Chinese');
    expect(sameLanguage(englishSummary, typed(...mostlyChinese))).toBe(true);
    const japanese = 'ユーザーはログインの不具合を修正し、テストを変更しないことを望んでいます。';
    expect(sameLanguage(chineseSummary, typed(japanese, japanese))).toBe(false);
  });
});
