/**
 * Keys and tokens with a recognizable format, as in the issuers' documentation and in public scanners; lengths allow
 * for more, since issuers extend them without notice.
 */

export interface TokenFormat {
  readonly kind: string;
  /** Literal text that every token of this format contains, used to find candidates. At least three characters. */
  readonly literals: readonly string[];
  /** The entire token, including the literal. Every repetition is bounded. */
  readonly pattern: string;
  /** Number of characters before the literal, if the token does not begin with it. */
  readonly lead?: number;
  /** True if only digits among the letters distinguish it from an identifier in code. */
  readonly needsDigits?: boolean;
}

const format = (
  kind: string,
  literals: string | readonly string[],
  pattern: string,
  more: Pick<TokenFormat, 'lead' | 'needsDigits'> = {},
): TokenFormat => ({
  kind,
  literals: typeof literals === 'string' ? [literals] : literals,
  pattern,
  ...more,
});

const hex = (length: number): string => `[0-9a-fA-F]{${length}}`;
const word = (least: number, most = least): string => `[A-Za-z0-9]{${least},${most}}`;
const url = (least: number, most = least): string => `[A-Za-z0-9_-]{${least},${most}}`;
const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';

const models: readonly TokenFormat[] = [
  format('anthropic-key', 'sk-ant-', `sk-ant-[a-z0-9]{2,12}-${url(24, 250)}`),
  format(
    'openai-key',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'sk-None-'],
    `sk-[A-Za-z]{4,8}-${url(20, 250)}`,
  ),
  format('openrouter-key', 'sk-or-', `sk-or-(?:v1-)?${word(40, 80)}`),
  format('langfuse-key', 'sk-lf-', `sk-lf-${uuid}`),
  format('api-key', 'sk-', `sk-(?:[a-z]{2,8}-)?${word(32, 100)}`, { needsDigits: true }),
  format('groq-key', 'gsk_', `gsk_${word(40, 60)}`),
  format('xai-key', 'xai-', `xai-${word(60, 100)}`),
  format('perplexity-key', 'pplx-', `pplx-${word(40, 64)}`),
  format('replicate-key', 'r8_', `r8_${word(36, 40)}`),
  format('huggingface-token', ['hf_', 'api_org_'], `(?:hf|api_org)_${word(30, 50)}`),
  format('langsmith-key', ['lsv2_pt_', 'lsv2_sk_'], `lsv2_(?:pt|sk)_${hex(32)}_${hex(10)}`),
  format('cerebras-key', 'csk-', `csk-${word(40, 60)}`, { needsDigits: true }),
  format('nvidia-key', 'nvapi-', `nvapi-${url(50, 80)}`),
  format('tavily-key', 'tvly-', `tvly-(?:dev-|prod-)?${word(30, 64)}`),
  format('pinecone-key', 'pcsk_', `pcsk_[A-Za-z0-9_]{50,90}`),
  format('elevenlabs-key', 'sk_', `sk_${hex(48)}`),
  format('firecrawl-key', 'fc-', `fc-${hex(32)}`),
  format('jina-key', 'jina_', `jina_${word(50, 70)}`),
];

