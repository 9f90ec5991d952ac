/* biome-ignore-all lint/suspicious/noTemplateCurlyInString: settings refer to variables like this */
/** In settings, any literal value of a name like `password` counts; in code and documents, only a random-looking one. */
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/redact/findSecrets.ts';
import { redact } from '../../src/redact/redact.ts';

const uuid = '4cc362c2-102e-4d57-99d6-4ecfecdb26cb';
const hex = '1bb01534a8d8d82a88cf9be5e7efed80';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

test.each([
  ['a simple password', 'db_password = "Sommer2024!"', 'Sommer2024!'],
  ['properties', 'spring.datasource.password=hunter22', 'hunter22'],
  ['YAML', 'db:\n  password: hunter22\n', 'hunter22'],
  ['YAML on one line', 'db: { user: a, password: hunter22 }', 'hunter22'],
  ['a YAML list', '- password: hunter22', 'hunter22'],
  ['a YAML block', 'password: >-\n  hunter22\n', 'hunter22'],
  ['the next line', 'password:\n  hunter22\n', 'hunter22'],
  ['JSON', '{"user":"a","password":"hunter22"}', 'hunter22'],
  ['JSON in a string', JSON.stringify('{"password":"hunter22"}'), 'hunter22'],
  ['an object of Terraform', 'db = { user = "a", password = "Sommer2024!" }', 'Sommer2024!'],
  ['an inventory', 'web1 ansible_user=root ansible_ssh_pass=winter77', 'winter77'],
  ['an element', '<server><password>hunter22</password></server>', 'hunter22'],
  ['an attribute', '<user name="a" password="hunter22"/>', 'hunter22'],
  ['camel case', '"dbPass": "hunter22"', 'hunter22'],
  ['two fields', '{"name":"DB_PASSWORD","value":"hunter22"}', 'hunter22'],
  ['two fields of YAML', '- name: DB_PASSWORD\n  value: hunter22', 'hunter22'],
  ['a setting of .NET', '<add key="ApiSecret" value="hunter22" />', 'hunter22'],
  ['an option', 'command: run --password hunter22 --verbose', 'hunter22'],
  ['mixed case without digits', 'MYSQL_ROOT_PASSWORD: qWeRtZuIoP', 'qWeRtZuIoP'],
  ['lower case and digits', 'ansible_become_pass: m5yaoovjpfq1', 'm5yaoovjpfq1'],
  ['a token that is an id', `CONSUL_HTTP_TOKEN=${uuid}`, uuid],
  ['the token of a registry', `//registry.npmjs.org/:_authToken=${uuid}`, uuid],
  ['base64', `data:\n  password: ${base64('hunter22')}`, base64('hunter22')],
  [
    'settings in base64',
    `data:\n  .env: ${base64('A=1\nDB_PASSWORD=hunter22\n')}`,
    base64('A=1\nDB_').slice(0, 9),
  ],
  ['an API key', 'API_KEY=hunter22', 'hunter22'],
  ['any key', `MISTRAL_KEY=${hex}`, hex],
  ['a key in camel case', `"weatherKey": "${hex}"`, hex],
])('the value counts in %s', (_, text, secret) => {
  expect(redact(text, { isSettings: true })).not.toContain(secret);
});

