import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { globsOverlap } from '../../../src/permissions/files/globOverlap.ts';
import { couldBeSensitive, isSensitive } from '../../../src/permissions/files/sensitive.ts';

describe('secrets', () => {
  test.each([
    '/p/.env',
    // Copies by editors and package managers.
    ...['..env.swp', '.env.swo', '.server.pem.swp', '.server.pem.un~', '.id_rsa.swp', '.x.key.kate-swp'],
    ...[
      '#.env#',
      '#server.pem#',
      '.#.env',
      '.env.dpkg-old',
      'server.key.rpmsave',
      '.env___jb_tmp___',
      '.env.tmp',
    ],
    ...['.sentryclirc', 'local.settings.json', '.clasprc.json', '.rclone.conf'],
    ...['/h/.terraformrc', '/h/.terraform.d/credentials.tfrc.json'],
    '.env.local',
    '.ENV',
    '.env.production',
    '.envrc',
    'prod.env',
    '/h/.ssh/config',
    'id_rsa',
    'id_ed25519',
    'server.pem',
    'a/b/tls.key',
    'x.p12',
    'release.keystore',
    '/h/.aws/credentials',
    '/h/.cargo/credentials.toml',
    '/h/.python_history',
    '/h/.psql_history',
    '/h/.my.cnf',
    '/h/.authinfo.gpg',
    '/h/.gnupg/x',
    '/h/.kube/config',
    '/h/.docker/config.json',
    '/h/.config/gcloud/x.json',
    '/h/.config/gh/hosts.yml',
    '.netrc',
    '.netrc',
    '.pypirc',
    '.git-credentials',
    'credentials.json',
    'credentials-prod.json',
    'service-account-x.json',
    ...[
      '.dev.vars',
      '.dev.vars.production',
      '.vault_pass.txt',
      'terraform.tfstate',
      'kubeconfig',
      'AuthKey_X.p8',
    ],
    ...['serviceAccountKey.json', 'service_account.json', 'x-firebase-adminsdk-y.json', 'x_accessKeys.csv'],
    ...[
      'config/credentials.yml',
      '/h/.codex/auth.json',
      '/h/.composer/auth.json',
      '/h/.config/rclone/x',
      '.claude.json',
    ],
    '/h/.clawdcode/config.json',
    '/h/.clawdcode/credentials.json',
    '/h/.clawdcode/compile-cache.key',
    '/h/.clawdcode/checkpoints.key',
    '/h/.clawdcode/history/p.jsonl',
    '/h/.clawdcode/logs/x.log',
    '/h/.clawdcode/index/sessions.db',
    '/h/.clawdcode/projects/p/x.jsonl',
    '/h/.clawdcode/projects/p/blobs/ab/abc',
    '/proc/self/environ',
    '/etc/shadow',
    ...['.secret', '.vault-password', '.vaultpass', '.passwd-s3fs', '.smbcredentials', '.password', '.token'],
    ...['.api_key', '.credentials', 'credentials.ini', 'aws_credentials', 'secrets.ini', '.secrets.toml'],
    ...['passwords.yml', 'Passwords.csv', '.Renviron', 'platform.pk8', 'App.snk', 'pgpass.conf', 'htpasswd'],
    ...['token.json', 'secret.json', 'android/key.properties', 'keystore.properties', 'prod.agekey'],
    ...['gha-creds-0a1b.json', '.act.secrets', '.prod.vars', 'private.asc', 'alice-secret-key.asc'],
    ...['env.local', 'env.production.local', '.envs/prod', '.envs/.production/.postgres'],
    ...['ssh_host_rsa_key', 'ssh_host_ed25519_key', 'github_rsa', 'deploy_ed25519', 'deploy_key'],
    ...['.netrc.bak', '.netrc~', 'server.pem.old', '.pgpass.orig', 'credentials.json.backup', '.netrc.save~'],
    ...[
      'fastlane/api_key.json',
      'fastlane/AppStoreApiKey.json',
      '.m2/settings-security.xml',
      'config/prod.secret.exs',
    ],
  ])('%s', (path) => expect(isSensitive(path)).toBe(true));
});