const clouds: readonly TokenFormat[] = [
  format('aws-access-key', ['AKIA', 'ASIA', 'ABIA', 'ACCA'], 'A(?:KIA|SIA|BIA|CCA)[A-Z2-7]{16}'),
  format('aws-mws-key', 'amzn.mws.', `amzn\\.mws\\.${uuid}`),
  format('aws-bedrock-key', 'ABSK', 'ABSK[A-Za-z0-9+/]{100,280}={0,2}'),
  format('google-api-key', 'AIza', `AIza${url(35)}`),
  format('google-oauth-token', 'ya29.', `ya29\\.${url(20, 1000)}`),
  format('google-refresh-token', '1//0', `1//0${url(40, 200)}`),
  format('google-client-secret', 'GOCSPX-', `GOCSPX-${url(24, 40)}`),
  format('azure-storage-key', 'AccountKey=', 'AccountKey=[A-Za-z0-9+/]{80,90}={0,2}'),
  format('azure-shared-key', 'SharedAccessKey=', 'SharedAccessKey=[A-Za-z0-9+/]{40,90}={0,2}'),
  format('azure-signature', 'sig=', 'sig=(?:[A-Za-z0-9]|%2[BbFf]|[+/]){40,60}(?:=|%3[Dd])'),
  format('azure-ai-key', 'JQQJ99', `${word(52)}JQQJ99${word(20, 34)}`, { lead: 52 }),
  format('azure-devops-token', 'AZDO', `${word(76)}AZDO${word(4)}`, { lead: 76 }),
  format('alibaba-key', 'LTAI', `LTAI${word(12, 26)}`, { needsDigits: true }),
  format('tencent-key', 'AKID', `AKID${word(32)}`, { needsDigits: true }),
  format('yandex-key', 'AQVN', `AQVN${url(35, 40)}`),
  format('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_', 'dot_v1_'], `do[oprt]_v1_${hex(64)}`),
  format('heroku-key', 'HRKU-', `HRKU-(?:AA${url(58)}|${uuid})`),
  format(
    'fly-token',
    ['fo1_', 'fm1_', 'fm2_', 'fm1a_', 'fm1r_'],
    '(?:fo1_[A-Za-z0-9_-]{40,50}|fm[12][ar]?_[A-Za-z0-9+/=]{100,4000})',
  ),
  format('netlify-token', ['nfp_', 'nfc_', 'nfo_', 'nfu_'], `nf[pcou]_${word(36, 48)}`),
  format('vercel-token', ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'], `vc[piark]_${word(24, 64)}`, {
    needsDigits: true,
  }),
  format('cloudflare-token', ['cfk_', 'cfut_', 'cfat_'], `cf(?:k|ut|at)_${word(40)}${hex(8)}`),
  format('cloudflare-ca-key', 'v1.0-', `v1\\.0-${hex(24)}-${hex(146)}`),
  format('supabase-key', ['sbp_', 'sb_secret_'], `(?:sbp_${hex(40)}|sb_secret_${url(22, 64)})`),
  format(
    'planetscale-token',
    ['pscale_tkn_', 'pscale_pw_', 'pscale_oauth_'],
    'pscale_(?:tkn|pw|oauth)_[\\w=.-]{32,64}',
  ),
  format('databricks-token', 'dapi', `dapi${hex(32)}(?:-\\d)?`),
  format('vault-token', ['hvs.', 'hvb.', 'hvr.'], `hv[sbr]\\.${url(24, 320)}`, { needsDigits: true }),
  format('terraform-token', '.atlasv1.', `${word(14)}\\.atlasv1\\.[\\w=-]{60,70}`, { lead: 14 }),
  format('pulumi-token', 'pul-', `pul-${hex(40)}`),
  format('doppler-token', 'dp.', `dp\\.(?:pt|st|ct|sa|scim|audit)\\.(?:[a-z0-9_-]{2,35}\\.)?${word(40, 44)}`),
  // render.com/docs/api, neon.com/docs/manage/api-keys, docs.honeycomb.io "API keys"
  format('render-key', 'rnd_', `rnd_${word(28, 40)}`, { needsDigits: true }),
  format('neon-key', 'napi_', `napi_${word(50, 80)}`, { needsDigits: true }),
  format('honeycomb-key', ['hcaik_', 'hcaic_', 'hcamk_'], `hca(?:ik|ic|mk)_${word(40, 64)}`),
  format('tailscale-key', 'tskey-', `tskey-[a-z]{2,20}-${word(8, 40)}-${word(16, 60)}`),
];

