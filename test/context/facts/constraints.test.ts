import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  chooseConstraints,
  foldText,
  strengthOf,
  userConstraints,
} from '../../../src/context/facts/constraints.ts';
import { sentencesOf } from '../../../src/context/facts/sentences.ts';
import { anyText, Log } from './log.ts';

const binding: readonly string[] = [
  // English
  "Don't touch the database.",
  'Do not add any dependencies.',
  'Never push to main.',
  'Please never commit without asking me first.',
  "Fix the bug, but don't change the public API.",
  'Always run the tests before you commit.',
  'The API must stay compatible with version 2.',
  'You must not edit files under vendor/.',
  'Only edit files in src/.',
  'Use only the standard library.',
  'Use pnpm instead of npm.',
  'Keep the old function names.',
  'Refactor it without changing the behaviour.',
  'No new dependencies, please.',
  'Avoid regular expressions here.',
  'The server listens on port 8080.',
  'Stick to Python 3.9.',
  'It has to work on Windows as well.',
  'Make sure the build still passes.',
  'The migrations folder is off limits.',
  "You can't use eval in this project.",
  'At most 3 retries.',
  'From now on, answer in German.',
  "The handler shouldn't throw.",
  'Could you make sure to never log passwords?',
  "I don't know why it fails, but never touch the database.",
  "Don't worry about the tests, just don't change the API.",
  // German
  'Ich weiß nicht, warum es scheitert, aber ändere die Tests nicht.',
  'Ändere die Konfiguration nicht.',
  'Bitte keine neuen Abhängigkeiten hinzufügen.',
  'Auf keinen Fall die Datenbank löschen.',
  'Du darfst nur Dateien in src ändern.',
  'Die Schnittstelle muss gleich bleiben.',
  'Immer Tabs verwenden.',
  'Mach das, ohne die Tests zu ändern.',
  'Verwende pnpm statt npm.',
  'Niemals auf main pushen.',
  // Spanish
  'No toques la base de datos.',
  'Nunca hagas push a main.',
  'Usa siempre tabuladores.',
  'Debes mantener la API.',
  'Hazlo sin cambiar las pruebas.',
  'Solo modifica los archivos de src.',
  // French
  'Ne touche pas à la base de données.',
  "N'utilise jamais eval.",
  'Il faut garder la même interface.',
  'Utilise toujours des tabulations.',
  'Corrige-le sans modifier les tests.',
  // Chinese
  '不要修改数据库。',
  '我不能登录，但不要修改数据库',
  '别动配置文件',
  '必须使用 pnpm',
  '只能修改 src 目录下的文件',
  '禁止提交到 main 分支！',
  '修复这个问题，但不能改变公开接口',
  '请务必保持向后兼容',
  '端口用 8080',
  '绝对不可以删除测试',
  '使用 TypeScript 编写',
  // Japanese
  'データベースには触らないでください。',
  '必ずテストを実行してください。',
  'mainに直接プッシュしてはいけません。',
  '新しい依存関係の追加は禁止です。',
  'srcだけを変更してください。',
  'テストを変更しないこと。',
  // Korean, Russian
  '데이터베이스를 건드리지 마세요.',
  '반드시 테스트를 실행하세요.',
  'Не трогай базу данных.',
  'Никогда не пушь в main.',
];

const ordinary: readonly string[] = [
  'Please fix the login bug.',
  'Why does the test never finish?',
  "It doesn't work on my machine.",
  "I don't understand this error.",
  'The script always crashes on startup.',
  'What must I do to run it?',
  'Do we need to use a cache here?',
  'The only failing test is the last one.',
  'I only see an empty page.',
  "Don't worry about it.",
  'No problem.',
  'It must be a race condition.',
  'He must have forgotten it.',
  'Keep going.',
  'Add a button to the settings page.',
  'How can I use this?',
  'Can you show me the file?',
  'Looks good, thanks!',
  'The function returns nothing.',
  'Does it run without errors?',
  'No idea why it fails.',
  'Das funktioniert nicht.',
  'Ich weiß nicht, warum.',
  'Kein Problem!',
  'Warum geht das nicht?',
  'Bitte behebe den Fehler in der Anmeldung.',
  'No funciona en mi equipo.',
  '¿Por qué no arranca?',
  'Arregla el error, por favor.',
  'Ça ne marche pas.',
  'Pourquoi est-ce que ça échoue ?',
  'Corrige le bug de connexion.',
  '为什么总是报错？',
  '这个程序不能运行',
  '帮我修复登录问题',
  '要不要加缓存？',
  '这个函数是做什么的',
  'ログインのバグを直してください。',
  'なぜ動かないのですか？',
  'これは何ですか。',
  '로그인 버그를 고쳐 주세요.',
  'Почему не работает?',
  'No tests fail any more.',
  'They must be tired.',
  'It returns at least 3 results.',
  'Please leave a comment.',
  "Don't know what's wrong.",
  'Ich muss noch etwas testen.',
  'Immer noch kaputt.',
  'Nur ein Test ist rot.',
  '用户不能登录',
  '使用方法是什么',
  'Siempre falla.',
  'Toujours pas.',
  'Without it the page breaks.',
  'It no longer compiles.',
  'Should I use pnpm or npm?',
  'const x = { a: 1, b: [2] }; if (!x) return;',
];