test.each([
  [
    'package.json',
    '"dependencies": {"js-tiktoken": "^1.0.21", "jsonwebtoken": "9.0.2", "passport": "~0.7.0"}',
  ],
  ['package.json', '"csrf-token": "workspace:^1.2.3", "keytar-secret": "git+https://h.io/a1b2c3.git"'],
  ['a lock file', `token@^1.0.0:\n  version "1.0.0"\n  integrity sha512-${base64(hex)}`],
  ['translations', '{"password": "Passwort", "token": "Jeton d’accès", "secret": "Geheimnis*"}'],
  ['translations', '{"password": "パスワード2", "confirmPassword": "Passwort (erneut) 2x eingeben"}'],
  ['translations', 'password=Mot de passe (8 caract.)\nlabel.token=Code-Token:\n'],
  ['Compose', 'environment:\n  POSTGRES_PASSWORD: ${DB_PASSWORD:?missing}\n  TOKEN: "${TOKEN-abc123}"'],
  ['Compose', 'environment:\n  - POSTGRES_PASSWORD=postgres\n  - REDIS_PASSWORD=$REDIS_PASSWORD1'],
  ['Compose', 'POSTGRES_PASSWORD_FILE: /run/secrets/db1\nsecrets:\n  db_password:\n    file: ./db1.txt'],
  ['a local database', 'MYSQL_ROOT_PASSWORD: root123\nMINIO_SECRET: minioadmin\nDB_PASSWORD=password1'],
  [
    'a workflow',
    'with:\n  token: ${{ secrets.GITHUB_TOKEN }}\n  key: ${{ runner.os }}-node-${{ hashFiles(1) }}',
  ],
  [
    'a workflow',
    'permissions:\n  id-token: write\n  cache-key: v3-node20-deps-2024\n  restore-keys: v3-node20-',
  ],
  ['a cache key', `cacheKey: "${hex}"\npartition_key = "${hex}"\n"publicKey": "${hex}"`],
  [
    'Kubernetes',
    'imagePullSecrets:\n  - name: regcred2\nsecretName: tls-cert-2024\ntokenReviewVersion: v1beta1',
  ],
  ['Kubernetes', 'valueFrom:\n  secretKeyRef:\n    name: db-credentials-v2\n    key: password2'],
  ['Helm', 'existingSecret: my-release-redis2\npassword: {{ .Values.auth.password | quote }}'],
  ['Helm', 'auth:\n  password: ""\n  existingSecretPasswordKey: redis-password2\n  secret: app.db.secret.2'],
  ['a tokenizer', '{"bos_token": "<s>", "unk_token": "[UNK2]", "eos_token": "<|end_of_text_1|>"}'],
  ['a tokenizer', '{"pad_token": "[PAD]", "image_token": "<image_01>", "mask_token": {"content": "<mask>"}}'],
  ['a tokenizer', '"token": 12345, "Ġtoken": 11241, "▁password1": 20391, "key": 2539'],
  ['a model', 'max_tokens: 128000\nmax_new_token: 4096\ntoken_limit = 8192\ntokens=128k'],
  ['a model', '{"type": "tokens", "stop_token": "###0", "sep_token": "</s2>"}'],
  ['OpenAPI', 'password:\n  type: string\n  format: password\n  minLength: 8\ntoken:\n  $ref: "#/a/Token2"'],
  ['OpenAPI', 'securitySchemes:\n  apiKey:\n    type: apiKey\n    name: X-API-Key\n  token: oauth2'],
  ['OpenAPI', '"password": "string(255)", "token": "uint256", "passwd": "varchar(64)"'],
  ['pages', 'nextPageToken: CAUQAA2x9\nnext_token = "eyJ2IjoxMjM0"\npageToken: "page2x9"'],
  ['ESLint', '{"no-secret": "error", "rules": {"keyword-spacing": 2, "no-token": ["error", 1]}}'],
  ['pyproject', '[tool.bandit]\nskips = ["B105"]\nhardcoded_password = false\ntoken-regex = "^[a-z0-9]+"'],
  ['Terraform', 'variable "db_password" {\n  type = string\n  sensitive = true\n}'],
  [
    'Terraform',
    'password = var.db_password2\ntoken = data.vault_secret.db1.value\nsecret = random_id.a2.hex',
  ],
  ['Terraform', 'password = module.db["a1"].password\nkms_key = aws_kms_key.main2.arn'],
  ['CSS', '--token-color: #ff00aa12;\n--secret: 12px;\ntoken: "#a1b2c3d4"'],
  ['a table', 'user,password,token\nanna,,\nbob,n/a,\n'],
  ['settings', 'password = changeme\ntoken = your-token-1\nsecret = <secret1>\npass = xxxxxx1'],
  ['settings', 'password: example123\nsecret = "TODO_2"\ntoken = "********1"\npasswd = null'],
  ['settings', 'token: true\npassword: 12345678901\nsecret: 3.5.1\npwd: 2024-01-01T00:00:00Z'],
  ['files', 'password: /etc/app/pw1\ntoken = ./token1\nsecret: ~/s1/x\nssl_key_password: certs/a1.pem'],
  ['files', 'credentials: creds/gcp1.json\npassword: C:\\secrets\\pw1\ntoken: token2.txt'],
  ['addresses', 'token: https://h.io/oauth2/token\nsecret = vault:secret/data/app1\npassword: op://v1/i1/p1'],
  ['addresses', 'secret: arn:aws:secretsmanager:eu-1:123:secret:a-1\npassword: ssm:/app/db1'],
  ['variables', 'password: DB_PASSWORD_1\ntoken: env:TOKEN1\nsecret = env.SECRET_2\npassword=%DB_PW1%'],
  ['variables', 'password=$1234\nPASSWORD=$(cat /x1)\nTOKEN=`cat t1`\npassword = %(db_pw1)s'],
  ['Spring', 'password=ENC(a1B2c3d4)\npassword: "{cipher}a1b2c3d4"\npassword=@db.password1@'],
  ['YAML tags', 'password: !vault |\n  $ANSIBLE_VAULT;1.1;AES256\ntoken: !Ref Token1\nsecret: *secret1'],
  ['comments', '# password: hunter22\n; token = abc12345\n// secret: abc12345\n* password: hunter22'],
  ['prose', 'The password: abc12345 was wrong. Unexpected token: x12345. A token (see RFC 6749).'],
  ['a log', '2026-11-30 10:00:01 INFO invalid token: id12345 GET /a?page=2 key=item:123456789012'],
  ['a log of tests', 'PASS: addr2line -f option\nPASS: gdb.arch/i386-avx.exp\nFAIL: a1\n'],
  [
    'completions',
    'opts_pass="cCdHpPu"\n__comp "message= passphrase= password= scmVersion= $(x)"\ntoken: CARD32',
  ],
  ['words', 'bypass: lane12345\ncompass = north12345\nmonkey: abcdefg12345hijkl\nhotkey = ctrl+shift+1'],
  ['keys of entries', '"key": "a1b2c3d4e5f6a7b8c9", "keys": ["a1b2c3"], "keyId": "a1b2c3d4e5f6"'],
  ['keys of entries', 'sort_key: 2024#a1b2c3d4e5f6a7b8\nrouting-key = a1b2c3d4e5f6a7b8c9d0'],
  [
    'keys of entries',
    `storage_key: user-settings-v2\nquery_key = "users-list-2"\napp_key: ${uuid.slice(0, 8)}`,
  ],
  ['hashes', `token: sha256-${base64(hex)}\nsecret: sha256:${hex}\npassword: bcrypt12`],
  ['names', 'secret: my-app/prod/db1\ntoken: ci-bot-2\ncredentials: aws-prod-1\nsecret: grafana.admin2'],
  [
    'names',
    'credentials: same-origin\ncredentials: include\nsecret: app_db_password_2\nspecialToken: image2x',
  ],
  ['calls', 'password = getpass1("x")\ntoken = get_token(1)\nsecret: generateSecret(32)'],
  ['an interface', '"inputs": [{"name": "token", "type": "address"}, {"name": "pass", "type": "uint256"}]'],
  ['protocols', 'string password = 12;\nbytes token = 3;\noptional string secret = 100;'],
  ['SQL', 'password VARCHAR(255) NOT NULL, token CHAR(36), secret TEXT DEFAULT 1'],
  ['Make', 'TOKEN ?= $(shell cat t1)\nPASSWORD := $(PASS1)\nkey=$${KEY1}'],
  [
    'systemd',
    'ConditionCredential=|sysusers.extra\nLoadCredential=password:/etc/pw1\nEnvironment=TOKEN=%d/token1',
  ],
  ['nginx', 'proxy_set_header X-Token $http_x_token2;\nssl_certificate_key /etc/k1.pem;'],
  ['an editor', '{"token.color1": "#ff0000", "secret": "$(lock-1)", "keybinding": "ctrl+k2"}'],
])('ordinary settings have no secret: %s %#', (_, text) => {
  const found = findSecrets(text, { isSettings: true });
  expect(found.map(({ start, end }) => text.slice(start, end))).toEqual([]);
});

