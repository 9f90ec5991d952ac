import { describe, expect, test } from 'vitest';
import { languageOf, sameLanguage } from '../../../src/context/compaction/language.ts';

const texts = {
  English:
    'The user wants a fix for the login, and the tests should be run with the new setting that was added to it.',
  German:
    'Der Benutzer möchte, dass die Anmeldung repariert wird und die Tests nicht mit der alten Einstellung laufen, die auf dem Server ist.',
  French:
    "L'utilisateur veut que la connexion soit réparée, et que les tests sont dans le dossier qui est pour cette version avec une option.",
  Spanish:
    'El usuario quiere que se arregle el inicio de sesión y que las pruebas del proyecto no son para los que están con una opción.',
  Chinese: '用户希望修复登录问题，并且不要修改数据库结构，文件在 src/auth/login.ts',
  Japanese: 'ユーザーはログインの不具合を修正し、テストを変更しないことを望んでいます。',
  Korean: '사용자는 로그인 버그를 고치고 데이터베이스를 변경하지 않기를 원합니다.',
  Russian: 'Пользователь хочет исправить вход и не менять базу данных.',
  Arabic: 'يريد المستخدم إصلاح تسجيل الدخول دون تغيير قاعدة البيانات.',
} as const;
const pairs = Object.entries(texts).flatMap(([wanted, user]) =>
  Object.entries(texts).map(([written, summary]) => [wanted, written, user, summary] as const),
);

describe('the language of a summary', () => {
  test.each(pairs)('requested in %s, written in %s', (wanted, written, user, summary) => {
    expect(sameLanguage(summary, user)).toBe(wanted === written);
  });

  test.each([
    ['fix it', texts.Chinese],
    [texts.Chinese, 'ok'],
    ['修复 login bug in AuthService', `${texts.Chinese} Error: ENOENT`],
    [texts.English, `${texts.English} 用户`],
    [`修复这个：\n${texts.English.repeat(9)}`, texts.Chinese],
    [`${texts.German}\n${texts.English.repeat(9)}`, texts.German],
    [texts.German, '1. Primary request and intent\n2. Files modified\n- src/a.ts'],
    [texts.Chinese, `1. Primary request and intent\n${texts.Chinese}\n2. Files modified\n- \`src/a.ts\``],
  ])('when in doubt, it counts as the same: %j, %j', (user, summary) => {
    expect(sameLanguage(summary, user)).toBe(true);
  });

  test('it is named if it is clear', () => {
    expect(Object.values(texts).map(languageOf)).toEqual([
      'English',
      'German',
      'French',
      'Spanish',
      'Chinese',
      'Japanese',
      'Korean',
      undefined,
      undefined,
    ]);
    expect(languageOf('ok')).toBeUndefined();
    expect(languageOf(`修复这个：\n${texts.English.repeat(9)}`)).toBeUndefined();
    expect(languageOf(`${texts.German}\n${texts.English.repeat(9)}`)).toBeUndefined();
  });
});
