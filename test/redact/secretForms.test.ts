/** How people write secrets in practice: in commands, tables, pairs of fields, colors, other encodings. */
import { expect, test } from 'vitest';
import { writeRedaction } from '../../src/cli/sessions/redaction.ts';
import { redact } from '../../src/redact/redact.ts';

const password = 'Tr0ub4dor&3xQ';
const hex = '1bb01534a8d8d82a88cf9be5e7efed80';
const token = 'ghp_lSh9pg14E9ML9DXBEp5ytDmeM3ExJBst1yzu';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  ['a short name', `DB_PASS=${password}`, password],
  ['a name with a prefix', `ansible_become_pass: ${password}`, password],
  ['a Wi-Fi password', `psk="${password}"`, password],
  ['an application key', `DD_APP_KEY=${hex}`, hex],
  ['words', `API Key: ${hex}`, hex],
  ['a prompt', `AWS Secret Access Key [None]: ${base64(hex).slice(0, 40)}`, base64(hex).slice(0, 40)],
  ['aligned columns', `API_KEY                 = ${hex}`, hex],
  ['a table', `| API_KEY | ${hex} |`, hex],
  ['bold words', `**Password:** ${password}`, password],
  ['another shell', `set -x API_KEY ${hex}`, hex],
  ['the C shell', `setenv API_KEY ${hex}`, hex],
  ['a constant with a type', `const API_KEY: &str = "${hex}";`, hex],
  ['a setter', `client.setApiKey("${hex}")`, hex],
  ['two arguments', `define( 'DB_PASSWORD', '${password}' );`, password],
  ['two fields of JSON', `{"name":"DB_PASSWORD","value":"${password}"}`, password],
  ['two fields of YAML', `- name: DB_PASSWORD\n  value: "${password}"`, password],
  ['two attributes', `<add key="ApiKey" value="${hex}" />`, hex],
  ['a property list', `<key>APIKey</key>\n<string>${hex}</string>`, hex],
  ['curl', `curl -s -u admin:${password} https://h.io/`, password],
  ['curl, quoted', `curl --user 'admin:${password}' https://h.io/`, password],
  ['a login', `docker login -u me -p ${password} registry.io`, password],
  ['mysql', `mysql -u root -p${password} db`, password],
  ['sshpass', `sshpass -p '${password}' ssh host`, password],
  ['redis', `redis-cli -h cache -a ${password} ping`, password],
  ['a statement', `CREATE USER a IDENTIFIED BY '${password}';`, password],
  ['another scheme', `Authorization: token ${hex}`, hex],
  ['no scheme', `Authorization: ${hex}`, hex],
  [
    'a Docker configuration',
    `{"auths":{"r.io":{"auth":"${base64(`me:${password}`)}"}}}`,
    base64(`me:${password}`),
  ],
  ['a Kubernetes secret', `  password: ${base64('S3cr3t!pa55')}`, base64('S3cr3t!pa55')],
  ['a token in base64', `data: ${base64(token)}`, base64(token)],
  [
    'short base64 before other text',
    `x: ${base64('password: lxPX61a3xPn')}\nnext: value\n`,
    'cGFzc3dvcmQ6IGx4UFg2MWEzeFBu',
  ],
  ['a password with a slash', 'redis://:a/b9Zx8/c7@cache:6379/0', 'a/b9Zx8/c7'],
  ['a password with an @', 'postgres://app:p@ss/w0rd!x@db.io/app', 'w0rd!x'],
  ['a token as the user name', `https://${hex}@github.com/a/b.git`, hex],
  ['colors around it', `\u001b[36mpassword\u001b[0m: \u001b[32m"${password}"\u001b[0m`, password],
  ['grep’s colors', `.env:3:\u001b[01;31m\u001b[KAPI_KEY\u001b[m\u001b[K=${hex}`, hex],
  ['colors inside it', `ghp_\u001b[31m${token.slice(4)}\u001b[0m`, token.slice(4)],
  ['zero-width characters inside it', `${token.slice(0, 10)}\u200b${token.slice(10)}`, token.slice(10)],
  ['UTF-16', [...`auth: ${token}\r\n`].join('\0'), [...token.slice(0, 9)].join('\0')],
  ['a line after a name and a NUL', `config/a.yml\0auth: ${token}\n`, token],
  ['a token that a diff cuts', `@@ -6,4 +6,4 @@ name: ${token.slice(0, 30)}\n a`, token.slice(4, 30)],
  [
    'a token that a combined diff cuts',
    `\u001b[36m@@@ -1,2 -1,2 +1,3 @@@\u001b[m x ${token.slice(0, 16)}`,
    token.slice(4, 16),
  ],
  ['a token after a word', `Tool${token}`, token],
])('a secret as %s', (_, text, secret) => {
  const redacted = redact(text);
  expect(redacted).not.toContain(secret);
  expect(redacted).toContain('[redacted: ');
  expect(redact(redacted)).toBe(redacted);
});

test.each([
  'def f(key: Ed25519PrivateKey|Ed25519PublicKey|Ed448PrivateKey): pass',
  'authorization = base64.decodebytes(authorization[1]).decode("utf8")',
  'if (pass === maxPasses2) skip();',
  'curl -u "$USER:$PASSWORD" https://h.io/ && mysql -u root -P 33060 -p db',
  '\u001b[32mtoken\u001b[0m: \u001b[1mstring\u001b[0m',
  'setToken("access", withKey("name"))',
  '@@ -1,2 +1,2 @@ prefix: ghp_something\n@@ -5 +5 @@ const kind = gho_token1;',
  `@@ -1 +1 @@ x\n+cut: ${token.slice(0, 30)}`,
])('ordinary text is not changed: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test('also finds secrets in a UTF-16 file', () => {
  const settings = { sessions: { redactOnWrite: true } } as Parameters<typeof writeRedaction>[0];
  const { holdsSecrets } = writeRedaction(settings, () => []) ?? { holdsSecrets: () => false };
  expect(holdsSecrets(Buffer.from(`\ufefftoken ${token}`, 'utf16le'))).toBe(true);
  expect(holdsSecrets(Buffer.from('\ufeffnothing here', 'utf16le'))).toBe(false);
});