test('code keeps its own test of values', () => {
  for (const text of ['password: "hunter22"', `token = "${uuid}"`, 'const myPassword = "myPassWord1";'])
    expect(redact(text)).toBe(text);
  expect(redact('db_password = "bqUG6vJqIu"')).not.toContain('bqUG6vJqIu');
});

const word = 'k7Qz2LmX9vRb4TnW8sYd3HfJ6pCg1AeU5oKi';
const long = `${word}${word}${word}${word}`;

test.each([
  ['SonarQube', `sqp_${hex}${hex.slice(0, 8)}`],
  ['JFrog', `AKCp${long.slice(0, 69)}`],
  ['JFrog', `cmVmdGtuOjAxOj${long.slice(0, 50)}`],
  ['dbt', `dbtc_${word}`],
  ['Render', `rnd_${word.slice(0, 28)}`],
  ['Neon', `napi_${(hex + hex).slice(0, 64)}`],
  ['Honeycomb', `hcaik_01${(hex + hex).slice(0, 58)}`],
  ['Heroku', `HRKU-${uuid}`],
  ['Okta', `00${word}aB3d`],
  ['Firebase', `AAAA${word.slice(0, 7)}:APA91b${long.slice(0, 134)}`],
  ['Square', `EAAA${long.slice(0, 60)}`],
  ['Braintree', `access_token$production$${hex.slice(0, 16)}$${hex}`],
  ['Vault', `s.${word.slice(0, 24)}`],
  ['Vault', `hvs.${long.slice(0, 90)}`],
  ['Mailgun', `${hex}-${hex.slice(0, 8)}-${hex.slice(8, 16)}`],
  ['New Relic', `eu01xx${hex.slice(0, 30)}NRAL`],
])('a token of %s is found: %s', (_, token) => {
  for (const text of [token, `x: "${token}"`, `see ${token}.`])
    expect(redact(text)).not.toContain(token.slice(8));
});

