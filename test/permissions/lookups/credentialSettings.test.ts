/** Settings of package managers are secrets only if they hold a token. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { bash, root } from '../harness.ts';

test.each([
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
  ['gcp-key.json', '{"type": "service_account", "private_key": "-----BEGIN PRIVATE KEY-----"}', 'ask'],
  ['locales/key.json', '{"private_key": "Private key"}', 'allow'],
  ['api_key.txt', 'sk-0123456789\n', 'ask'],
  ['prod-passwords.txt', 'Passwords\n\ndb password: hunter2\n', 'ask'],
  ['tests/passwords.txt', '123456\npassword\nqwerty\n', 'allow'],
  ['secrets/db_password', 'hunter2\n', 'ask'],
  ['secrets/a.txt', 'hunter2\n', 'ask'],
  ['secrets/README.txt', 'How to add a secret.\n', 'allow'],
  ['secrets/index.ts', 'export const password = read();\n', 'allow'],
  ['src/password.ts', 'export const password = "x";\n', 'allow'],
])('cat %s with %s: %s', async (file, content, behavior) => {
  const path = join(root, 'settings', file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  expect((await bash(`cat settings/${file}`)).behavior).toBe(behavior);
  expect((await bash(`grep -r x settings --include=${file.replace(/.*\//, '')}`)).behavior).toBe(behavior);
});