const code: readonly TokenFormat[] = [
  format('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], `gh[pousr]_${word(36, 255)}`),
  format('github-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{60,100}'),
  format(
    'gitlab-token',
    ['glpat-', 'gldt-', 'glrt-', 'glptt-', 'glft-', 'glimt-', 'glagent-', 'gloas-', 'glsoat-', 'glcbt-'],
    'gl(?:pat|dt|rt|ptt|ft|imt|agent|oas|soat|cbt)-[0-9A-Za-z_.-]{20,300}',
  ),
  format('gitlab-token', 'GR1348941', `GR1348941${url(20, 40)}`),
  format(
    'atlassian-token',
    ['ATATT3', 'ATCTT3', 'ATBB'],
    '(?:AT[AC]TT3[A-Za-z0-9_=-]{100,320}|ATBB[A-Za-z0-9]{28,40})',
  ),
  format('npm-token', 'npm_', `npm_${word(36, 40)}`),
  format('pypi-token', 'pypi-', `pypi-${url(50, 300)}`),
  format('rubygems-key', 'rubygems_', `rubygems_${hex(48)}`),
  format('crates-token', 'cio', `cio${word(32)}`, { needsDigits: true }),
  format('nuget-key', 'oy2', 'oy2[a-z0-9]{43}'),
  format('docker-token', ['dckr_pat_', 'dckr_oat_'], `dckr_[po]at_${url(27, 40)}`),
  format('clojars-token', 'CLOJARS_', 'CLOJARS_[a-z0-9]{60}'),
  format('postman-key', 'PMAK-', `PMAK-${hex(24)}-${hex(34)}`),
  format('sourcegraph-token', 'sgp_', `sgp_(?:${hex(16)}_|local_)?${hex(40)}`),
  format('buildkite-token', 'bkua_', `bkua_${hex(40)}`),
  format('circleci-token', 'CCIPAT_', `CCIPAT_${word(22)}_${hex(40)}`),
  format('linear-key', ['lin_api_', 'lin_oauth_'], `lin_(?:api|oauth)_${word(32, 80)}`),
  format('sentry-token', ['sntrys_', 'sntryu_'], `sntry[su]_[A-Za-z0-9+/=_-]{40,1000}`),
  format(
    'grafana-token',
    ['glc_', 'glsa_'],
    `(?:glc_[A-Za-z0-9+/]{32,400}={0,2}|glsa_${word(32)}_${hex(8)})`,
  ),
  // docs.sonarsource.com "Managing your tokens"; jfrog.com "Reference tokens" (base64 of `reftkn:01:`) and API keys;
  // docs.getdbt.com "Service account tokens"
  format('sonarqube-token', ['sqp_', 'squ_', 'sqa_'], `sq[pua]_${hex(40)}`),
  format('jfrog-key', 'AKCp', `AKCp${word(64, 75)}`),
  format('jfrog-token', 'cmVmdGtuO', `cmVmdGtuO${word(40, 80)}`),
  format('dbt-token', ['dbtc_', 'dbtu_'], `dbt[cu]_${url(28, 80)}`),
  format('newrelic-key', ['NRAK-', 'NRJS-', 'NRII-'], `NR(?:AK|JS|II)-${url(19, 40)}`, { needsDigits: true }),
  format('dynatrace-token', 'dt0', 'dt0[a-z]\\d{2}\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}'),
  format('posthog-key', 'phx_', `phx_${word(40, 60)}`),
  format('age-key', 'AGE-SECRET-KEY-1', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  format('onepassword-token', 'ops_ey', 'ops_ey[A-Za-z0-9+/=_-]{100,1400}'),
];

const services: readonly TokenFormat[] = [
  format('slack-token', 'xox', 'xox[abeoprs](?:\\.xox[bp])?-[0-9A-Za-z-]{10,260}', { needsDigits: true }),
  format('slack-token', 'xapp-', 'xapp-\\d-[A-Z0-9]{6,20}-\\d{6,20}-[a-f0-9]{32,80}'),
  format(
    'slack-webhook',
    'hooks.slack.com/',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{30,120}',
  ),
  format(
    'discord-webhook',
    ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    `discord(?:app)?\\.com/api/webhooks/\\d{16,20}/${url(60, 80)}`,
  ),
  format('teams-webhook', 'webhook.office.com/', 'webhook\\.office\\.com/webhookb2/[A-Za-z0-9@/-]{60,250}'),
  format(
    'stripe-key',
    ['sk_live_', 'sk_test_', 'rk_live_', 'rk_test_'],
    `[sr]k_(?:live|test)_${word(16, 255)}`,
  ),
  format('webhook-secret', 'whsec_', 'whsec_[A-Za-z0-9+/=]{24,88}'),
  format('sendgrid-key', 'SG.', `SG\\.${url(16, 32)}\\.${url(30, 60)}`),
  format('mailgun-key', 'key-', `key-[0-9a-f]{32}`),
  format('mailchimp-key', '-us', `[0-9a-f]{32}-us\\d{1,2}`, { lead: 32 }),
  format('brevo-key', ['xkeysib-', 'xsmtpsib-'], `x(?:key|smtp)sib-[0-9a-f]{64}-${word(16)}`),
  format('resend-key', 're_', `re_${word(8)}_${word(20, 28)}`, { needsDigits: true }),
  format('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], `shp(?:at|ca|pa|ss)_${hex(32)}`),
  format('square-token', ['sq0atp-', 'sq0csp-'], `sq0(?:atp|csp)-${url(22, 60)}`),
  // developer.paypal.com/braintree "OAuth"; firebase.google.com "Legacy HTTP protocol"
  format(
    'braintree-token',
    ['access_token$production$', 'access_token$sandbox$'],
    `access_token\\$(?:production|sandbox)\\$[0-9a-z]{16}\\$${hex(32)}`,
  ),
  format('firebase-key', ':APA91b', `AAAA${url(7)}:APA91b${url(120, 200)}`, { lead: 11 }),
  format('facebook-token', ['EAAC', 'EAAG', 'EAAB'], `EAA[BCG]${word(80, 300)}`),
  format('notion-token', 'ntn_', `ntn_\\d{11}${word(30, 40)}`),
  format('notion-token', 'secret_', `secret_${word(43)}`, { needsDigits: true }),
  format('figma-token', 'figd_', `figd_${url(36, 200)}`),
  format('airtable-token', 'pat', `pat${word(14)}\\.${hex(64)}`),
  format('hubspot-token', ['pat-na', 'pat-eu'], `pat-(?:na|eu)\\d-${uuid}`),
  format('plaid-token', 'access-', `access-(?:sandbox|development|production)-${uuid}`),
  format('contentful-token', 'CFPAT-', `CFPAT-${url(43)}`),
  format('easypost-key', ['EZAK', 'EZTK'], `EZ[AT]K${word(54)}`),
  format('typeform-token', 'tfp_', 'tfp_[\\w.=-]{40,64}'),
  format('shippo-token', ['shippo_live_', 'shippo_test_'], `shippo_(?:live|test)_${hex(40)}`),
  format('flutterwave-key', 'FLWSECK', `FLWSECK(?:_TEST)?-${word(32)}-X`),
  format('duffel-token', ['duffel_live_', 'duffel_test_'], `duffel_(?:live|test)_${url(43)}`),
];

/** All formats, more specific ones first. */
export const tokenFormats: readonly TokenFormat[] = [...models, ...clouds, ...code, ...services];