describe('constraints of the user', () => {
  test.each(binding)('binds: %s', (sentence) => {
    expect(strengthOf(sentence)).toBeDefined();
  });

  test.each(ordinary)('does not bind: %s', (sentence) => {
    expect(strengthOf(sentence)).toBeUndefined();
  });

  test('prohibitions are stronger than wishes', () => {
    expect(strengthOf('Never push to main.')).toBe(3);
    expect(strengthOf('Keep the old function names.')).toBe(2);
    expect(strengthOf('Use pnpm.')).toBe(1);
  });

  test('they are quoted word for word with their place; code, quotations and other speakers are left out', () => {
    const log = new Log();
    log.prompt(
      'Fix it.\n\n```\n// never call this twice, you must not\n```\n> always use tabs\n\n- Never push to main\n- Use port 8080',
    );
    log.reply('I must not forget: never touch this.');
    log.call({ command: 'x' }, { output: 'You must never stop.' });
    log.prompt([
      { type: 'text', text: 'Also: never push to main!' },
      { type: 'image', data: 'x' },
    ]);
    log.raw({ subtype: 'reminder', message: { role: 'user', content: 'Always do X.' } });
    expect(userConstraints(log.entries)).toEqual([
      { text: 'Never push to main', seq: 0, strength: 3 },
      { text: 'Use port 8080', seq: 0, strength: 1 },
      { text: 'Also: never push to main!', seq: 4, strength: 3 },
    ]);
  });

  test('a sentence that was only wrapped stays whole; what was said twice stands where it was said last', () => {
    const log = new Log();
    log.prompt('Never touch the database in the production environment\nof the customer. Use tabs.');
    log.prompt('use   tabs');
    expect(userConstraints(log.entries).map(({ text, seq }) => [seq, text])).toEqual([
      [0, 'Never touch the database in the production environment\nof the customer.'],
      [1, 'use   tabs'],
    ]);
  });

  test('where room is short the strongest stay, then the newest, in the order in which they were said', () => {
    const log = new Log();
    for (const text of ['Use tabs.', 'Never push to main.', 'Use port 8080.', 'Never delete tests.'])
      log.prompt(text);
    const chosen = chooseConstraints(userConstraints(log.entries), 53);
    expect(chosen.map(({ text }) => text)).toEqual([
      'Never push to main.',
      'Use port 8080.',
      'Never delete tests.',
    ]);
  });

  test('a long one is cut, a pasted document has a bound', () => {
    const log = new Log();
    log.prompt(`Never ${'word '.repeat(200)}.`);
    log.prompt(
      'You must never do number 1 of this list again.\n\n'
        .repeat(5)
        .replaceAll('1', () => String(Math.random())),
    );
    log.prompt(Array.from({ length: 1000 }, (_, index) => `- never do ${index}`).join('\n'));
    const found = userConstraints(log.entries);
    expect(found[0]?.text.length).toBeLessThanOrEqual(300);
    expect(found.length).toBeLessThanOrEqual(1 + 5 + 200);
  });

  test('whatever a prompt holds: bounded quotes from its own text, and no exception', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, fc.constantFrom(...binding, ...ordinary))), (parts) => {
        const text = parts.join('\n');
        const log = new Log();
        log.prompt(text);
        for (const { text: quote } of userConstraints(log.entries)) {
          expect(quote.length).toBeLessThanOrEqual(300);
          expect(text).toContain(quote.replace(/…$/, ''));
        }
      }),
    );
  });

  test.each(['.', '!?', ',    ', ' must', 'a', '。', 'never ', '"', '- ', '不要', '{', '\n', "don't "])(
    'two megabytes of %j are looked through without delay',
    (piece) => {
      const log = new Log();
      log.prompt(piece.repeat(2_000_000 / piece.length));
      const started = performance.now();
      userConstraints(log.entries);
      expect(performance.now() - started).toBeLessThan(5000);
    },
  );
});

test('sentences end at full stops of any script, not at abbreviations or dots in names', () => {
  const text = 'Fix a.ts, e.g. the loop. Then stop! 先修复。再测试；完成';
  expect([...sentencesOf(text)]).toEqual([
    'Fix a.ts, e.g. the loop.',
    'Then stop!',
    '先修复。',
    '再测试；',
    '完成',
  ]);
});

test('for comparing, quotation marks, blanks, case and the last stop do not count', () => {
  expect(foldText(' “Never  touch\nit.” ')).toBe(foldText("never touch 'it'"));
});