test.each([
  ['before the user', 'Password=Sommer2024;Persist Security Info=True;User ID=sa;', 'Sommer2024'],
  ['of Go', 'app:Sommer2024@tcp(db:3306)/x?parseTime=true', 'Sommer2024'],
  ['of Oracle', 'jdbc:oracle:thin:scott/Sommer2024@db:1521/x', 'Sommer2024'],
  ['a key of Laravel', `APP_KEY=base64:${base64(hex).slice(0, 43)}=`, base64(hex).slice(0, 43)],
  ['a storage key', `AZURE_STORAGE_KEY=${base64(hex + hex)}`, base64(hex + hex)],
  ['a block of YAML', `password: >-\n  ${word.slice(0, 20)}`, word.slice(0, 20)],
  ['a value before its name', '{"value":"hT7#kq2Lm9x","name":"DB_PASSWORD"}', 'hT7#kq2Lm9x'],
  ['a private JSON Web Key', `{"kty":"EC","crv":"P-256","d":"${word}","x":"${word}"}`, `"d":"${word}`],
  [
    'a URL in base64',
    `url: ${base64('postgres://app:qX9vQ2mZ7pLw4RtB8sYz@db.io:5432/app')}`,
    base64('postgres://').slice(0, 12),
  ],
  [
    'an .env file in base64',
    `.env: ${base64('# für alle\nNODE_ENV=production\nDB_PASSWORD=qX9vQ2mZ7pLw4RtB8sYz\n')}`,
    base64('# für alle\nNODE').slice(0, 12),
  ],
])('a secret is found without settings: %s', (_, text, secret) => {
  expect(redact(text)).not.toContain(secret.replace(/=+$/, ''));
});

test.each([
  `{"kty":"EC","crv":"P-256","x":"${word}","y":"${word}"}`,
  `{"d": "${hex}", "other": {"kty": "EC"}}`,
  base64('A text without any secret in it, only words and more words.'),
  's.someVeryLongMethodName2024(1)',
])('ordinary text has none: %s', (text) => {
  expect(findSecrets(text, { isSettings: true })).toEqual([]);
});