describe('ordinary files', () => {
  test.each([
    '.env.example',
    '.env.sample',
    '.env.local.template',
    'id_rsa.pub',
    'environment.ts',
    ...[
      'secret.yml',
      'chart/templates/password.yaml',
      'locales/de/passwords.json',
      'tokens.json',
      'src/tokens/colors.json',
      'secrets',
      'src/secrets.ts',
      'passwords.txt',
      'credentials.md',
      'auth.json',
      'src/credentials.ts',
      'config/credentials.yml.enc',
      'main.tf',
      'src/kubeconfig.go',
    ],
    'src/env.ts',
    ...[
      'tokens.json',
      'artifacts/contracts/Token.sol/Token.json',
      'schemas/secret.json',
      'locales/de/token.json',
    ],
    ...[
      'local.properties',
      'gradle.properties',
      'release.asc',
      'pubkey.asc',
      'all.vars',
      'fastlane/Fastfile',
    ],
    ...['config/prod.exs', 'src/api_key.json', 'settings.xml'],
    'keys.ts',
    ...['.flaskenv', 'env.local.ts', 'src/env.js', 'github_rsa.pub', 'ssh_host_rsa_key.pub', 'deploy_key.ts'],
    ...['secrets/index.ts', 'password.ts', 'tests/passwords.txt', 'a.txt.bak', '.env.example.bak', 'notes~'],
    ...['.envs/dev/pyvenv.cfg', '.envs/dev/bin/activate/x', 'deploy_keys', 'src/rsa'],
    'monkey.txt',
    'package.json',
    'app/[id].ts',
    '.dockerignore',
    '.docker/nginx.conf',
    'docs/ssh.md',
    'README.md',
    '/h/.clawdcode/sessions/x.jsonl',
    '/h/.clawdcode/keybindings.json',
    '/h/.clawdcode/memory/notes.md',
    '/h/.clawdcode/projects/p/memory/notes.md',
    '/',
    '',
  ])('%s', (path) => expect(isSensitive(path)).toBe(false));
});

describe('a pattern', () => {
  test.each([
    '.e*',
    '.?nv',
    '.[e]nv',
    '*',
    '*.p*',
    '*.key',
    'i*_rsa',
    'id_*',
    '.s*/x',
    '.aws/*',
    'cred*',
    '.*',
    '.kube/con*',
    '*.json',
  ])('may match a secret: %s', (path) => expect(couldBeSensitive(path)).toBe(true));
  test.each(['*.ts', 'src/*.md', 'a*.txt', 'app/[id]/page.tsx', '*.config.js', 'test-?.log'])(
    'matches no secret: %s',
    (path) => expect(couldBeSensitive(path)).toBe(false),
  );
});

test.each(['/p/.ENV', '/p/.env.', '/p/.e\u200cnv', '/h/.\u017fsh/config', '/p/server.pem '])(
  'a spelling that some file systems treat as the name of a secret: %j',
  (path) => expect(isSensitive(path)).toBe(true),
);

const small = fc.string({ unit: fc.constantFrom('a', 'b', '.', '*', '?'), maxLength: 6 });

test('two patterns overlap if some name matches both', () => {
  const toRegExp = (glob: string): RegExp =>
    new RegExp(`^${glob.replace(/\./g, '\\.').replace(/\*/g, '.*').replace(/\?/g, '.')}$`);
  const names = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 });
  fc.assert(
    fc.property(small, small, names, (left, right, name) => {
      if (toRegExp(left).test(name) && toRegExp(right).test(name))
        expect(globsOverlap(left, right)).toBe(true);
    }),
    { numRuns: 2000 },
  );
  expect(globsOverlap('a*b', '*c')).toBe(false);
  expect(globsOverlap('a?', 'a')).toBe(false);
});

test('overlap is symmetric, and a pattern overlaps itself', () => {
  fc.assert(
    fc.property(small, small, (left, right) => {
      expect(globsOverlap(left, right)).toBe(globsOverlap(right, left));
      expect(globsOverlap(left, left)).toBe(true);
    }),
  );
});
