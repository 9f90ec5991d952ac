/** Settings files are secrets only if they contain a password, key or token. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

const TOKEN = ['ghp', 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi'].join('_');

test.each([
  ['.npmrc', '//registry.npmjs.org/:_authToken=abc\n', 'ask'],
  ['.npmrc', 'fund=false\r\n"//r.example/:_authToken" = "abc"\r\n', 'ask'],
  ['.npmrc', 'save-exact=true\n_auth=YTpi\n', 'ask'],
  ['.npmrc', '//r.example/:username=a\n//r.example/:_password[]=YQ==\n', 'ask'],
  ['.npmrc', '//r.example/:_authToken=${TOKEN-abc}\n', 'ask'],
  ['.npmrc', '//r.example/:_authToken=${TOKEN}abc\n', 'ask'],
  ['.npmrc', '//r.example/:key="-----BEGIN"\n', 'ask'],
  ['.npmrc', 'registry=https://a:b@r.example/\n', 'ask'],
  ['.npmrc', 'proxy=http://abc@r.example:8080\n', 'ask'],
  ['.npmrc', `x=${TOKEN}\n`, 'ask'],
  ['old/.npmrc.bak', '_authToken=abc\n', 'ask'],
  ['old/.npmrc.save~', '_authToken=abc\n', 'ask'],
  ['.npmrc', 'loglevel=error\nfund=false\n@a:registry=https://r.example/\n', 'allow'],
  ['.npmrc', '//r.example/:_authToken=${NPM_TOKEN}\n//s.example/:_authToken="${TOKEN?}"\r\n', 'allow'],
  ['.npmrc', '# set _authToken here\n//r.example/:_authToken=\nengine-strict=true\n', 'allow'],
  ['.npmrc', '# //r.example/:_authToken=a1b2c3d4-1111-4222-8333-abcdefabcdef\nfund=false\n', 'ask'],
  ['.npmrc', 'proxy=http://me:pa/ss@p.example:1/\n', 'ask'],
  ['.yarnrc.yml', 'npmAuthToken: "abc123"\n', 'ask'],
  ['.yarnrc.yml', 'npmScopes:\n  a:\n    npmAuthIdent: user:pass\n', 'ask'],
  ['.yarnrc.yml', 'npmAuthToken: "${TOKEN:-abc123}"\n', 'ask'],
  ['.yarnrc.yml', 'npmAuthToken: "${TOKEN}"\n', 'allow'],
  ['.yarnrc.yml', 'nodeLinker: node-modules\n', 'allow'],
  ['NuGet.Config', '<configuration><packageSourceCredentials><a/></packageSourceCredentials>', 'ask'],
  ['nuget.config', '<add key="ClearTextPassword" value="x" />', 'ask'],
  ['nuget.config', '<packageSources><add key="a" value="https://a" /></packageSources>', 'allow'],
  ['php/auth.json', '{"http-basic": {"repo.example.com": {"username": "a", "password": "b"}}}', 'ask'],
  ['php/auth.json', '{"github-oauth": {}}', 'allow'],
  ['prod.tfvars', 'region = "eu"\ndb_password = "hunter2"\n', 'ask'],
  ['a.auto.tfvars.json', '{\n  "api_key": "abc"\n}\n', 'ask'],
  ['nested.tfvars', 'db = {\n  pass = "hunter2"\n}\n', 'ask'],
  ['oneline.tfvars', 'db = { user = "a", password = "Sommer2024!" }\n', 'ask'],
  ['pwd.tfvars', 'db_pwd = "hunter2"\npassphrase = ""\n', 'ask'],
  ['compass.tfvars', 'compass = "north"\npassive = "yes"\n', 'allow'],
  ['dev.tfvars', 'region = "eu"\npassword_length = 20\n', 'allow'],
  ['.hgrc', '[auth]\nx.prefix = hg.example.com\nx.password = abc\n', 'ask'],
  ['.hgrc', '[ui]\nusername = a <a@example.com>\n', 'allow'],
  ['.condarc', 'channels:\n  - https://conda.example.com/t/ab-123456/main\n', 'ask'],
  ['.condarc', 'channels:\n  - conda-forge\n', 'allow'],
  ['.cabal/config', 'username: a\npassword: b\n', 'ask'],
  ['.cabal/config', '-- password:\njobs: $ncpus\n', 'allow'],
  ['src/auth.json', '{"title": "Sign in"}', 'allow'],
  ['appsettings.Production.json', '{"Smtp": {"Password": "hunter2"}}', 'ask'],
  ['appsettings.json', '{"ConnectionStrings": {"Db": "Server=a;Pwd=hunter2"}}', 'ask'],
  ['appsettings.Development.json', '{"Logging": {"LogLevel": "Information"}, "Password": ""}', 'allow'],
  ['wp-config.php', "define( 'DB_PASSWORD', 'hunter2' );\n", 'ask'],
  [
    'wp-config.php',
    "define('DB_PASSWORD', getenv('DB_PASSWORD'));\ndefine('AUTH_KEY', 'put your unique phrase here');",
    'allow',
  ],
  ['blog/wp-config.php', "const DB_PASSWORD = 'hunter2';\n", 'ask'],
  ['shop/wp-config.php', "define('DB_PASSWORD', getenv('DB_PASSWORD') ?: 'hunter2');\n", 'ask'],
  ['db/database.yml', 'production: { adapter: pg, password: hunter2 }\n', 'ask'],
  ['application-a.yml', 'datasource:\n  password:\n    hunter2\n', 'ask'],
  ['application-b.yml', 'password:\n  min-length: 8\ntoken:\n  # none\n', 'allow'],
  ['my-app.env.sh', 'export DB_PASS=hunter2\n', 'ask'],
  // A token in a well-known format, whatever the setting is called.
  ['appsettings.Dev.json', `{"GitHub": "${TOKEN}"}`, 'ask'],
  ['datasources.xml', `<server><privateThing>${TOKEN}</privateThing></server>`, 'ask'],
  ['local.properties', `gh=${TOKEN}\n`, 'ask'],
  ['gh.tfvars', `gh = "${TOKEN}"\n`, 'ask'],
  [
    'work.mcp.json',
    JSON.stringify({ mcpServers: { a: { args: ['-y', '--api-key', 'abc0123456789abc0123'] } } }, null, 2),
    'ask',
  ],
  // Patches and messages that git keeps during a rebase or a commit.
  ['one/.git/rebase-merge/patch', 'diff --git a/.env b/.env\n--- a/.env\n+++ b/.env\n@@\n+A=1\n', 'ask'],
  ['two/.git/rebase-apply/0001', `Subject: x\n\n+++ b/src/a.ts\n+const key = '${TOKEN}'\n`, 'ask'],
  ['three/.git/rebase-apply/0002', 'Subject: .env\n\ndiff --git a/a.ts b/a.ts\n+A=1\n', 'allow'],
  ['four/.git/COMMIT_EDITMSG', 'x\n# ------\ndiff --git "a/p/.env" "b/p/.env"\n+A=1\n', 'ask'],
  ['gcp-key.json', '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----"}', 'ask'],
  ['locales/key.json', '{"private_key": "Private key"}', 'allow'],
  ['api_key.txt', 'sk-0123456789\n', 'ask'],
  ['prod-passwords.txt', 'Passwords\n\ndb password: hunter2\n', 'ask'],
  ['tests/passwords.txt', '123456\npassword\nqwerty\n', 'allow'],
  ['secrets/db_password', 'hunter2\n', 'ask'],
  ['secrets/a.txt', 'hunter2\n', 'ask'],
  ['secrets/README.txt', 'How to add a secret.\n', 'allow'],
  ['secrets/index.ts', 'export const password = read();\n', 'allow'],
  ['one/secrets', 'Hunter-Two-99\n', 'ask'],
  ['two/passwords', '# none yet\n', 'allow'],
  ['dotenv', 'DB_PASSWORD=hunter2\n', 'ask'],
  ['credentials.txt', 'user: bob\npassword: hunter22\n', 'ask'],
  ['mnemonic.txt', `${'legal winner thank year '.repeat(3)}\n`, 'ask'],
  ['docs/tokens.txt', 'Words are split into tokens, which are numbers.\n', 'allow'],
  ['.mcp.json', '{"mcpServers": {"a": {"env": {"GITHUB_TOKEN": "ghp_0123456789"}}}}', 'ask'],
  ['.cursor/mcp.json', '{"a": {"headers": {"Authorization": "Bearer abc0123456789"}}}', 'ask'],
  ['.vscode/mcp.json', '{"a": {"args": ["--api-key", "abc0123456789abc0123456789"]}}', 'ask'],
  [
    '.mcp.json',
    '{"mcpServers": {"a": {"env": {"GITHUB_TOKEN": "${GITHUB_TOKEN}"}, "args": ["--token-file", "x"]}}}',
    'allow',
  ],
  ['cypress.env.json', '{"password": "hunter2"}', 'ask'],
  ['cypress.env.json', '{"baseUrl": "http://localhost"}', 'allow'],
  ['.vscode/sftp.json', '{"host": "a", "password": "hunter2"}', 'ask'],
  ['gradle.properties', 'org.gradle.jvmargs=-Xmx2g\nRELEASE_STORE_PASSWORD=hunter2\n', 'ask'],
  ['gradle.properties', 'org.gradle.jvmargs=-Xmx2g\nPASSWORD=${X}\n', 'allow'],
  ['src/application.properties', 'spring.datasource.password=hunter2\n', 'ask'],
  ['src/application-prod.yml', 'spring:\n  datasource:\n    password: hunter2\n', 'ask'],
  ['src/application.yml', 'password: ${DB}\nsecurity:\n  tokenSeconds: 60\n', 'allow'],
  ['src/messages.properties', 'label.password=Password\n', 'allow'],
  ['envfile', 'AWS_SECRET_ACCESS_KEY=abc0123456789\n', 'ask'],
  ['env.production', 'DB_PASSWORD=hunter22\n', 'ask'],
  ['setenv.sh', 'export API_TOKEN="abc0123456789"\n', 'ask'],
  ['setenv.sh', 'export API_TOKEN="$1"\nexport NODE_ENV=test\n', 'allow'],
  ['env.example', 'DB_PASSWORD=hunter22\n', 'allow'],
  ['src/env.ts', 'token = process.env.TOKEN\n', 'allow'],
  ['conf/tomcat-users.xml', '<user username="a" password="hunter2"/>', 'ask'],
  ['.m2/settings.xml', '<server><password>hunter2</password></server>', 'ask'],
  ['.m2/settings.xml', '<server><password>${env.X}</password></server>', 'allow'],
  ['a.ovpn', 'remote a\n<key>\n', 'ask'],
  ['wg0.conf', '[Interface]\nPrivateKey = abc\n', 'ask'],
  ['clouds.yaml', 'auth:\n  password: abc\n', 'ask'],
  ['private_key', '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n', 'ask'],
  ['id_github', '\n-----BEGIN RSA PRIVATE KEY-----\nabc\n', 'ask'],
  ['mykey.txt', '# of the server\n-----BEGIN PRIVATE KEY-----\nabc\n', 'ask'],
  [
    'both.crt',
    '-----BEGIN CERTIFICATE-----\nab+/=\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nabc\n',
    'ask',
  ],
  ['putty', 'PuTTY-User-Key-File-3: ssh-ed25519\n', 'ask'],
  ['server.crt', '-----BEGIN CERTIFICATE-----\nab+/=\n-----END CERTIFICATE-----\n', 'allow'],
  ['NOTES', 'A key begins with\n-----BEGIN PRIVATE KEY-----\n', 'allow'],
  ['src/keys.ts', '-----BEGIN PRIVATE KEY-----\n', 'allow'],
  ['src/password.ts', 'export const password = "x";\n', 'allow'],
])('reading %s that contains %j: %s', async (file, content, behavior) => {
  const path = join(root, 'settings', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  expect((await bash(`cat settings/${file}`)).behavior).toBe(behavior);
  expect((await bash(`grep -r x settings --include=${file.replace(/.*\//, '')}`)).behavior).toBe(behavior);
});

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const key = `-----BEGIN PRIVATE KEY-----\n${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC'.repeat(8)}\n-----END PRIVATE KEY-----\n`;
const lines = (length: number): string => 'GET /index.html 200\n'.repeat(length / 20);
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

test.each([
  ['deploy_rsa_old', key, 'ask'],
  ['.mcp.json', JSON.stringify({ env: { GITHUB_TOKEN: token } }), 'ask'],
  ['env.production', `API_TOKEN=${token}\n`, 'ask'],
  ['gradle.properties', 'signing.password=kX8#vQ2$mN9pL4wR\n', 'ask'],
  ['ci/setenv.sh', `export GH_TOKEN=${token}\n`, 'ask'],
  ['gradle.properties', 'org.gradle.jvmargs=-Xmx2g\n', 'allow'],
  ['notes.txt', 'The token is in the vault.\n', 'allow'],
  ['data.bin', `\0${token}`, 'ask'],
  ['data.bin', `\0\x01\x02some text\0`, 'allow'],
  ['web.config', '<add connectionString="Server=a;Password=Sommer2024;User ID=sa" />', 'ask'],
  ['inventory.ini', 'web1 ansible_user=root ansible_ssh_pass=winter77\n', 'ask'],
  ['k8s/db.yaml', `data:\n  url: ${base64('postgres://app:qX9vQ2mZ7p@db.io/app')}\n`, 'ask'],
  ['k8s/env.yaml', `data:\n  .env: ${base64('A=1\nDB_PASSWORD=hunter22\n')}\n`, 'ask'],
  ['secret.yaml', 'kind: Secret\ndata:\n  password: aHVudGVyMjI=\n', 'ask'],
  ['chart/templates/secret.yaml', 'data:\n  password: {{ .Values.password | b64enc }}\n', 'allow'],
  ['jwks.json', `{"kty":"EC","crv":"P-256","d":"${'k7Qz2LmX9v'.repeat(4)}"}`, 'ask'],
  ['public.json', `{"kty":"EC","crv":"P-256","x":"${'k7Qz2LmX9v'.repeat(4)}"}`, 'allow'],
  ['docker-compose.yml', 'environment:\n  POSTGRES_PASSWORD: ${DB_PASSWORD}\n  TOKEN: postgres\n', 'allow'],
  ['config.example.yml', 'password: hunter22\n', 'allow'],
  ['program', '\x7fELF\x02\x01\0password=\0lib2so.x1\0', 'allow'],
  ['cache.db', 'SQLite\0\x04\x01password=kX8#vQ2$mN9pL4wR\0', 'ask'],
  ['locales/de.json', '{"password": "Passwort", "forgot": "Passwort vergessen?"}', 'allow'],
  // Code and documents contain examples.
  ['src/login.ts', "const password = 'hunter22';\n", 'allow'],
  ['docs/login.md', 'password: hunter22\n', 'allow'],
  ['src/token.test.ts', `const token = '${token}';\n`, 'allow'],
  ['docs/tokens.md', `A token looks like ${token}.\n`, 'allow'],
])('reading the named file %s that contains %j: %s', async (file, content, behavior) => {
  const path = join(root, 'named', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  expect((await bash(`cat named/${file}`)).behavior).toBe(behavior);
});

type Pairs = typeof generateKeyPairSync;
const newKey = (kind: 'rsa' | 'ec' | 'ed25519', type: 'pkcs1' | 'pkcs8' | 'sec1'): Buffer => {
  const options = { modulusLength: 2048, namedCurve: 'P-256' };
  const { privateKey } = (generateKeyPairSync as (kind: string, options: object) => ReturnType<Pairs>)(
    kind,
    options,
  );
  return privateKey.export({ format: 'der', type } as { format: 'der'; type: 'pkcs8' });
};
const publicKey = generateKeyPairSync('ed25519').publicKey.export({ format: 'der', type: 'spki' });

const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');

test.each<[string, string, string, string | Buffer]>([
  ['a token in UTF-16', 'cat', 'ask', utf16(`token: ${token}\n`)],
  ['a token in big-endian UTF-16', 'cat', 'ask', utf16(`token: ${token}\n`).swap16()],
  ['a key in UTF-16', 'cat', 'ask', utf16(key)],
  ['rsa.der', 'base64', 'ask', newKey('rsa', 'pkcs1')],
  ['rsa8.der', 'base64', 'ask', newKey('rsa', 'pkcs8')],
  ['ec.bin', 'xxd', 'ask', newKey('ec', 'sec1')],
  ['ec8.dat', 'xxd', 'ask', newKey('ec', 'pkcs8')],
  ['ed.key.bin', 'xxd', 'ask', newKey('ed25519', 'pkcs8')],
  ['public.der', 'base64', 'allow', publicKey],
  ['numbers.bin', 'xxd', 'allow', Buffer.from('3082010a020101040670756261', 'hex')],
  ['a text in UTF-16', 'cat', 'allow', utf16('The token is in the vault.\n')],
  ['prod.tfvars', 'cat', 'ask', utf16('db_password = "hunter2"\n')],
  ['a token after a long text', 'cat', 'ask', `${lines(3_000_000)}${token}\n`],
  ['a token before a long text', 'cat', 'ask', `${token}\n${lines(3_000_000)}`],
  ['a token in the middle of a long text', 'base64', 'ask', `${lines(900_000)}${token}\n${lines(900_000)}`],
  ['a long text', 'cat', 'allow', lines(3_000_000)],
  ['k.gz', 'zcat', 'ask', gzipSync(key)],
  ['k.gz', 'gzip -dc', 'ask', gzipSync(key)],
  ['two.gz', 'gunzip -c', 'ask', Buffer.concat([gzipSync('first\n'), gzipSync(token)])],
  ['log.gz', 'zcat', 'allow', gzipSync(lines(100_000))],
  ['long key.gz', 'zcat', 'ask', gzipSync(`${token}\n${lines(20_000_000)}`)],
  ['long.gz', 'zcat', 'allow', gzipSync(lines(20_000_000))],
  ['large.gz', 'zcat', 'ask', gzipSync(`${token}\n${randomBytes(2_000_000).toString('hex')}`)],
  // Files that we cannot unpack.
  ['damaged.gz', 'zcat', 'ask', Buffer.concat([gzipSync(key).subarray(0, 10), Buffer.alloc(500, 7)])],
  ['old.gz', 'zcat', 'ask', Buffer.from([0x1f, 0x9d, 0x90, 1, 2, 3])],
  ['zip.gz', 'zcat', 'ask', 'PK\x03\x04 and more'],
  ['empty.gz', 'zcat', 'allow', ''],
])('%s, read with %s: %s', async (file, call, behavior, content) => {
  mkdirSync(join(root, 'encoded'), { recursive: true });
  writeFileSync(join(root, 'encoded', file), content);
  expect((await bash(`${call} 'encoded/${file}'`)).behavior).toBe(behavior);
});

test('a folder is no file with secrets, whatever its name', async () => {
  for (const name of ['secrets', 'token', 'passwords', 'src/credential'])
    mkdirSync(join(root, 'folders', name), { recursive: true });
  for (const command of [
    'ls folders/secrets',
    'grep -r x folders',
    'cat folders/token/* folders/src/credential/a',
  ])
    expect((await bash(command)).behavior, command).toBe('allow');
});

test('a pattern stands for the files it matches', async () => {
  mkdirSync(join(root, 'matched'), { recursive: true });
  writeFileSync(join(root, 'matched/tok.txt'), `${token}\n`);
  writeFileSync(join(root, 'matched/a.txt'), 'a\n');
  for (const command of ['cat matched/t*.txt', 'cat matched/to[k].txt', 'head -1 matched/*'])
    expect((await bash(command)).behavior, command).toBe('ask');
  for (const command of ['cat matched/a*', 'ls matched/*'])
    expect((await bash(command)).behavior, command).toBe('allow');
});
