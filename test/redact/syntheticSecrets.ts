/** Made-up secrets in the formats of real ones; the same seed gives the same. None was ever issued. */
import { createHash } from 'node:crypto';

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LOWER = UPPER.toLowerCase();
const DIGITS = '0123456789';
const WORD = UPPER + LOWER + DIGITS;
const HEX = '0123456789abcdef';

/** Bytes from a counter and SHA-256: reproducible and random enough. */
function createDice(seed: string) {
  let counter = 0;
  let pool: number[] = [];
  const byte = (): number => {
    if (pool.length === 0) pool = [...createHash('sha256').update(`${seed}:${counter++}`).digest()];
    return pool.pop() ?? 0;
  };
  const number = (below: number): number => ((byte() << 16) | (byte() << 8) | byte()) % below;
  const of = (alphabet: string, length: number): string =>
    Array.from({ length }, () => alphabet[number(alphabet.length)]).join('');
  return {
    number,
    word: (length: number) => of(WORD, length),
    hex: (length: number) => of(HEX, length),
    url: (length: number) => of(`${WORD}-_`, length - 1) + of(WORD, 1),
    base64: (length: number) => of(`${WORD}+/`, length),
    upper: (length: number) => of(UPPER + DIGITS, length),
    base32: (length: number) => of(`${UPPER}234567`, length),
    digits: (length: number) => of('123456789', 1) + of(DIGITS, length - 1),
    lower: (length: number) => of(LOWER + DIGITS, length),
    password: () =>
      `${of(UPPER, 2)}${of(DIGITS, 2)}${of('!#%&*', 1)}${of(LOWER, 3)}${of(DIGITS, 2)}${of(WORD, 4)}`,
    uuid: () => [8, 4, 4, 4, 12].map((length) => of(HEX, length)).join('-'),
    json: (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url'),
  };
}

type Dice = ReturnType<typeof createDice>;

/** A secret, the part of it that must never appear, and a text that contains it. */
export interface SyntheticSecret {
  readonly secret: string;
  readonly text: string;
}

const plain =
  (make: (dice: Dice) => string) =>
  (dice: Dice): SyntheticSecret => {
    const secret = make(dice);
    return { secret, text: secret };
  };

const within =
  (make: (dice: Dice) => string, around: (secret: string, dice: Dice) => string) =>
  (dice: Dice): SyntheticSecret => {
    const secret = make(dice);
    return { secret, text: around(secret, dice) };
  };

/** A key block, of which the first line must never appear. */
const block =
  (label: string, lines: number) =>
  (dice: Dice): SyntheticSecret => {
    const body = Array.from({ length: lines }, () => dice.base64(64));
    const text = [`-----BEGIN ${label}-----`, ...body, `${dice.base64(40)}==`, `-----END ${label}-----`].join(
      '\n',
    );
    return { secret: body[0] ?? '', text };
  };

const kinds: readonly ((dice: Dice) => SyntheticSecret)[] = [
  plain((d) => `sk-ant-api03-${d.url(93)}AA`),
  plain((d) => `sk-proj-${d.url(74)}T3BlbkFJ${d.url(74)}`),
  plain((d) => `sk-svcacct-${d.url(58)}T3BlbkFJ${d.url(58)}`),
  plain((d) => `sk-${d.word(20)}T3BlbkFJ${d.word(20)}`),
  plain((d) => `sk-${d.hex(32)}`),
  plain((d) => `sk-or-v1-${d.hex(64)}`),
  plain((d) => `gsk_${d.word(52)}`),
  plain((d) => `xai-${d.word(80)}`),
  plain((d) => `pplx-${d.word(48)}`),
  plain((d) => `r8_${d.word(37)}`),
  plain((d) => `hf_${d.word(34)}`),
  plain((d) => `lsv2_pt_${d.hex(32)}_${d.hex(10)}`),
  plain((d) => `nvapi-${d.url(64)}`),
  plain((d) => `AKIA${d.base32(16)}`),
  plain((d) => `ASIA${d.base32(16)}`),
  within(
    (d) => d.base64(40),
    (s) => `aws_secret_access_key = ${s}`,
  ),
  within(
    (d) => d.base64(40),
    (s) => `{"SecretAccessKey": "${s}"}`,
  ),
  within(
    (d) => d.base64(300),
    (s) => `AWS_SESSION_TOKEN=${s}`,
  ),
  plain((d) => `amzn.mws.${d.uuid()}`),
  plain((d) => `ABSK${d.base64(132)}`),
  plain((d) => `AIza${d.url(35)}`),
  plain((d) => `ya29.${d.url(120)}`),
  plain((d) => `GOCSPX-${d.url(28)}`),
  plain((d) => `1//0${d.url(60)}`),
  within(
    (d) => `${d.base64(86)}==`,
    (s) => `DefaultEndpointsProtocol=https;AccountName=files;AccountKey=${s};EndpointSuffix=core.windows.net`,
  ),
  within(
    (d) => `${d.base64(43)}=`,
    (s) => `Endpoint=sb://bus.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=${s}`,
  ),
  plain((d) => `${d.word(3)}${d.digits(1)}Q~${d.word(34)}`),
  plain((d) => `${d.word(52)}JQQJ99${d.word(26)}`),
  plain((d) => `${d.word(76)}AZDO${d.word(4)}`),
  plain((d) => `ghp_${d.word(36)}`),
  plain((d) => `gho_${d.word(36)}`),
  plain((d) => `ghs_${d.word(36)}`),
  plain((d) => `github_pat_${d.word(22)}_${d.word(59)}`),
  plain((d) => `glpat-${d.url(20)}`),
  plain((d) => `glrt-${d.url(20)}`),
  plain((d) => `ATATT3${d.url(186)}`),
  plain((d) => `xoxb-${d.digits(12)}-${d.digits(13)}-${d.word(24)}`),
  plain((d) => `xoxp-${d.digits(12)}-${d.digits(12)}-${d.digits(13)}-${d.hex(32)}`),
  plain((d) => `xapp-1-A${d.upper(10)}-${d.digits(13)}-${d.hex(64)}`),
  plain((d) => `hooks.slack.com/services/T${d.upper(8)}/B${d.upper(10)}/${d.word(24)}`),
  plain((d) => `discord.com/api/webhooks/${d.digits(18)}/${d.url(68)}`),
  plain((d) => `M${d.word(23)}.${d.word(6)}.${d.url(38)}`),
  plain((d) => `${d.digits(10)}:AA${d.url(33)}`),
  plain((d) => `sk_live_${d.word(24)}`),
  plain((d) => `rk_test_${d.word(99)}`),
  plain((d) => `whsec_${d.word(32)}`),
  plain((d) => `SK${d.hex(32)}`),
  plain((d) => `SG.${d.url(22)}.${d.url(43)}`),
  plain((d) => `key-${d.hex(32)}`),
  plain((d) => `${d.hex(32)}-us${d.digits(2)}`),
  plain((d) => `xkeysib-${d.hex(64)}-${d.word(16)}`),
  plain((d) => `npm_${d.word(36)}`),
  within(
    (d) => d.uuid(),
    (s) => `//registry.npmjs.org/:_password=${s}`,
  ),
  plain((d) => `pypi-AgEIcHlwaS5vcmc${d.url(150)}`),
  plain((d) => `rubygems_${d.hex(48)}`),
  plain((d) => `cio${d.word(32)}`),
  plain((d) => `oy2${d.lower(43)}`),
  plain((d) => `dckr_pat_${d.url(27)}`),
  plain((d) => `dop_v1_${d.hex(64)}`),
  plain((d) => `HRKU-AA${d.url(58)}`),
  plain((d) => `fo1_${d.url(43)}`),
  plain((d) => `nfp_${d.word(36)}`),
  plain((d) => `vcp_${d.word(56)}`),
  plain((d) => `cfut_${d.word(40)}${d.hex(8)}`),
  plain((d) => `sbp_${d.hex(40)}`),
  plain((d) => `pscale_tkn_${d.url(43)}`),
  plain((d) => `dapi${d.hex(32)}`),
  plain((d) => `hvs.${d.url(92)}`),
  plain((d) => `${d.word(14)}.atlasv1.${d.url(66)}`),
  plain((d) => `pul-${d.hex(40)}`),
  plain((d) => `dp.pt.${d.word(43)}`),
  plain((d) => `tskey-auth-${d.word(16)}-${d.word(32)}`),
  plain((d) => `glc_${d.base64(120)}`),
  plain((d) => `glsa_${d.word(32)}_${d.hex(8)}`),
  plain((d) => `NRAK-${d.upper(27)}`),
  plain((d) => `sntryu_${d.hex(64)}`),
  plain((d) => `dt0c01.${d.upper(24)}.${d.upper(64)}`),
  plain((d) => `lin_api_${d.word(40)}`),
  plain((d) => `ntn_${d.digits(11)}${d.word(35)}`),
  plain((d) => `figd_${d.url(40)}`),
  plain((d) => `pat${d.word(14)}.${d.hex(64)}`),
  plain((d) => `shpat_${d.hex(32)}`),
  plain((d) => `sq0csp-${d.url(43)}`),
  plain((d) => `PMAK-${d.hex(24)}-${d.hex(34)}`),
  plain((d) => `AGE-SECRET-KEY-1${d.upper(58)}`),
  plain((d) => `EAAC${d.word(150)}`),
  plain(
    (d) =>
      `${d.json({ alg: 'HS256', typ: 'JWT' })}.${d.json({ sub: d.word(12), iat: d.number(9e6) })}.${d.url(43)}`,
  ),
  within(
    (d) => d.word(40),
    (s) => `curl -H "Authorization: Bearer ${s}" https://api.internal/v1`,
  ),
  within(
    (d) => Buffer.from(`admin:${d.password()}`).toString('base64').replace(/=+$/, ''),
    (s) => `Authorization: Basic ${s}`,
  ),
  block('RSA PRIVATE KEY', 24),
  block('PRIVATE KEY', 12),
  block('EC PRIVATE KEY', 3),
  block('OPENSSH PRIVATE KEY', 6),
  block('PGP PRIVATE KEY BLOCK', 30),
  block('ENCRYPTED PRIVATE KEY', 16),
  (d) => {
    const secret = d.base64(64);
    const text = `PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nComment: laptop\nPublic-Lines: 2\n${d.base64(64)}\n${d.base64(36)}\nPrivate-Lines: 2\n${secret}\n${d.base64(12)}\nPrivate-MAC: ${d.hex(64)}`;
    return { secret, text };
  },
  within(
    (d) => d.word(16),
    (s) => `https://deploy:${s}@git.company.io/app.git`,
  ),
  within(
    (d) => d.password().replace('#', '%23'),
    (s) => `postgres://app:${s}@db.internal:5432/main?sslmode=require`,
  ),
  within(
    (d) => d.word(20),
    (s) => `mongodb+srv://root:${s}@cluster0.abcde.mongodb.net/admin`,
  ),
  within(
    (d) => d.word(14),
    (s) => `redis://:${s}@cache:6379/0`,
  ),
  within(
    (d) => d.password(),
    (s) => `Server=tcp:sql,1433;User ID=sa;Password=${s};Encrypt=true`,
  ),
  within(
    (d) => d.password(),
    (s) => `DB_PASSWORD=${s}`,
  ),
  within(
    (d) => d.password(),
    (s) => `const config = { user: 'app', password: '${s}' };`,
  ),
  within(
    (d) => d.hex(40),
    (s) => `api_key: "${s}"`,
  ),
  within(
    (d) => d.word(32),
    (s) => `export CLIENT_SECRET="${s}"`,
  ),
  within(
    (d) => d.password(),
    (s) => `My database password is ${s}, please use it.`,
  ),
];

/** `count` secrets, cycling through all kinds. */
export function syntheticSecrets(count: number, seed: string): SyntheticSecret[] {
  const dice = createDice(seed);
  return Array.from({ length: count }, (_, index) => {
    const make = kinds[index % kinds.length];
    if (make === undefined) throw new Error('There are no kinds.');
    return make(dice);
  });
}

export const kindCount = kinds.length;
